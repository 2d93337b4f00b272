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
ALL = 0.95  # of the machine's ticks


def recorded(*milliseconds):
    """The own clocks of both threads; the profile; the share of its ticks that the machine delivers."""
    output = DIRECTORY / "lacks.ascribe"
    with harness.TickYield(DIRECTORY, 1000000) as machine:
        done = must([ASCRIBE, "record", "--rate", "1000", "-o", output, "--", PROGRAM, *milliseconds])
    return [int(number) for number in done.output.split()], Profile(output), machine.share


def threads_of(profile):
    """Self and not sampled time, by the order in which they were met."""
    return profile.rows("select self_ns, unsampled_ns from threads order by id")


def without_ticks():
    """Though the process has most of its ticks, it is known whose are missing: all but those that
    the log of a thread holds, of a page. Where few are delivered, these stand for more time."""
    (first, second), profile, delivered = recorded(1800, 1500, 0)
    (first_self, first_missing), (second_self, second_missing) = threads_of(profile)
    check(first_self + first_missing < CHANCE * first and (delivered < ALL or not first_missing),
          f"{first_self} and {first_missing} ns of {first}")
    check(second_self + second_missing > 0.75 * second, f"{second_self} and {second_missing} ns of {second}")
    check(second_missing > max(0, 1 - 0.3 / delivered) * second,
          f"{second_missing} ns of {second}; the machine delivers {delivered:.1%}")
    check(profile.value("select unsampled_ns from runs") >= second_missing, "the whole knows less")
    report = must([ASCRIBE, "report", "--threads", profile.path]).output
    row = [line for line in report.splitlines() if ": second" in line]
    check("not sampled  name" in report and row and float(row[0].split()[5]) > 0.1, report)


def with_fewer_ticks():
    """Most of a thread's ticks tell what the others would have; few of them, on a machine that
    delivers few, tell nothing of the rest."""
    (first, second), profile, delivered = recorded(1800, 600, 3400)
    (first_self, first_missing), (second_self, second_missing) = threads_of(profile)
    check(delivered < ALL or not first_missing and not second_missing, "the time is not told")
    check(first_self + first_missing < CHANCE * first, f"{first_self} and {first_missing} ns of {first}")
    check(second_self + second_missing > 0.86 * second,
          f"{second_self} and {second_missing} ns of {second}")


def sums_are_the_heads():
    for milliseconds in ((300, 150, 0), (300, 0, 100)):
        _, profile, _ = recorded(*milliseconds)
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
