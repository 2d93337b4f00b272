#!/usr/bin/env python3
"""Conditions that share a place in the source stay apart: what `a && b` in C++ is made of, each
with its own ways.  Counts of the source are judged by what was executed; gcov has as many branches
as that, where it counts at the same place."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must

DIRECTORY = harness.scratch("branches")
SOURCE = DIRECTORY / "ways.cc"
PROGRAM = """#include <cstdio>
#include <map>
#include <string>
static bool __attribute__((noinline)) is_long(const std::string &text) { return text.size() > 1; }
int main(int count, char **) {
  std::map<std::string, int> known{{"a", 1}, {"bb", 2}};
  int sum = 0, i = 0, j = 0;
  if (known.begin() != known.end() && is_long("yy")) /* true and true */
    sum++;
  if (count > 5 && is_long("z")) /* false */
    sum += 5;
  if (count > 9)
    if (sum > 100) /* never come to */
      sum--;
  do {
    i++;
  } while (i < 100);
  while (j < 60)
    j++;
  std::printf("%d\\n", sum + i + j);
  return 0;
}
"""


def recorded(level="-O1"):
    program, profile = DIRECTORY / f"ways{level}", DIRECTORY / f"ways{level}.ascribe"
    must([ASCRIBE, "cc", "--expressions", level, "-g", SOURCE, "-o", program, "-lstdc++"])
    must([ASCRIBE, "record", "-q", "--rate", "0", "-o", profile, program])
    return profile


def report(profile):
    return json.loads(must([ASCRIBE, "report", "--json", "--source", SOURCE, profile]).output)


def ways(profile):
    """Line -> the counts of the ways of its conditions."""
    source, = report(profile)["source"]
    return {line["line"]: line["branches"] for line in source["lines"]}


def stay_apart():
    """Each condition of the source was come to once at most, and went one way."""
    found = ways(recorded())
    for line in (8, 10):
        check(len(found[line]) >= 2, f"line {line}: {found[line]}")
        check(all(sorted(pair) in ([0, 0], [0, 1]) for pair in found[line]), f"{line}: {found[line]}")
    check(found[13] == [[0, 0]], f"{found[13]}")


def of_loops_too():
    found = ways(recorded())
    check(found[17] == [[99, 1]], f"back to the beginning first: {found[17]}")
    check(found[18] == [[60, 1]], f"into the loop first: {found[18]}")
    check(found[12] == [[0, 1]], f"{found[12]}")


SENSES = """static __attribute__((noipa)) int f(int x) { return x * 3 + 1; }
static __attribute__((noipa)) int chosen(int v, int a, int b) { return v > 0 ? f(a) : b; }
static __attribute__((noipa)) int both(int v, int a) { int r = v > 0 && f(a); return r; }
static __attribute__((noipa)) int either(int v, int a) {
  if (v > 0 || f(a) > 100)
    return 5;
  return 6;
}
int main() {
  int s = 0;
  for (int i = 0; i < 10; i++)
    s += chosen(i < 3, i, 2) + both(i < 3, i) + either(i < 3, i);
  return s == 7;
}
"""


def first_if_it_holds():
    """`v > 0` holds in three of ten calls, whatever became of the comparison."""
    source, program = DIRECTORY / "senses.c", DIRECTORY / "senses"
    source.write_text(SENSES)
    for level in "-O0", "-O2":
        must([ASCRIBE, "cc", "--expressions", level, "-g", source, "-o", program])
        must([ASCRIBE, "record", "-q", "--rate", "0", "-o", f"{program}.ascribe", program])
        found = json.loads(must([ASCRIBE, "report", "--json", "--source", source,
                                 f"{program}.ascribe"]).output)["source"][0]["lines"]
        lines = {line["line"]: line["branches"] for line in found}
        for line in 2, 3, 5:
            check(lines[line] and lines[line][0] == [3, 7], f"{level} line {line}: {lines[line]}")


def tracefiles():
    """A branch is there once, and as many were taken as the report says."""
    for level in "-O0", "-O1":
        profile = recorded(level)
        text = must([ASCRIBE, "export", "--to", "lcov", "-o", "-", profile]).output
        for part in text.split("end_of_record"):
            branches = re.findall(r"^BRDA:(\d+),(\d+),(\d+),(\d+|-)$", part, re.M)
            check(len({branch[:3] for branch in branches}) == len(branches), part)
        taken = len(re.findall(r"^BRDA:\d+,\d+,\d+,[1-9]\d*$", text, re.M))
        head = must([ASCRIBE, "report", profile]).output
        said = re.search(r", (\d+) of (\d+) branches", head)
        check((taken, text.count("BRDA:")) == (int(said[1]), int(said[2])), f"{taken}: {said[0]}")
        of_source = text[text.index(f"SF:{SOURCE}"):].split("end_of_record")[0]
        never = re.findall(r"^BRDA:13,\d+,\d+,(.*)$", of_source, re.M)
        check(set(never) <= {"-"}, f"never come to: {never}")


def as_many_as_gcov():
    directory = DIRECTORY / "gcov"
    directory.mkdir(exist_ok=True)
    must(["g++", "-O0", "--coverage", SOURCE, "-o", directory / "ways"], directory=directory)
    must([directory / "ways"], directory=directory)
    must(["gcov", "-b", "-c", next(directory.glob("*.gcda")).name], directory=directory)
    text = (directory / "ways.cc.gcov").read_text()
    found = ways(recorded())
    for line in (12, 13, 17, 18):
        of_line = re.search(rf"^ *[-\d#=*]+: +{line}:.*\n((?:(?:branch|call|unconditional).*\n)*)",
                            text, re.M)[1]
        taken = sorted(int(count or 0) for count in
                       re.findall(r"^branch +\d+ (?:taken (\d+)|never executed)", of_line, re.M))
        check(taken == sorted(sum(found[line], [])), f"line {line}: gcov {taken}, {found[line]}")


def lines_as_compared():
    """Another view of the same figures: a profile beside itself."""
    profile = recorded()
    source, = report(profile)["source"]
    said = {line["line"]: line["executed"] for line in source["lines"] if line["executed"]}
    compared = json.loads(must([ASCRIBE, "diff", "--json", "--of", "lines", "--by",
                                "a.calls + b.calls", "--limit", "0", profile, profile]).output)
    found = {row["line"]: row["value"] / 2 for row in compared["lines"]
             if row["file"] == str(SOURCE) and row["value"]}
    check(found == said, f"compared {found}\nreported {said}")


if __name__ == "__main__":
    SOURCE.write_text(PROGRAM)
    harness.main(stay_apart, of_loops_too, first_if_it_holds, tracefiles, as_many_as_gcov,
                 lines_as_compared)
