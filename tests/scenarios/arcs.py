#!/usr/bin/env python3
"""A call's count and its time are on one arc: of callers that were inlined, and of those that left by
a tail call. Where that is not known, no bound is given, and gprof is not told to mislead."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("arcs")

# work takes the CPU time that it is told to, in milliseconds of its own clock; nothing for 0.
WORK = """
#include <time.h>
volatile unsigned long sum;
__attribute__((noipa)) void work(long ms) {
  struct timespec start, now;
  if (!ms) return;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  do {
    for (int i = 0; i < 20000; i++) sum += i;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}
"""
INLINED = WORK + """
static inline __attribute__((always_inline)) void helper(long ms) { work(ms); sum++; }
__attribute__((noipa)) void easy(void) { for (int i = 0; i < 9; i++) helper(0); }
__attribute__((noipa)) void hard(void) { helper(300); sum++; }
int main(void) { easy(); hard(); return 0; }
"""
LEAVES = WORK + """
__attribute__((noipa)) void easy(void) { sum++; work(0); }
__attribute__((noipa)) void step(long ms) { sum += 2; work(ms); }
__attribute__((noipa)) void hard(void) { sum++; step(300); }
int main(void) { easy(); hard(); return 0; }
"""
# Two ways lead to work.
DOUBT = WORK + """
__attribute__((noipa)) void other(long ms) { sum += 2; work(ms); }
__attribute__((noipa)) void hard(long ms) { if (ms & 1) other(ms); else work(ms); }
int main(void) { hard(300); hard(3); return 0; }
"""
INLINED_JUMP = WORK + """
static inline __attribute__((always_inline)) void helper(long ms) { sum++; work(ms); }
__attribute__((noipa)) void hard(void) { helper(300); }
int main(void) { hard(); return 0; }
"""


def recorded(name, source, compiler, *flags, options=()):
    path = DIRECTORY / f"{name}.c"
    path.write_text(source)
    must([*compiler, "-O2", *flags, path, "-o", DIRECTORY / name], directory=DIRECTORY)
    output = DIRECTORY / f"{name}.ascribe"
    must([ASCRIBE, "record", "-q", *options, "-o", output, "--", DIRECTORY / name],
         directory=DIRECTORY)
    return Profile(output)


COUNTS = [ASCRIBE, "cc", "--counts"]
CONTEXTS = [ASCRIBE, "cc", "--contexts"]


def arcs_into(profile, callee):
    """By caller: calls, and whether time was seen (None: not known)."""
    return {caller: (calls, None if time is None else time > 0) for caller, calls, time in profile.rows(
        "select caller_name, calls, in_self_ns + in_child_ns from arcs where callee_name = ?", callee)}


def equal(got, expected):
    check(got == expected, f"{got}, not {expected}")


def misled(profile):
    """The arcs and functions that --misled lists."""
    text = must([ASCRIBE, "report", "--misled", profile.path]).output
    lines = text.partition("Where the average-time")[2].splitlines()[3:]
    return {line.split(maxsplit=4)[4] for line in lines if len(line.split(maxsplit=4)) == 5}


def inlined_callers_have_their_calls():
    for name, compiler, flags in (("inlined_counts", COUNTS, ["-g"]),
                                  ("inlined_pg", ["gcc", "-pg"], ["-g"])):
        profile = recorded(name, INLINED, compiler, *flags)
        equal(arcs_into(profile, "work"), {"helper": (10, True)})
        equal(arcs_into(profile, "helper"), {"hard": (None, True)})
        equal(profile.value("select calls from functions where name = 'work'"), 10)
        # As compiled, gprof has easy -> work and hard -> work, and shares by 9 to 1.
        names = misled(profile)
        check(names <= {"easy", "hard", "main -> easy", "main -> hard"}, names)
        equal(sorted(profile.rows("select within_name, calls from call_sites where callee_name ="
                                  " 'work'")), [("easy", 9), ("hard", 1)])


def without_debug_information_they_are_dissolved():
    profile = recorded("inlined_bare", INLINED, COUNTS, "-g0")
    equal(arcs_into(profile, "work"), {"easy": (9, False), "hard": (1, True)})


def with_hooks_nothing_is_claimed():
    profile = recorded("inlined_contexts", INLINED, CONTEXTS, "-g", options=["--stacks"])
    equal(arcs_into(profile, "work"), {"easy": (9, None), "hard": (1, None), "helper": (None, True)})


def callers_that_left_are_put_back():
    profile = recorded("leaves", LEAVES, ["gcc"], "-g")
    equal(arcs_into(profile, "work"), {"step": (None, True)})
    equal(arcs_into(profile, "step"), {"hard": (None, True)})
    equal(arcs_into(profile, "hard"), {"main": (None, True)})
    for name, compiler in (("leaves_counts", COUNTS), ("leaves_pg", ["gcc", "-pg"])):
        profile = recorded(name, LEAVES, compiler, "-g")
        equal(arcs_into(profile, "work"), {"step": (1, True), "easy": (1, False)})
        equal(arcs_into(profile, "step"), {"hard": (1, True)})
        equal(arcs_into(profile, "hard"), {"main": (1, True)})
    profile = recorded("inlined_jump", INLINED_JUMP, COUNTS, "-g")
    equal(arcs_into(profile, "work"), {"helper": (1, True)})
    equal(arcs_into(profile, "helper"), {"hard": (None, True)})


def what_is_in_doubt_has_no_bound():
    for name, source, flags in (("doubt", DOUBT, ["-g"]), ("doubt_bare", DOUBT, ["-g0"])):
        profile = recorded(name, source, COUNTS, *flags)
        equal(arcs_into(profile, "work"),
              {"main": (None, True), "hard": (1, None), "other": (1, None)})
        equal(arcs_into(profile, "hard"), {"main": (2, None)})
        equal(profile.rows("select name, total_ns is null from functions where name in"
                           " ('hard', 'other', 'main') order by name"),
              [("hard", 1), ("main", 0), ("other", 1)])
        equal(misled(profile), set())
    profile = recorded("doubt_plain", DOUBT, ["gcc"], "-g")
    equal(arcs_into(profile, "work"), {"main": (None, True)})


SORTS = """
#include <stdlib.h>
static volatile unsigned long sink;
static int numbers[2000];
__attribute__((noipa)) static int by_size(const void *a, const void *b) {
  for (int i = 0; i < 400; i++) sink += i;
  return *(const int *)a - *(const int *)b;
}
__attribute__((noipa)) static void sorter(void) {
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < 2000; i++) numbers[i] = i * 7919 % 2003;
    qsort(numbers, 2000, sizeof *numbers, by_size);
    sink++;
  }
}
int main(void) {
  sorter();
  return sink == 1;
}
"""


def what_is_called_back_misleads_nobody():
    """gprof's graph lacks calls from qsort: that is not its assumption's fault."""
    profile = recorded("sorts", SORTS, COUNTS, "-g")
    shares = dict(profile.rows("select name, total_ns * 1.0 / (select sum(self_ns) from functions)"
                               " from functions where name in ('sorter', 'by_size')"))
    check(shares["sorter"] > 0.9 and shares["by_size"] > 0.5, str(shares))
    equal(misled(profile), set())


if __name__ == "__main__":
    harness.main(what_is_called_back_misleads_nobody, inlined_callers_have_their_calls, without_debug_information_they_are_dissolved,
                 with_hooks_nothing_is_claimed, callers_that_left_are_put_back,
                 what_is_in_doubt_has_no_bound)
