#!/usr/bin/env python3
"""--event: what the kernel counts is where it happens, as often as it happens; what this machine
cannot count is said."""

import os
import pathlib
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
    """Each event has its profile, with what it counts alone; calls are in all of them."""
    events = ("page-faults", "task-clock", "minor-faults")
    for program, options in ((HAPPENS, []), (COUNTED, ["--stacks"])):
        result = run([ASCRIBE, "record", "-e", ",".join(events), "-o", "several.ascribe", *options, "--",
                      program, "few", "1000", "many", "30000", "thread_few", "500", "child_few", "2000"],
                     DIRECTORY)
        check(result.status == 0 and result.output == "0 interrupted\n", result.errors)
        profiles = {event: Profile(DIRECTORY / f"several.{event}.ascribe") for event in events}
        for event, profile in profiles.items():
            unit, whole, cpu = profile.rows(
                "select unit, sampled_ns, user_ns + system_ns from origin, runs")[0]
            check(unit == event, f"{unit} in the profile of {event}")
            truth = cpu if event == "task-clock" else 33500
            check(0.9 * truth < whole < 1.1 * truth + 1500, f"{whole} {event}, not {truth}")
            summed = profile.value("select sum(self_ns) from functions")
            if event != "task-clock" or kernel_may_be_seen():
                check(abs(summed - whole) < 0.02 * whole, f"{summed} of {whole} {event} in functions")
            if event == "task-clock" and kernel_may_be_seen():
                ticks = profile.value("select ticks from runs")
                check(ticks > 0.3 * cpu / 1e6, f"{ticks} ticks in {cpu} ns: none in the kernel?")
            if program == COUNTED:
                check(profile.calls("many") == 1, "the calls are counted too")
        for event in ("page-faults", "minor-faults"):
            counted(profiles[event], "many", 30000, 1500)
            ticks = profiles[event].value("select sum(ticks) from raw_threads")
            check(20 < ticks == profiles[event].value("select ticks from runs"),
                  f"threads had {ticks} ticks")


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
    harness.main(page_faults, several, threads_and_children, context_switches, unprivileged,
                 counters_of_the_processor, refused_inside, wrong_words, in_a_pause)
