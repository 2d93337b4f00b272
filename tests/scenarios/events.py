#!/usr/bin/env python3
"""--event: what the kernel counts is where it happens, as often as it happens; what this machine
cannot count is said."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("events")
HAPPENS, COUNTED = DIRECTORY / "happens", DIRECTORY / "counted"
REFUSE = DIRECTORY / "refuse_perf"
# What another user needs is copied: the directory of the build may be closed to him.
LIBRARY = pathlib.Path(ASCRIBE).parent.parent / "runtime" / "libascribe.so"
OPEN = pathlib.Path(tempfile.mkdtemp(prefix="ascribe-tests-"))  # other users may look into it


def record(name, event, arguments, program=HAPPENS, wrapper=(), options=()):
    path = DIRECTORY / f"{name}.ascribe"
    path.unlink(missing_ok=True)
    result = run([ASCRIBE, "record", "--event", event, "-o", path, *options, "--", *wrapper,
                  program, *arguments], DIRECTORY)
    check(result.status == 0 and result.output == "0 interrupted\n",
          f"{result.ending} {result.output!r}\n{result.errors}")
    return Profile(path), result


def counted(profile, name, expected, spread=0):
    """The figure of a function with its uncertainty; the truth is within it, `spread` apart."""
    found, uncertainty = profile.rows(
        "select total_ns, total_uncertainty_ns from functions where name = ?", name)[0]
    check(abs(found - expected) <= uncertainty + spread,
          f"{found} +- {uncertainty} in {name}, not {expected}")
    return uncertainty


def page_faults():
    for program in (HAPPENS, COUNTED):
        stacks = ["--stacks"] if program == COUNTED else []
        profile, result = record("faults", "page-faults", ["few", "1000", "many", "30000"], program,
                                 options=stacks)
        check(counted(profile, "many", 30000, 30) < 15000, "no certainty at all")
        counted(profile, "few", 1000, 30)
        counted(profile, "main", 31000, 300)
        unit, whole, ticks = profile.rows("select unit, sampled_ns, ticks from origin, runs")[0]
        check(unit == "page-faults" and 31000 <= whole < 32000, f"{whole} {unit}")
        check(ticks < 8000, f"{ticks} ticks: more than the rate asks for")
        check("page-faults in all" in result.errors, result.errors)
        report = must([ASCRIBE, "report", DIRECTORY / "faults.ascribe"]).output
        check("page-faults, as the kernel counted them" in report, report)
        if program == COUNTED:
            check(profile.calls("many") == 1, "the calls are counted too")


def kernel_may_be_seen():
    """Nearly all of the program's time is there; else it may be too short for a tick."""
    return os.getuid() == 0 or int(pathlib.Path(
        "/proc/sys/kernel/perf_event_paranoid").read_text()) <= 1


def several():
    """One profile has all of them, each as if it were alone; calls are there once."""
    events = ("page-faults", "task-clock", "minor-faults")
    for program, options in ((HAPPENS, []), (COUNTED, ["--stacks"])):
        profile, result = record("several", ",".join(events), ["few", "1000", "many", "30000",
                                 "thread_few", "500", "child_few", "2000"], program, options=options)
        check(tuple(name for name, in profile.rows("select name from metrics")) == events, "metrics")
        cpu = profile.value("select user_ns + system_ns from runs")
        lasted = profile.value("select max(updated_ns) - min(started_ns) from processes")
        for event in events:
            unit, whole, ticks, kind = profile.rows(
                "select unit, sampled, ticks, kind from metrics where name = ?", event)[0]
            check((unit, kind) == (event, "event"), f"{unit} {kind} for {event}")
            # The kernel's task clock goes on while a virtual machine's host runs something else, CPU time
            # does not; one thread runs at a time.
            least, most = (cpu, lasted) if event == "task-clock" else (33500, 33500)
            check(0.9 * least < whole < 1.1 * most + 1500, f"{whole} {event}, not {least} to {most}")
            summed = profile.value("select sum(self) from metric_functions where metric = ?", event)
            lines = profile.value("select sum(self) from metric_lines where metric = ?", event)
            contexts = profile.value("select sum(self) from metric_contexts where metric = ?", event)
            if event != "task-clock" or kernel_may_be_seen():
                for sum_of in (summed, lines, contexts):
                    check(abs(sum_of - whole) < 0.02 * whole, f"{sum_of} of {whole} {event}")
            if event == "task-clock" and kernel_may_be_seen():
                check(ticks > 0.3 * cpu / 1e6, f"{ticks} ticks in {cpu} ns: none in the kernel?")
        for event in ("page-faults", "minor-faults"):
            found, low, high = profile.rows("select total, total_low, total_high from metric_functions"
                                            " where metric = ? and name = 'many'", event)[0]
            check(low - 1500 <= 30000 <= high + 1500, f"{low} to {high} {event} in many()")
        check(profile.value("select sum(ticks) from raw_threads")
              == profile.value("select ticks from metrics where id = 1"), "ticks of threads")
        if program == COUNTED:
            check(profile.calls("many") == 1, "the calls are counted too")
        check(all(f"{event} in all" in result.errors for event in events), result.errors)


WAITS = """#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) void rest(void) { usleep(5000); }
__attribute__((noinline)) void touch(volatile char *memory) {
  for (int i = 0; i < 1 << 20; i += 4096) memory[i] = 1;
}
int main(void) {
  for (int i = 0; i < 60; i++) {
    char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    touch(memory);
    rest();
    munmap(memory, 1 << 20);
  }
  puts("0 interrupted");
}
"""


def waiting_beside_events():
    """With --clock wall: events say where, looks from outside how long nothing ran."""
    source = DIRECTORY / "waits.c"
    source.write_text(WAITS)
    program = harness.compile_program(source, DIRECTORY / "waits", ["-O1", "-g"], instrumented=False)
    profile, result = record("waits", "page-faults", [], program, options=["--clock", "wall"])
    check(profile.rows("select name, unit, kind from metrics order by id")
          == [("page-faults", "page-faults", "event"), ("waiting", "ns", "waiting")], "metrics")
    waited = profile.value("select waited_ns from wait_books")
    check(waited >= 60 * 5e6, f"{waited} ns")
    totals = dict(profile.rows("select name, total from metric_functions where metric = 'waiting'"))
    check(totals["rest"] > 0.5 * waited and totals["rest"] <= waited, f"{totals['rest']} of {waited}")
    faults = dict(profile.rows("select name, total from metric_functions where metric = 'page-faults'"))
    check(faults["touch"] > faults.get("rest", 0), str(faults))
    check("of waiting in all" in result.errors and "page-faults in all" in result.errors, result.errors)
    twice = DIRECTORY / "twice.ascribe"
    must([ASCRIBE, "merge", "-q", "-o", twice, profile.path, profile.path])
    runs = must([ASCRIBE, "report", "--runs", "--metric", "waiting", twice]).output
    of = runs.split("How functions vary over 2 runs")[1].splitlines()
    check(any(line.split()[1] == "0.0" and "sleep" in line for line in of if "[" in line), f"twice the same: {runs}")
    report = must([ASCRIBE, "report", profile.path]).output
    check(re.search(r"besides waiting: .* \(--metric waiting\)$", report, re.M), report)


def chosen_in_reports():
    """Of one metric, or of several side by side."""
    path = DIRECTORY / "several.ascribe"
    beside = must([ASCRIBE, "report", "--metric", "minor-faults,page-faults", path]).output
    check(re.search(r"^ +minor-faults +page-faults  name$", beside, re.M), beside)
    check(re.search(r"^ +\d+\.\d( +[<\d.]+){2} +\d+\.\d( +[<\d.]+){2}  touch$", beside, re.M), beside)
    check("Call graph" not in beside, beside)
    totals = must([ASCRIBE, "report", "-M", "minor-faults,page-faults", "-s", "total", path]).output
    check(re.search(r"  (main|many)$", totals, re.M), totals)
    one = must([ASCRIBE, "report", "--metric", "minor-faults", path]).output
    check("minor-faults, as the kernel counted" in one and "Call graph" in one, one)
    check("besides" in one and "(--metric page-faults)" in one, one)
    stacks = must([ASCRIBE, "export", "--metric", "minor-faults", "-T", "collapsed", "-o", "-", path]).output
    found = sum(int(line.rsplit(" ", 1)[1]) for line in stacks.splitlines())
    whole = Profile(path).value("select sampled from metrics where name = 'minor-faults'")
    check(abs(found - whole) < 0.02 * whole, f"{found} of {whole} exported")
    for words in (["report", "--metric", "cycles"], ["report", "--metric", "waiting"],
                  ["report", "--json", "--metric", "page-faults,minor-faults"],
                  ["export", "-T", "pprof", "--metric", "page-faults,minor-faults"]):
        check(run([ASCRIBE, *words, path], DIRECTORY).status == 1, words)


def added_up():
    """Metrics of the same names are; of others, they are not."""
    one, other = DIRECTORY / "several.ascribe", DIRECTORY / "faults.ascribe"
    both = DIRECTORY / "both.ascribe"
    must([ASCRIBE, "merge", "-o", both, one, one])
    for event in ("page-faults", "minor-faults"):
        sums = [Profile(path).value("select sum(self) from metric_functions where metric = ?", event)
                for path in (one, both)]
        check(abs(sums[1] - 2 * sums[0]) < 0.01 * sums[1], f"{sums} {event}")
    result = run([ASCRIBE, "merge", "-o", both, one, other], DIRECTORY)
    check(result.status == 1 and "measures page-faults, but" in result.errors, result.errors)


def threads_and_children():
    profile, _ = record("tree", "page-faults", ["thread_few", "3000", "child_few", "4000"])
    counted(profile, "few", 7000, 60)
    check(len(profile.rows("select * from processes")) == 2, "processes")


def context_switches():
    """Each wait is one; and the signal that tells of it ends none."""
    if not kernel_may_be_seen():
        print("        (context switches: not permitted)")
        return
    profile, _ = record("switches", "context-switches", ["naps", "200", "polls", "100"])
    counted(profile, "naps", 200, 8)
    counted(profile, "polls", 100, 8)


def unprivileged():
    if os.getuid() != 0:
        return
    command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    place = OPEN / "place"
    place.mkdir()
    place.chmod(0o777)
    for path in (ASCRIBE, HAPPENS, LIBRARY):
        shutil.copy(path, OPEN / pathlib.Path(path).name)
    def as_nobody(event):
        return run([*command, OPEN / "ascribe", "record", "-e", event, "-o", place / "p.ascribe",
                    "--", OPEN / "happens", "few", "1000"], place,
                   {"ASCRIBE_SUPPORT_DIR": OPEN})
    result = as_nobody("page-faults")
    if result.status == 125:
        check("kernel.perf_event_paranoid" in result.errors, result.errors)
    else:
        counted(Profile(place / "p.ascribe"), "few", 1000, 30)
    paranoid = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    result = as_nobody("context-switches")
    check((result.status == 0) == (paranoid <= 1), result.errors)
    if paranoid > 1:
        check("sudo sysctl kernel.perf_event_paranoid=1" in result.errors, result.errors)


def counters_of_the_processor():
    result = run([ASCRIBE, "record", "-e", "cycles", "-o", "c.ascribe", "--", HAPPENS, "many",
                  "30000"], DIRECTORY)
    if result.status == 0:
        check(Profile(DIRECTORY / "c.ascribe").value("select unit from origin") == "cycles", "unit")
    else:
        check("no counter for it" in result.errors or "not permitted" in result.errors,
              result.errors)


def refused_inside():
    """The program forbids itself what the recorder may do."""
    _, result = record("refused", "page-faults", ["few", "100"], wrapper=[REFUSE])
    check("nothing was measured there" in result.errors, result.errors)


def wrong_words():
    for words, expected in ((["-e", "nonsense"], "choose from cycles, instructions"),
                            (["-e", "page-faults,nonsense"], "nonsense: no such event"),
                            (["-e", "page-faults,page-faults"], "page-faults twice"),
                            (["-e", "page-faults,"], "no such event"),
                            (["-e", "r1,r2,r3,r4,r5"], "at most 4 events at once"),
                            (["-e", "rxyz"], "no such event"),
                            (["-e", "page-faults", "-r", "0"], "cannot be combined with"),
                            (["-e", "page-faults", "-c", "tsc"], "cannot be combined with")):
        result = run([ASCRIBE, "record", *words, "--", "true"], DIRECTORY)
        check(result.status == 125 and expected in result.errors, f"{words}: {result.errors}")


def page_faults_around_a_pause(path):
    """Of 21000 outside the pause: how many were seen, and how uncertain that is."""
    recorder = subprocess.Popen(
        [ASCRIBE, "record", "-e", "page-faults", "-o", path, "--", HAPPENS, "few", "1000", "ask",
         "many", "20000", "ask", "few", "20000"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for command in ("stop", "start"):
        check(recorder.stdout.readline() == "ready\n", "not ready")
        must([ASCRIBE, command, recorder.pid])
        recorder.stdin.write("\n")
        recorder.stdin.flush()
    output, errors = recorder.communicate(timeout=60)
    check(output == "0 interrupted\n", output + errors)
    profile = Profile(path)
    # It sees that it is to stop, and to start, at a tick.
    check(profile.value("select coalesce(sum(total_ns), 0) from functions where name = 'many'") < 60,
          "counted in the pause")
    (few, uncertainty), = profile.rows(
        "select total_ns, total_uncertainty_ns from functions where name = 'few'")
    check(few < 21000 + 2 * uncertainty, f"{few} +- {uncertainty} page faults in few")
    profile.connection.close()
    return few


def in_a_pause():
    """The kernel makes the period longer as long as there are many; after a pause with very many
    the next tick, which sees that it is over, may be later than the program's end."""
    found = []
    while not found or (found[-1] < 15000 and len(found) < 5):
        found.append(page_faults_around_a_pause(DIRECTORY / "pause.ascribe"))
    check(found[-1] >= 15000, f"page faults in few: {found}")


if __name__ == "__main__":
    OPEN.chmod(0o755)
    import atexit
    atexit.register(shutil.rmtree, OPEN, ignore_errors=True)
    source = harness.SOURCE / "tests/scenarios/happens.c"
    harness.compile_program(source, HAPPENS, ["-O2", "-pthread"], instrumented=False)
    harness.compile_program(source, COUNTED, ["-O2", "-pthread"])
    must(["gcc", "-O1", harness.SOURCE / "tests/scenarios/refuse_perf.c", "-o", REFUSE])
    harness.main(page_faults, several, waiting_beside_events, threads_and_children, chosen_in_reports, added_up,
                 context_switches, unprivileged, counters_of_the_processor, refused_inside,
                 wrong_words, in_a_pause)
