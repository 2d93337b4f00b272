#!/usr/bin/env python3
"""`ascribe cc --expressions`: lines were executed as often as gcov says of an unoptimized build; in an
optimized one copies add up at their source, and what is not there has no count."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("oracle-expressions")
SOURCE = """#include <stdio.h>
static int is_odd(int n) {
  return n & 1;
}
static inline int scale(int n) {
  if (n % 3 == 0)
    return n * 2;
  return n + 7;
}
int never(int n) {
  return n + 1;
}
static int collatz(int n) {
  int steps = 0;
  while (n != 1) {
    n = is_odd(n) ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}
int main(int argc, char **argv) {
  long sum = 0;
  for (int i = 0; i < 100; i++) {
    if (is_odd(i))
      sum += scale(i);
    else
      sum -= i;
  }
  switch (argc) {
  case 1:
    puts("one");
    break;
  case 2:
    puts("two");
    break;
  default:
    puts("many");
  }
  if (argc > 3)
    never(argc);
  for (int k = 1; k < 30; k++)
    sum += collatz(k);
  for (int k = 0; k < 3; k++)
    printf("%ld\\n", sum);
  return 0;
}
"""


def recorded(flags, name):
    (DIRECTORY / "e.c").write_text(SOURCE)
    must([ASCRIBE, "cc", "--expressions", *flags, "e.c", "-o", name], directory=DIRECTORY)
    result = harness.record(f"./{name}", DIRECTORY, ["--quiet", "--rate", "0"],
                            output=f"{name}.ascribe")
    check(result.status == 0, result.errors)
    return Profile(DIRECTORY / f"{name}.ascribe")


def lines_of(name):
    """What the report and its export say of each line."""
    text = must([ASCRIBE, "export", "--to", "lcov", f"{name}.ascribe", "-o", "-"],
                directory=DIRECTORY).output
    return {int(line[3:].split(",")[0]): int(line.split(",")[1])
            for line in text.splitlines() if line.startswith("DA:")}


def gcov_lines():
    must(["gcc", "--coverage", "-O0", "e.c", "-o", "judged"], directory=DIRECTORY)
    (DIRECTORY / "judged-e.gcda").unlink(missing_ok=True)
    must(["./judged"], directory=DIRECTORY)
    text = must(["gcov", "--json-format", "--stdout", "judged-e.gcda"], directory=DIRECTORY).output
    (file,) = json.loads(text)["files"]
    return {line["line_number"]: line["count"] for line in file["lines"]}


def lines_equal_gcovs():
    """gcov also counts the lines of a function's braces and `else`, which have no expression."""
    recorded(["-O0", "-g"], "plain")
    ours, truth = lines_of("plain"), gcov_lines()
    wrong = {line: (count, truth.get(line)) for line, count in ours.items()
             if truth.get(line) != count}
    check(not wrong, f"ours, gcov's: {wrong}")
    left_out = [line for line in truth if line not in ours]
    texts = SOURCE.splitlines()
    for line in left_out:
        text = texts[line - 1].strip()
        check(text.endswith("{") or text in ("}", "break;", "default:"), f"line {line}: {text}")


def copies_add_up():
    """In main is_odd was inlined twice, once by way of collatz."""
    profile = recorded(["-O2", "-g"], "optimized")
    ours, truth = lines_of("optimized"), gcov_lines()
    for line in 3, 6, 7, 8, 24, 25, 27:
        check(ours[line] == truth[line], f"line {line}: {ours[line]}, gcov says {truth[line]}")
    check(profile.value("select count(*) from expressions where function_name = 'is_odd'") > 0,
          "is_odd has no expressions of its own")
    never = profile.rows("select count from expressions where function_name = 'never'")
    check(never and all(count == 0 for (count,) in never), "never ran")
    call = SOURCE.splitlines().index("    never(argc);") + 1
    check(call not in ours, "a call that was optimized away has a count")
    report = must([ASCRIBE, "report", "--source", "e.c", "optimized.ascribe"],
                  directory=DIRECTORY).output
    check("branches: 50 % 50 %" in report and "lines with code" in report, report)


def without_g():
    """Counts have no place in the source then, which is said."""
    profile = recorded(["-O2", "-g0"], "stripped")
    check(profile.value("select count(*) from expressions") == 0, "expressions without -g")
    check(profile.calls("main") == 1, "calls")
    report = must([ASCRIBE, "report", "stripped.ascribe"], directory=DIRECTORY).output
    check("build it with -g" in report, report)


def not_used_is_said():
    (DIRECTORY / "e.c").write_text(SOURCE)
    said = must([ASCRIBE, "cc", "--contexts", "--expressions", "--ascribe-explain", "-c", "e.c"],
                directory=DIRECTORY)
    check("--expressions needs counters" in said.output + said.errors, said.output + said.errors)


if __name__ == "__main__":
    harness.main(lines_equal_gcovs, copies_add_up, without_g, not_used_is_said)
