#!/usr/bin/env python3
"""The range that a profile gives for the time in inline hooks holds what they really took: the CPU
time of a program with hooks less that of the same program without."""

import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("hook_costs")
INCLUDE = pathlib.Path(__file__).resolve().parent.parent.parent / "include"
BARE = DIRECTORY / "bare"
ROUNDS, TRIES = 7, 4
WIDEST = 4

# Calls of short functions. It prints the CPU time of its own thread, which starts no earlier.
PROGRAM = """
#include <stdio.h>
#include <time.h>
static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}
__attribute__((noipa)) long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) {
  long begin = now(), sum = 0;
  for (long i = 0; i < 5; i++) sum += fib(28);
  printf("%ld %ld\\n", now() - begin, sum);
  return 0;
}
"""


def cpu_ns(*command):
    return int(must(command, directory=DIRECTORY).output.split()[0])


def run(program):
    """The range, and what the program measured itself."""
    output = DIRECTORY / f"{program.name}.ascribe"
    output.unlink(missing_ok=True)
    taken = cpu_ns(ASCRIBE, "record", "-q", "-o", output, "--", program)
    return Profile(output).rows("select hooks_low_ns, hooks_high_ns from runs")[0], taken


def compare(name, bare, hooked):
    """The difference of two CPU times says little while other programs slow either of them: of one of
    a few tries the range holds, and is narrow enough to be of use."""
    for _ in range(TRIES):
        low, high, took = measure(bare, hooked)
        if 0 < low <= took <= high <= WIDEST * low:
            return
    check(False, f"{name}: hooks took {took} ns, not {low} to {high}, where {WIDEST} times the first is the most")


def measure(bare, hooked):
    ranges, real = [], []
    for _ in range(ROUNDS):
        without = cpu_ns(bare)
        (low, high), taken = run(hooked)
        ranges.append((low, high))
        real.append(taken - without)
    low, high = (statistics.median(end) for end in zip(*ranges))
    return low, high, statistics.median(real)


def built():
    source = DIRECTORY / "calls.c"
    source.write_text(PROGRAM)
    must(["gcc", "-O2", source, "-o", BARE], directory=DIRECTORY)
    return source


def marked(program):
    """Functions that are hooks to more than a tenth, and only they, say so in their rows."""
    profile = Profile(DIRECTORY / f"{program.name}.ascribe")
    low, high, self_ns = profile.rows("select hooks_low_ns, hooks_high_ns, self_ns from functions"
                                      " where name = 'fib'")[0]
    all_low, all_high = profile.rows("select hooks_low_ns, hooks_high_ns from runs")[0]
    check(0.99 * all_low <= low <= all_low and high <= all_high and high > self_ns / 10,
          f"hooks of fib: {low} to {high} ns of {self_ns}")
    check((profile.value("select hooks_high_ns from functions where name = 'main'") or 0) < 1000,
          "main, which was called once, has no hooks to speak of")
    for listing in ("--flat", "--graph"):
        text = must([ASCRIBE, "report", listing, profile.path]).output
        rows = [line for line in text.splitlines() if "(hooks: " in line]
        check(len(rows) == 1 and " fib [" in rows[0], f"{listing} marks {rows}")


def of_inline_hooks():
    hooked = DIRECTORY / "contexts"
    must([ASCRIBE, "cc", "--contexts", "-O2", built(), "-o", hooked], directory=DIRECTORY)
    compare("inline hooks", BARE, hooked)
    marked(hooked)


def of_hooks_with_frames():
    hooked, half = DIRECTORY / "framed", DIRECTORY / "framed.o"
    must(["gcc", "-O2", "-finstrument-functions", "-I", INCLUDE, "-include",
          "ascribe/hooks_inline.h", "-c", built(), "-o", half], directory=DIRECTORY)
    must([ASCRIBE, "cc", half, "-o", hooked], directory=DIRECTORY)
    compare("hooks with frames", BARE, hooked)


if __name__ == "__main__":
    harness.main(of_inline_hooks, of_hooks_with_frames)
