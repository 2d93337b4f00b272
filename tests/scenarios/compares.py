#!/usr/bin/env python3
"""ascribe diff and ascribe growth, on profiles of one program with inputs of several sizes."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must, run

DIRECTORY = harness.scratch("compares")
SOURCE = DIRECTORY / "grows.c"
GROWS = """
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void work(void) { for (int i = 0; i < 300; i++) sink += i; }
__attribute__((noinline)) static void touch(void) { work(); }
__attribute__((noinline)) static void linear(int n) { for (int i = 0; i < 20 * n; i++) touch(); }
__attribute__((noinline)) static void square(int n) { for (int i = 0; i < n * n; i++) work(); }
int main(int count, char **arguments) {
  int n = atoi(arguments[1]);
  linear(n);
  square(n);
  return 0;
}
"""
SIZES = [100, 200, 400]


def path(n):
    return DIRECTORY / f"{n}.ascribe"


def record_sizes():
    SOURCE.write_text(GROWS)
    program = harness.compile_program(SOURCE, DIRECTORY / "grows", ["-O1", "-g"])
    for n in SIZES:
        result = harness.record(program, DIRECTORY, ["-q"], [str(n)], output=path(n))
        check(result.status == 0, result.errors)


def diff(*options):
    return json.loads(must([ASCRIBE, "diff", "--json", *options, path(100), path(200)]).output)


def differences():
    found = diff("--by", "b.calls - 2 * a.calls", "--limit", "0")
    values = {row["name"]: row["value"] for row in found["functions"]}
    check(values["work"] == 20 * 200 + 200 ** 2 - 2 * (20 * 100 + 100 ** 2), str(values))
    check("touch" not in values, f"touch has no difference: {values}")
    check(all(row["stands_out"] for row in found["functions"]), "counts are exact")
    same = json.loads(must([ASCRIBE, "diff", "--json", path(100), path(100)]).output)
    check(same["functions"] == [], f"a profile differs from itself: {same['functions']}")
    text = must([ASCRIBE, "diff", "--by", "b.calls / a.calls", path(100), path(200)]).output
    check("1 means no difference" in text and " touch" in text, text)


def conditions():
    holds = run([ASCRIBE, "diff", "--fail-if", "b.calls > 3 * a.calls", path(100), path(200)])
    check(holds.status == 3 and " work\n" in holds.output, f"{holds.ending}: {holds.output}")
    check("1 function fulfils b.calls > 3 * a.calls" in holds.output, holds.output)
    not_held = run([ASCRIBE, "diff", "--fail-if", "b.calls > 9 * a.calls", path(100), path(200)])
    check(not_held.status == 0 and "holds nowhere" in not_held.output, not_held.output)


def growth():
    sizes = [f"n={n}:{path(n)}" for n in SIZES]
    found = json.loads(must([ASCRIBE, "growth", "--json", "--limit", "0", *sizes]).output)
    rows = {row["name"]: row for row in found["functions"]}
    check(abs(rows["touch"]["calls"]["exponent"] - 1) < 1e-6, str(rows["touch"]))
    check(abs(rows["main"]["calls"]["exponent"]) < 1e-6, str(rows["main"]))
    check(1.7 < rows["work"]["calls"]["exponent"] < 2, str(rows["work"]))
    check(not rows["touch"]["calls"]["faster"], "touch grows slower than the whole")
    check("(the whole)" in must([ASCRIBE, "growth", *sizes]).output, "text")


def refused(part, *words, status=1):
    result = run([ASCRIBE, *words])
    check(result.status == status, f"{words}: {result.ending}: {result.errors}")
    check(part in result.errors and result.errors.count("\n") == 1,
          f"no {part!r} in {result.errors!r}")
    check(not result.output, result.output)


def refusals():
    refused("no such column: b.cals", "diff", "--by", "b.cals", path(100), path(200))
    refused("is no profile of Ascribe", "diff", path(100), SOURCE)
    refused("cannot be read", "diff", path(100), DIRECTORY / "none.ascribe")
    refused("two profiles", "diff", path(100), status=2)
    refused("two sizes", "growth", f"n=1:{path(100)}", status=2)
    refused("SIZE above 0", "growth", f"n=0:{path(100)}", f"n=1:{path(100)}", status=2)


def scenario():
    record_sizes()
    for part in (differences, conditions, growth, refusals):
        print(part.__name__)
        part()


if __name__ == "__main__":
    harness.main(scenario)
