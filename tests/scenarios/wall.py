#!/usr/bin/env python3
"""--clock wall: threads are looked at from outside while they wait.  They wait where and as long as
they do, no system call of theirs ends early, and the books of their lives balance."""

import atexit
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("wall")
PROGRAMS = {name: DIRECTORY / name for name in ("optimised", "plain", "counted")}
# What another user needs is copied: the directory of the build may be closed to him.
LIBRARY = pathlib.Path(ASCRIBE).parent.parent / "runtime" / "libascribe.so"
OPEN = pathlib.Path(tempfile.mkdtemp(prefix="ascribe-tests-"))  # other users may look into it
EDGE = 0.02  # seconds of a thread's life before its first look and after its last


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def record(name, program, *words, options=(), **how):
    path = DIRECTORY / f"{name}.ascribe"
    path.unlink(missing_ok=True)
    result = run([ASCRIBE, "record", "--clock", "wall", "-o", path, *options, "--", program, *words],
                 DIRECTORY, **how)
    check(result.status == 0 and result.output == "0 interrupted\n",
          f"{result.ending} {result.output!r}\n{result.errors}")
    return Profile(path), result


def waited(profile, name):
    found = profile.rows("select total_ns * 1e-9, total_uncertainty_ns * 1e-9 from waits"
                         " where name = ?", name)
    check(found, f"nobody waited in {name}")
    return found[0]


def unseen(profile):
    """Seconds of waiting that no look stands for."""
    return profile.value("select (sum(waited_ns) - (select sum(self_ns) from waits)) * 1e-9 from wait_books")


def truth(errors, name):
    """Seconds that all calls of a function waited, as the program has measured."""
    told = re.findall(rf"^waited {name} (\S+)$", errors, re.MULTILINE)
    check(told, f"the program has told nothing of {name}\n{errors}")
    return sum(map(float, told))


def waits(profile, errors, name, calls=1):
    """What could not be looked at, which the report says, may be missing anywhere."""
    seconds = truth(errors, name)
    found, uncertainty = waited(profile, name)
    most = uncertainty + EDGE * calls
    check(-most - unseen(profile) <= found - seconds <= most,
          f"{found:.3f} +- {uncertainty:.3f} s in {name}, not {seconds}")


def balances(profile):
    for lived, cpu, ready, waiting in profile.rows(
            "select lived_ns, cpu_ns, ready_ns, waited_ns from wait_books"):
        check(abs(lived - cpu - ready - waiting) <= 0.01 * lived + 1e6,
              f"{lived} ns lived are not {cpu} + {ready} + {waiting}")


def outermost(profile):
    """The functions that stacks of waiting threads begin with, and in how many looks."""
    names = dict(profile.rows("select id, name from functions"))
    histories = profile.histories()
    found = {}
    for context, ticks in profile.rows("select context, self_ticks from wait_contexts"):
        name = names[abs(histories[context][0])]
        found[name] = found.get(name, 0) + ticks
    return found


def known_waits():
    for name, program in PROGRAMS.items():
        profile, result = record(name, program, "mix")
        for function in ("holder", "wants_lock", "waiter", "short_naps", "main"):
            waits(profile, result.errors, function)
        balances(profile)
        begins = outermost(profile)
        wrong = sum(ticks for place, ticks in begins.items()
                    if place not in ("main", "holder", "waiter"))
        check(wrong <= 2, f"{name}: stacks begin with {begins}")
        spin = profile.value("select total_ns * 1e-9 from functions where name = 'spin'")
        check(0.35 < spin < 0.6, f"{spin} s of CPU time in spin")
        in_calls = profile.value("select sum(self_ns) from waits where name glob '?* (system call)'")
        check(in_calls > 0.95 * profile.value("select sum(self_ns) from waits"), "what it waits in")
        check("waiting for anything else" in result.errors, result.errors)
        if name == "counted":
            check(profile.calls("nap") == 203, f"{profile.calls('nap')} calls of nap")


def known_by_time():
    """Looks add up in slices, also where nothing ran; a part has what was waited in it."""
    profile = Profile(DIRECTORY / "plain.ascribe")
    (seen, looks), (whole, all_looks) = (
        profile.rows(f"select sum(self), sum(self_ticks) from {table} where metric = 'waiting'")[0]
        for table in ("series", "metric_functions"))
    check(looks == all_looks and abs(seen - whole) <= 1e-6 * whole, f"{looks, seen} of {all_looks, whole}")
    check(not profile.rows("select a.id from slices a join slices b on b.id = a.id + 1 and b.process = a.process"
                           " where b.start_ns <> a.end_ns or a.end_ns < a.start_ns"), "slices follow each other")
    check(profile.value("select sum(self) from series join slices on id = slice where metric = 'cpu'"
                        " and end_ns > start_ns") > 0, "ticks stay in slices")
    sums = {}
    for part in ("", "@0-0.5", "@0.5-"):
        found = json.loads(must([ASCRIBE, "report", "--json", "--flat", "--metric", "waiting",
                                 f"{DIRECTORY}/plain.ascribe{part}"]).output)["functions"]
        sums[part] = {row["name"]: row["self_ticks"] for row in found if row["self_ticks"]}
    whole = {name: sum(sums[part].get(name, 0) for part in ("@0-0.5", "@0.5-")) for name in sums[""]}
    check(whole == sums[""] and sums["@0.5-"], f"{sums}")


def shares_are_of_all():
    """Of CPU time, the kernel's too, and waiting."""
    told = must([ASCRIBE, "record", "-c", "wall", "-o", DIRECTORY / "shares.ascribe", "--",
                 PROGRAMS["optimised"], "mix"]).errors
    check("%  CPU" in told and not re.search(r"CPU 0 s .*waiting 0 s ", told), told)
    report = must([ASCRIBE, "report", "--limit", "all", DIRECTORY / "shares.ascribe"]).output
    check("Call graph, CPU time without waiting" in report, report)
    table = report.partition("Flat profile")[2].partition("Call graph")[0].splitlines()[3:]
    shares = [float(row.split()[0]) for row in table if row.strip()]
    check(97 < sum(shares) < 102, f"{sum(shares)} %\n" + "\n".join(table))
    for low, high in re.findall(r"([\d.]+)\.\.([\d.]+)", "\n".join(table)):
        check(float(low) <= float(high), f"from {low} to {high}\n" + "\n".join(table))


def from_outside():
    """By perf events, and of a process that runs already."""
    profile, result = record("perf", PROGRAMS["optimised"], "mix", options=["--perf"])
    for function in ("holder", "wants_lock", "waiter", "main"):
        waits(profile, result.errors, function)
    balances(profile)
    wrong = {place: ticks for place, ticks in outermost(profile).items()
             if place not in ("main", "holder", "waiter")}
    check(sum(wrong.values()) <= 2, f"stacks begin with {wrong}")
    check("waiting for anything else" in result.errors, result.errors)
    profile, result = record("perf-children", PROGRAMS["optimised"], "child", "exec",
                             options=["--perf"])
    waits(profile, result.errors, "child_naps", 2)
    balances(profile)
    profile, _ = record("perf-joined", PROGRAMS["optimised"], "joined", options=["--perf"])
    check(waited(profile, "first_nap")[0] > 0, "short threads are not looked at")
    # The main thread waits for one after the other.
    lived, lasted = profile.rows("select w.lived_ns, p.lived_ns from wait_books w, processes p")[0]
    check(lived > 1.7 * lasted, f"threads lived {lived} ns, and the first one alone {lasted} ns")
    attached()


def attached():
    """It waits while it is looked at, however long that takes to begin."""
    path = DIRECTORY / "attached.ascribe"
    with subprocess.Popen([PROGRAMS["optimised"], "input"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process, subprocess.Popen(
                              [ASCRIBE, "record", "--clock", "wall", "-o", path, "--pid",
                               str(process.pid)], stderr=subprocess.PIPE) as recorder:
        check(b"recording process" in recorder.stderr.readline(), "it does not begin")
        began = time.monotonic()
        time.sleep(1)
        waited_for = time.monotonic() - began
        process.stdin.close()
        check(process.stdout.read() == b"0 interrupted\n", "a system call was interrupted")
        errors = recorder.stderr.read()
        check(recorder.wait() == 0, errors)
    profile = Profile(path)
    found, uncertainty = waited(profile, "waits_for_input")
    check(waited_for - 0.3 - uncertainty < found < waited_for + 2 + uncertainty,
          f"{found} +- {uncertainty} s, not {waited_for}")
    balances(profile)


def no_call_is_interrupted():
    profile, result = record("calls", PROGRAMS["optimised"], "calls", options=["-r", "10000"])
    waits(profile, result.errors, "calls")


def children():
    profile, result = record("children", PROGRAMS["optimised"], "child", "exec")
    waits(profile, result.errors, "child_naps", 2)
    check(len(profile.rows("select * from processes")) == 3, "processes")
    balances(profile)


def short_threads():
    """Nobody waits longer than he lives, and each thread's looks stand for its own waiting."""
    profile, result = record("joined", PROGRAMS["optimised"], "joined")
    lasted = profile.value("select (max(updated_ns) - min(started_ns)) * 1e-9 from processes")
    found, uncertainty = waited(profile, "main")
    check(found <= lasted + 0.05, f"main waits {found} s of {lasted} s")
    first, uncertain = waited(profile, "first_nap")
    check(0.3 < first + uncertain, f"first_nap {first} +- {uncertain} s")
    check("ticks stand for" not in must([ASCRIBE, "report", "--metric", "waiting", DIRECTORY / "joined.ascribe"]).output,
          "looks compared with CPU time")
    graph = must([ASCRIBE, "export", "--metric", "waiting", "--to", "flamegraph", "-o", "-",
                  DIRECTORY / "joined.ascribe"]).output
    check("<title>Waiting: " in graph, "heading")


def ended_without_a_word():
    profile, result = record("forked", PROGRAMS["optimised"], "forked")
    waits(profile, result.errors, "child_naps")
    balances(profile)


def without_its_first_thread():
    """What the first thread leaves waits for nothing, and the others are seen."""
    for options in ([], ["--perf"]):
        profile, result = record("headless", PROGRAMS["optimised"], "headless", options=options)
        waits(profile, result.errors, "child_naps")
        lived = profile.value("select sum(waited_ns) * 1e-9 from wait_books")
        check(lived < truth(result.errors, "child_naps") + 2 * EDGE + 0.1, f"{lived} s waited in all")
        balances(profile)


def replaced_by_a_thread():
    """The thread that runs a program anew gets the number of the first one, and has run less."""
    profile, _ = record("replaced", PROGRAMS["optimised"], "replaced", "40")
    for name in ("lived_ns", "ready_ns", "waited_ns"):
        longest = profile.value(f"select max({name}) from wait_books")
        check(longest < 60e9, f"{name}: {longest}")


def when_let(attempt):
    """A busy machine may keep the recorder from looking: true of one run in six at least."""
    for _ in range(6):
        wrong = attempt()
        if not wrong:
            return
    check(False, wrong)


def while_stopped():
    """Where threads waited while the recorder could not look is not known, and said so."""
    when_let(looks_after_a_stop)


def looks_after_a_stop():
    path = DIRECTORY / "stopped.ascribe"
    with subprocess.Popen([ASCRIBE, "record", "--clock", "wall", "-o", path, "--", PROGRAMS["optimised"],
                           "two"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as recorder:
        check(recorder.stdout.readline() == "first\n", "it does not begin")
        os.kill(recorder.pid, signal.SIGSTOP)
        check(recorder.stdout.readline() == "second\n", "it does not go on")
        os.kill(recorder.pid, signal.SIGCONT)
        output, errors = recorder.communicate()
    check(recorder.returncode == 0, errors)
    profile = Profile(path)
    balances(profile)
    found, uncertainty = waited(profile, "one_nap")
    lost, stopped = unseen(profile), truth(errors, "many_naps")
    profile.connection.close()
    if found > truth(errors, "one_nap") + uncertainty + 4 * EDGE:  # at most so much of what was before
        return f"{found:.3f} +- {uncertainty:.3f} s in one_nap, not {truth(errors, 'one_nap')}"
    return abs(lost - stopped) >= 0.2 and f"{lost:.3f} of {stopped} s were not looked at"


def seen_from_the_first_moment():
    """Short threads, and the time until the first of all is found, keep nobody from being looked at."""
    for words, options in ((["beside"], []), (["naps"], ["--perf"])):
        when_let(lambda: misses_its_begin(words, options))


def misses_its_begin(words, options):
    profile, _ = record("moment", PROGRAMS["optimised"], *words, options=options)
    lost = unseen(profile) / profile.value("select sum(waited_ns) * 1e-9 from wait_books")
    profile.connection.close()
    return lost >= 0.1 and f"{words}: {lost:.0%} were not looked at"


def many_threads():
    """Looked at less often, if need be: the recorder takes its share of the machine, and no more."""
    profile, result = record("many", PROGRAMS["optimised"], "many")
    waits(profile, result.errors, "one_of_many", 150)
    recorder = profile.value("select recorder_ns * 1e-9 from runs")
    check(recorder < 1, f"{recorder} s of the recorder's own")
    for options in ([], ["--perf"]):  # each takes a descriptor
        profile, _ = record("few", PROGRAMS["optimised"], "many", options=options, preexec_fn=few_descriptors)
        missed = unseen(profile) / profile.value("select sum(waited_ns) * 1e-9 from wait_books")
        check(missed < 0.3, f"{options}: {missed:.0%} were not looked at")


def pauses():
    profile, _ = record("paused", PROGRAMS["optimised"], "child", options=["--stopped"])
    check(not profile.rows("select * from waits"), "looked at in a pause")
    profile, _ = record("duration", PROGRAMS["optimised"], "mix", options=["--duration", "0.3"])
    check(waited(profile, "holder")[0] < 0.9, "looked at after the duration")


def hidden():
    """A process that forbids it is not looked at, which is said."""
    command = []
    if os.getuid() == 0:
        command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    place = OPEN / "place"
    place.mkdir()
    place.chmod(0o777)
    for path in (ASCRIBE, PROGRAMS["optimised"], LIBRARY):
        shutil.copy(path, OPEN / pathlib.Path(path).name)
    support = {"ASCRIBE_SUPPORT_DIR": OPEN}
    output = place / "p.ascribe"
    for word, seen in (("naps", True), ("hidden", False)):
        result = run([*command, OPEN / "ascribe", "record", "--clock", "wall", "-o", output, "--",
                      OPEN / "optimised", word], place, support)
        check(result.output == "0 interrupted\n", result.errors)
        check(("could not be seen in 1 process" in result.errors) == (not seen), result.errors)
        if seen:
            waits(Profile(output), result.errors, "child_naps")


def other_namespaces():
    """Ids that a process has in a PID namespace of its own are other processes' outside."""
    unshare = ["unshare", "--pid", "--fork", "--user", "--map-root-user"]
    if run([*unshare, "true"], DIRECTORY).status != 0:
        print("        (no PID namespaces here)")
        return
    path = DIRECTORY / "namespace.ascribe"
    for words in (["mix"], ["child"]):
        result = run([ASCRIBE, "record", "--clock", "wall", "-o", path, "--", *unshare,
                      PROGRAMS["optimised"], *words], DIRECTORY)
        check(result.output == "0 interrupted\n", result.errors)
        profile = Profile(path)
        waits(profile, result.errors, "waiter" if words == ["mix"] else "child_naps")
        check(profile.value("select max(waited_ns) from wait_books") < 30e9, "others' waiting")


def reports():
    path = DIRECTORY / "optimised.ascribe"
    flat = must([ASCRIBE, "report", path]).output
    check("CPU time and waiting" in flat and "waiting for one" in flat, flat)
    waiting = must([ASCRIBE, "report", "--metric", "waiting", "--lines", "--graph", path]).output
    check("looks from outside" in waiting and "wants_lock" in waiting, waiting)
    focus = json.loads(must([ASCRIBE, "report", "--json", "--metric", "waiting", "--focus", "waiter", path]).output)
    check(0.8e9 < focus["selection"]["self_ns"] < 2e9, focus["selection"])
    both = json.loads(must([ASCRIBE, "report", "--json", "--flat", path]).output)
    nap = {row["metric"]: row["total"] for row in both["metric_functions"] if row["name"] == "nap"}
    check(nap["waiting"] > 1.5e9, nap)


def merged_and_exported():
    paths = [DIRECTORY / "children.ascribe", DIRECTORY / "duration.ascribe"]
    both = DIRECTORY / "both.ascribe"
    must([ASCRIBE, "merge", "-q", "-o", both, *paths])
    profiles = [Profile(path) for path in paths]
    for query in ("select sum(waited_ns) from wait_books", "select sum(self_ticks) from waits"):
        parts = [profile.value(query) for profile in profiles]
        check(Profile(both).value(query) == sum(parts), f"{query}: {parts}")
    stacks = must([ASCRIBE, "export", "--metric", "waiting", "--to", "collapsed", "-o", "-", both]).output
    check(any("main;child_naps;nap;" in line for line in stacks.splitlines()), stacks)
    result = run([ASCRIBE, "merge", "-o", DIRECTORY / "no.ascribe", paths[0],
                  DIRECTORY / "cpu.ascribe", "--force"])
    check("measures cpu, but" in result.errors, result.errors)


def wrong_words():
    for words, expected in ((["record", "-c", "wall", "-r", "0"], "cannot be combined with"),
                            (["record", "-c", "wal"], "expected cpu, wall, tsc or host")):
        result = run([ASCRIBE, *words, "--", "true"], DIRECTORY)
        check(result.status == 125 and expected in result.errors, f"{words}: {result.errors}")
    must([ASCRIBE, "record", "-q", "-o", "cpu.ascribe", "--", "true"], directory=DIRECTORY)
    result = run([ASCRIBE, "report", "--metric", "waiting", "cpu.ascribe"], DIRECTORY)
    check(result.status == 1 and "record with --clock wall" in result.errors, result.errors)


if __name__ == "__main__":
    OPEN.chmod(0o755)
    atexit.register(shutil.rmtree, OPEN, ignore_errors=True)
    source = harness.SOURCE / "tests/scenarios/waiting.c"
    harness.compile_program(source, PROGRAMS["optimised"], ["-O2", "-pthread"], instrumented=False)
    harness.compile_program(source, PROGRAMS["plain"], ["-O0", "-pthread"], instrumented=False)
    harness.compile_program(source, PROGRAMS["counted"], ["-O2", "-pthread"])
    harness.main(known_waits, known_by_time, shares_are_of_all, from_outside, no_call_is_interrupted, children, short_threads,
                 ended_without_a_word, without_its_first_thread, replaced_by_a_thread, while_stopped,
                 seen_from_the_first_moment, many_threads, pauses, hidden,
                 other_namespaces, reports, wrong_words, merged_and_exported)
