#!/usr/bin/env python3
"""The summary after `ascribe record`: the program's own functions first, self beside total, names
no wider than a terminal, and each thing by one name."""

import json
import os
import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("summary")
PROGRAM = DIRECTORY / "orders"
OWN = {"worker", "by_trader", "sum_prices", "make_orders"}


def parts(errors):
    """The lines of functions, of the program and of libraries, as (self, total, name)."""
    lines = errors.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("   self %"))
    found = [[], []]
    library = 0
    for line in lines[begin + 1:]:
        if line == "in libraries and their headers":
            library = 1
        row = re.match(r" +([\d.]+) (?:\+-|< ) *[\d.]+ +([\d.]+) (?:\+-|< ) *[\d.]+ +(?:[\d.]+ \w+  )?(.*)",
                       line)
        if row:
            found[library].append((float(row[1]), float(row[2]), row[3]))
    return found


def own_functions_first():
    for options in ([], ["--perf"]):
        result = must([ASCRIBE, "record", *options, "-o", "orders.ascribe", "--", PROGRAM, "300000"],
                      directory=DIRECTORY)
        own, library = parts(result.errors)
        names = [name for _, _, name in own]
        check(3 <= len(own) <= 6 and names[0] == "worker(int, int)", f"{own}")
        names = [name.partition("(")[0] for name in names]
        check(len(OWN & set(names)) >= 3, f"{names}")
        check(not any(name.startswith(("std::", "_", "operator")) for name in names), f"{names}")
        check("main" not in names or "--perf" in options, f"{names}: main only passes on")
        totals = [total for _, total, _ in own]
        sampled = Profile(DIRECTORY / "orders.ascribe").value("select 100.0 * sampled_ns / whole_ns from runs")
        check(totals == sorted(totals, reverse=True) and totals[0] > sampled / 2,
              f"{totals} of {sampled:.1f} % that were sampled")
        check(library and any("mem" in name or "std::" in name for _, _, name in library), f"{library}")
        check(max(map(len, result.errors.splitlines())) <= 110, result.errors)


def as_wide_as_the_terminal():
    if not harness.has_terminals():
        return
    for width in (80, 100):
        status, seen = harness.on_terminal(
            [ASCRIBE, "record", "-o", DIRECTORY / "wide.ascribe", "--", PROGRAM], (40, width))
        rows = [line for line in seen.splitlines() if re.match(r" +[\d.]+ ", line)]
        check(status == 0 and len(rows) > 3 and max(map(len, rows)) <= width, seen)


def what_only_passes_on():
    """C without libraries: main and its like are left out."""
    source = DIRECTORY / "chain.c"
    source.write_text("""
__attribute__((noinline)) void work(void) { for (volatile long i = 0; i < 200000000; i++); }
__attribute__((noinline)) int inner(void) { work(); return 1; }
__attribute__((noinline)) int outer(void) { return inner() + 1; }
int main(void) { return outer() - 2; }""")
    program = harness.compile_program(source, DIRECTORY / "chain", ["-O1"], "counts")
    result = must([ASCRIBE, "record", "-o", "chain.ascribe", "--", program], directory=DIRECTORY)
    lines = [line for line in result.errors.splitlines() if " call " in line]
    check(len(lines) == 1 and lines[0].split()[-1] == "work", result.errors)


def no_certainty_from_samples():
    """However many ticks there are, a share that was sampled is not exact."""
    source = DIRECTORY / "long.c"
    source.write_text("""
__attribute__((noinline)) void work(void) { for (volatile long i = 0; i < 700000000; i++); }
int main(void) { work(); return 0; }""")
    program = harness.compile_program(source, DIRECTORY / "long", ["-O1"], "counts")
    result = must([ASCRIBE, "record", "--rate", "10000", "-o", "long.ascribe", "--", program],
                  directory=DIRECTORY)
    rows = [line for line in result.errors.splitlines() if line.endswith(" work")]
    check(len(rows) == 1 and "+- 0." in rows[0] and "+- 0.0" not in rows[0], result.errors)


def one_name_for_each():
    """The demangler's names and the debug information's are spelled alike."""
    profile = Profile(DIRECTORY / "orders.ascribe")
    names = [name for name, in profile.rows("select name from functions")]
    for wrong in ("<lambda", "{lambda(", ", std::allocator<Order> >", "const Order&"):
        check(not any(wrong in name for name in names),
              f"{wrong}: {[name for name in names if wrong in name]}")
    check(any("worker(int, int)::{lambda}" in name for name in names), f"{names}")
    check(any("std::vector<Order>" in name for name in names), f"{names}")


def calls_that_were_inlined():
    """No count is known, and the report says why, once."""
    program = harness.compile_program(harness.SOURCE / "tests/scenarios/orders.cc",
                                      DIRECTORY / "counted", ["-O2"], "counts", link=["-pthread"])
    must([ASCRIBE, "record", "-q", "-o", "counted.ascribe", "--", program], directory=DIRECTORY)
    report = must([ASCRIBE, "report", "--flat", "--limit", "all", "counted.ascribe"],
                  directory=DIRECTORY).output
    rows = [line for line in report.splitlines() if "by_trader(" in line]
    check(len(rows) == 1 and re.search(r" inlined +\S+ +\S+  by_trader", rows[0]), f"{rows}")
    check(report.count("--expressions counts them") == 1, report)


def totals_that_are_not_known():
    """Without stacks, of library code: its self time is no total."""
    source = DIRECTORY / "moves.c"
    source.write_text("#include <string.h>\n#include <stdlib.h>\n"
                      "int main(void) { char *block = malloc(1 << 26);"
                      " for (int i = 0; i < 12; i++) memset(block, i, 1 << 26); return *block == 0; }\n")
    program = harness.compile_program(source, DIRECTORY / "moves", ["-O1"])
    errors = must([ASCRIBE, "record", "-o", "moves.ascribe", "--", program], directory=DIRECTORY).errors
    times = re.findall(r"^ +[\d.]+ (?:\+-|< ) *[\d.]+ +- +(\S+) ", errors, re.MULTILINE)
    check(times and set(times) == {"-"}, errors)


def mine():
    """--mine leaves the program's own functions; the time of the others is told."""
    output = DIRECTORY / "mine.ascribe"
    must([ASCRIBE, "record", "-q", "-o", output, "--", PROGRAM], directory=DIRECTORY)
    listed = json.loads(must([ASCRIBE, "report", "--mine", "--json", "--flat", output]).output)["functions"]
    names = {function["name"] for function in listed}
    check(all(function["own"] for function in listed), f"{listed}")
    check(any("make_orders" in name for name in names), f"{names}")
    check(not any(name.startswith(("std::", "_start", "ascribe_", "__libc")) for name in names), f"{names}")
    flat = must([ASCRIBE, "report", "--mine", "--flat", output]).output
    check(re.search(r"^ *[0-9.]+ % of the time in \d+ functions of libraries and the system \(not --mine\)$", flat, re.M), flat)
    shares = [float(row.split()[0]) for row in flat.partition("Flat profile")[2].splitlines()[3:] if row.strip()]
    check(abs(sum(shares) - 100) < 0.06 * len(shares), f"{shares} sum to {sum(shares)}")


def daemon():
    """It goes on, and what it does from then on is nowhere: that is said."""
    source = DIRECTORY / "daemon.c"
    source.write_text("""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
  if (argc > 2) { /* a child that the recorder's runtime has not met yet */
    if (syscall(SYS_fork)) return 0;
    for (int file = 0; file < 3; file++) close(file);
    return sleep(60);
  }
  int begun[2];
  char byte;
  pipe(begun);
  if (fork()) return read(begun[0], &byte, 1) != 1; /* its child has run, and it waits for nobody */
  for (int file = 0; file < 3; file++) close(file);
  while (clock() < CLOCKS_PER_SEC / 20);
  write(begun[1], &byte, 1);
  sleep(argc > 1 ? 60 : 0);
  return 0;
}""")
    program = harness.compile_program(source, DIRECTORY / "daemon", ["-O1"], False)
    for options, words in (([], ["stays"]), (["--perf"], ["stays"]), ([], ["stays", "early"])):
        result = must(["timeout", "50", ASCRIBE, "record", *options, "-o", "daemon.ascribe", "--",
                       program, *words], directory=DIRECTORY)
        found = re.search(r"process (\d+) still runs, .*: ascribe record --pid \1", result.errors)
        check(found, result.errors)
        os.kill(int(found[1]), signal.SIGKILL)
    result = must([ASCRIBE, "record", "-o", "daemon.ascribe", "--", "true"], directory=DIRECTORY)
    check("still run" not in result.errors, result.errors)


if __name__ == "__main__":
    must(["g++", "-O2", "-g", "-pthread", harness.SOURCE / "tests/scenarios/orders.cc", "-o", PROGRAM])
    harness.main(own_functions_first, as_wide_as_the_terminal, what_only_passes_on, no_certainty_from_samples,
                 one_name_for_each, calls_that_were_inlined, totals_that_are_not_known,
                 mine, daemon)
