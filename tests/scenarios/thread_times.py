#!/usr/bin/env python3
"""Each thread's ticks stand for its own CPU time: what one of them lacks is not another's."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("thread_times")
PROGRAM = DIRECTORY / "lacks_ticks"
FIGURE = slice(16, 26)  # of the line of a thread

# The standard deviation of some 900 ticks is about 2 %; what the other thread lacks, twice what
# chance may explain, would be 11 % more if it were shared out.
CHANCE = 1.08


def recorded(*milliseconds):
    """The own clocks of both threads; the profile."""
    output = DIRECTORY / "lacks.ascribe"
    done = must([ASCRIBE, "record", "--rate", "1000", "-o", output, "--", PROGRAM, *milliseconds])
    return [int(number) for number in done.output.split()], Profile(output)


def threads_of(profile):
    """Self and not sampled time, by the order in which they were met."""
    return profile.rows("select self_ns, unsampled_ns from threads order by id")


def without_ticks():
    """Though the process has most of its ticks, it is known whose are missing: all but those that
    the log of a thread holds, of a page."""
    (first, second), profile = recorded(1800, 1500, 0)
    (first_self, first_missing), (second_self, second_missing) = threads_of(profile)
    check(first_self < CHANCE * first and not first_missing, f"{first_self} ns of {first}")
    check(second_self + second_missing > 0.75 * second, f"{second_self} and {second_missing} ns of {second}")
    check(second_missing > 0.7 * second, f"{second_missing} ns of {second}")
    check(profile.value("select unsampled_ns from runs") >= second_missing, "the whole knows less")
    report = must([ASCRIBE, "report", "--threads", profile.path]).output
    row = [line for line in report.splitlines() if ": second" in line]
    check("not sampled  name" in report and row and float(row[0].split()[5]) > 0.1, report)


def with_fewer_ticks():
    """Most of a thread's ticks tell what the others would have."""
    (first, second), profile = recorded(1800, 600, 3400)
    (first_self, first_missing), (second_self, second_missing) = threads_of(profile)
    check(not first_missing and not second_missing, "the time is not told")
    check(first_self < CHANCE * first, f"{first_self} ns of {first}")
    check(second_self > 0.86 * second, f"{second_self} ns of {second}")


def sums_are_the_heads():
    for milliseconds in ((300, 150, 0), (300, 0, 100)):
        _, profile = recorded(*milliseconds)
        report = must([ASCRIBE, "report", "--threads", profile.path]).output
        heading, *rows = report.partition("\nThreads\n")[2].splitlines()
        *parts, whole = [float(row[FIGURE]) for row in rows if row[FIGURE].strip(" sum")]
        threads = [row.split() for row in rows if "lacks_ticks" in row]
        missing = [float(row[5]) for row in threads if "not sampled" in heading]
        check(rows[-1].endswith("all CPU time"), report)
        check(abs(sum(parts) + sum(missing) - whole) < 0.002 * whole, report)
        head = [line for line in report.splitlines() if line.startswith("CPU time")][0]
        check(abs(float(head.split()[2]) - whole) < 0.002 * whole, report)


if __name__ == "__main__":
    must(["gcc", "-O2", "-pthread", harness.SOURCE / "tests/scenarios/lacks_ticks.c", "-o", PROGRAM])
    harness.main(without_ticks, with_fewer_ticks, sums_are_the_heads)
