#!/usr/bin/env python3
"""CPU time of programs that are in the kernel, however they end: nothing of it is lost, and what was
not sampled is said."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("cpu_books")
PROGRAM = DIRECTORY / "in_kernel"
READS = 1500


def recorded(name, *command, options=()):
    """What the program said of its CPU time; its profile; what was told of it."""
    output = DIRECTORY / f"{name}.ascribe"
    done = run([ASCRIBE, "record", "-o", output, *options, "--", *command], DIRECTORY)
    check(output.exists(), f"no profile\n{done.errors}")
    used = max((int(line) for line in done.output.split()), default=0)
    return used, Profile(output), done.errors


def cpu_ns(profile):
    return profile.value("select sum(user_ns + system_ns) from processes")


def ends():
    for ending in ("exit", "_exit", "quick_exit", "kill", "exec"):
        used, profile, told = recorded(ending, PROGRAM, READS, ending)
        check(cpu_ns(profile) > 0.8 * used, f"{ending}: {cpu_ns(profile)} ns of {used}")
        check("no figure" not in told, told)
        check(profile.value("select sum(unknown_ns) from processes") == 0, "not known whose")


def end_that_is_told():
    for ending, words in (("_exit", "exit"), ("kill", "other"), ("exec", "exec")):
        _, profile, _ = recorded("told", PROGRAM, 10, ending)
        ends = [row[0] for row in profile.rows("select ending from processes order by started_ns")]
        check(ends[0] == words, f"{ending}: {ends}")
        report = must([ASCRIBE, "report", DIRECTORY / "told.ascribe"]).output
        check(("not end by exit" in report) == (ending == "kill"), report)


def several_that_were_killed():
    """What they used is known, but not which of them."""
    _, profile, told = recorded("several", PROGRAM, READS, "two")
    unknown = profile.value("select sum(unknown_ns) from processes")
    check(unknown > cpu_ns(profile), f"{unknown} not known, {cpu_ns(profile)} known")
    check("in no figure: " in told, told)
    report = must([ASCRIBE, "report", DIRECTORY / "several.ascribe"]).output
    check("more in processes that did not end by exit" in report, report)


def killed_by_another():
    """timeout waits for it, and its own figures are not mistaken for the other's."""
    _, profile, _ = recorded("timeout", "timeout", "0.5", PROGRAM, 1000000, "exit")
    by_program = dict(profile.rows("select substr(executable, -9), max(user_ns + system_ns)"
                                   " from processes group by 1"))
    check(by_program["in_kernel"] > 5 * by_program["n/timeout"], str(by_program))


def a_split_that_is_too_coarse():
    """The kernel's own ticks may find no user time at all."""
    for ending in ("exit", "kill"):
        _, profile, _ = recorded("split", PROGRAM, READS, ending)
        ticks = profile.all_ticks()
        self_ns = profile.value("select coalesce(sum(self_ns), 0) from functions")
        period = profile.value("select period_ns from processes")
        check(self_ns >= 0.4 * ticks * period, f"{ticks} ticks of {period} ns: {self_ns} ns")
        report = must([ASCRIBE, "report", DIRECTORY / "split.ascribe"]).output
        check("nan" not in report, report)


if __name__ == "__main__":
    must(["gcc", "-O2", harness.SOURCE / "tests/scenarios/in_kernel.c", "-o", PROGRAM])
    harness.main(ends, end_that_is_told, several_that_were_killed, killed_by_another,
                 a_split_that_is_too_coarse)
