#!/usr/bin/env python3
"""What CHICKEN's programs may do, and what CHICKEN itself does with signals and memory: the same output,
errors and ends as without Ascribe, and trace points counted up to the end. Programs of tests/scheme."""

import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("chicken_faults")
# The first word chooses a part of faults.scm; the others are CHICKEN's options.
CASES = ("fib", "fails", "fails -:d", "fails -:b", "raises", "keeps-all -:hm8m", "keeps-all -:h4m", "deep -:s50k -:hi16m -:o",
         "threads", "forks", "forks-and-dies", "signalled", "calls-back", "escapes", "finalized -:f10 -:x", "executes", "runs",
         "leaves", "leaves-at-once", "underscore-exit", "killed", "terminated", "pipes", "evaluates", "sorts -:r", "unknown", "fib -:?")
# The n of each (fib n) that some of them compute, in all their processes, whatever switches between them, and up to a kill.
COMPUTED = {"fib": [25], "threads": [10] * 60, "forks": [15, 16, 10, 12], "killed": [20], "executes": [15, 25],
            "calls-back": range(15), "underscore-exit": [20]}


def program():
    must(["csc", "-w", "-C", "-O0", harness.SOURCE / "tests" / "scheme" / "faults.scm", "-o", "faults"], directory=DIRECTORY)
    return DIRECTORY / "faults"


def without_numbers(text):
    """Numbers of processes and addresses differ between runs, and by a few calls the moment when a heap is full."""
    text = re.sub(r"(\[panic\] out of memory[^\n]*\n)(\n|\.\.\.more\.\.\.\n|[^\n]*faults\.scm:[^\n]*\n)*", r"\1", text)
    return re.sub(r"0x[0-9a-f]+", "0xADDRESS", text)


def ways(executable, words):
    """The ends of the program alone, and recorded; the profile."""
    output = DIRECTORY / "faults.ascribe"
    output.unlink(missing_ok=True)
    plain = run([executable, *words], directory=DIRECTORY, environment={"ASCRIBE_OUT": None}, timeout=60)
    recorded = run([ASCRIBE, "record", "-q", "-o", output, "--", executable, *words], directory=DIRECTORY, timeout=60)
    return plain, recorded, Profile(output)


def end_of(result):
    return result.output, without_numbers(result.errors), result.ending


def points_of(profile, callee):
    return profile.value("select coalesce(sum(calls), 0) from functions where object = 'CHICKEN' and name like ?", f"%: {callee}")


def fib_calls(arguments):
    """How often (fib n) is called for these n."""
    calls = [1, 1]
    while len(calls) <= max(arguments):
        calls.append(1 + calls[-1] + calls[-2])
    return sum(calls[n] for n in arguments)


def same_ends(executable):
    for case in CASES:
        words = case.split()
        plain, recorded, profile = ways(executable, words)
        check(end_of(plain) == end_of(recorded), f"{case}: {end_of(recorded)}\n  not {end_of(plain)}")
        programs = 0 if "-:?" in words else 1 + (case in ("runs", "executes"))
        check(points_of(profile, "main") == programs, f"{case}: main is not counted {programs} times")
        if case in COMPUTED:
            calls = points_of(profile, "fib")
            check(calls == fib_calls(COMPUTED[case]), f"{case}: {calls} calls of fib")


def own_profiler(executable):
    """-:p takes SIGPROF and a timer; so may our ticks, where there are no perf events."""
    refuse = DIRECTORY / "refuse_perf"
    must(["gcc", "-O1", harness.SOURCE / "tests/scenarios/refuse_perf.c", "-o", refuse])
    for before in ([], [refuse]):
        for old in DIRECTORY.glob("PROFILE.*"):
            old.unlink()
        output = DIRECTORY / "own.ascribe"
        must([*before, ASCRIBE, "record", "-q", "-o", output, "--", executable, "long", "-:p"], directory=DIRECTORY)
        (path,) = DIRECTORY.glob("PROFILE.*")
        seconds = sum(float(time) for time in re.findall(r" ([\d.]+)\)", path.read_text())) / 1000
        profile = Profile(output)
        sampled = profile.value("select sum(self_ns) from functions where object = 'CHICKEN' or name like 'C\\_%' escape '\\'") / 1e9
        # How many seconds each sees differs where a busy machine merges pending signals.
        check(seconds > 0 and sampled > 0, f"{before}: {seconds} s in CHICKEN's profile, {sampled} s in ours")


def without_points():
    """csi and eval run code that has none: the report says so."""
    script, output = DIRECTORY / "script.scm", DIRECTORY / "csi.ascribe"
    script.write_text("(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))\n(write (fib 18))\n")
    result = must([ASCRIBE, "record", "-q", "-o", output, "--", "csi", "-s", script], directory=DIRECTORY)
    check(result.output == "2584", result.output)
    told = must([ASCRIBE, "report", output]).output
    check("no trace points: code run by csi or eval" in told, told)


def main():
    if not shutil.which("csc") or "CHICKEN" not in run(["csc", "-version"]).output:
        harness.skip("CHICKEN's csc is not installed")
    executable = program()
    same_ends(executable)
    own_profiler(executable)
    without_points()


if __name__ == "__main__":
    main()
