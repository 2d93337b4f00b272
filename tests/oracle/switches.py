#!/usr/bin/env python3
"""Which way switches went, as often as gcov says, in C, C++ and Fortran, however they are optimised.
Each way is told by its values."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("switches")

# Other lines than gcov's: it has a switch that stands in another on the line of the label before it.
PROGRAM = """#include <stdio.h>
enum color { RED, GREEN, BLUE = 7, GREY };
#define PICK(x, a) do { switch (x) { case 1: a++; break; case 2: a += 3; } switch (x & 3) { case 0: a += 2; break; case 1: a += g(a & 3); } } while (0)
#define CASE(n) case n: s += g(n); break
static __attribute__((noipa)) int g(int n) { return n + 1; }
static __attribute__((noipa)) int h(int n) { return n + 2; }
static inline int inlined(int n) {
  switch (n % 5) { /* inlined */
  case 0: return g(1);
  case 1: return g(7);
  default: return h(3);
  }
}
static __attribute__((noipa)) int enums(enum color c) {
  int r = 0;
  switch (c) { /* enum */
  case RED:
    r += g(1);
    /* falls through */
  case GREEN:
    r += h(2);
    break;
  case BLUE:
    r += g(3);
    break;
  }
  return r;
}
static __attribute__((noipa)) int ranges(long n) {
  switch (n) { /* ranges */
  case 1 ... 5: return g(1);
  case 6: case 9: return h(2);
  case -3: return h(g(4));
  case 100: break;
  default: g(7);
  }
  return 0;
}
static __attribute__((noipa)) int nested(int a, int b) {
  switch (a) { /* outer */
  case 0: /* label */
    switch (b) { /* inner */
    case 0: return g(1);
    case 1: return h(2);
    }
    return 3;
  case 1: return g(4);
  }
  return 5;
}
static __attribute__((noipa)) int many(unsigned n) {
  switch (n % 20) { /* many */
  case 0: return g(3); case 1: return h(5); case 2: return g(11); case 3: return h(12);
  case 5: return g(1); case 7: return h(31); case 8: return g(15); case 12: return h(71);
  case 13: return g(112); case 15: return h(41);
  default: return g(100);
  }
}
static __attribute__((noipa)) int letters(char c) {
  switch (c) { /* letters */
  case ' ': case 'x': case 'z': return g(1);
  case '-': case '+': case '.': case '/': case 'y': return h(2);
  }
  return 0;
}
static __attribute__((noipa)) int sparse(int c) {
  switch (c) { /* sparse */
  case 1: return g(1);
  case 1000: return g(2);
  case 2000: return g(3);
  case 50000: return g(5);
  default: break;
  }
  return 0;
}
static __attribute__((noipa)) int labels(int n) {
  int s = 0;
  switch (n) { /* macro's labels */
  CASE(1);
  CASE(2);
  }
  return s;
}
static __attribute__((noipa)) int never(int n) {
  switch (n) { /* never */
  case 1: return g(1);
  case 2: return g(2);
  }
  return 0;
}
int main(int count, char **arguments) {
  int sum = 0, last = 0;
  for (int i = 0; i < 100; i++) {
    sum += inlined(i) + inlined(i * 3) * 2;
    sum += enums(i % 3 ? RED : i % 2 ? BLUE : GREY) + enums(GREEN);
    sum += ranges(i - 5) + nested(i % 3, i % 4) + many((unsigned)i * i);
    sum += letters((char)i) + letters('x') + sparse(i * 1000) + labels(i % 4);
    PICK(i % 5, sum); /* two in a macro */
    while (last < i) switch (i & 7) { case 0: last += g(7); case 1: last += 9; break; default: last++; } /* loop */
  }
  if (count > 5) sum += never(count);
  printf("%d %d %s\\n", sum, last, count > 5 ? arguments[1] : "");
  return 0;
}
"""

EXPECTED = {
    "inlined": {"case 0": 40, "case 1": 40, "default": 120},
    "enum": {"case RED": 66, "case GREEN": 100, "case BLUE": 17, "no case": 17},
    "ranges": {"case -3": 1, "case 1 ... 5": 5, "case 6, 9": 2, "case 100": 0, "default": 92},
    "outer": {"case 0": 34, "case 1": 33, "no case": 33},
    "inner": {"case 0": 9, "case 1": 8, "no case": 17},
    "many": {"case 0": 10, "case 1": 20, "case 2": 0, "case 3": 0, "case 5": 10, "case 7": 0, "case 8": 0,
             "case 12": 0, "case 13": 0, "case 15": 0, "default": 60},
    "letters": {"case ' ', 'x', 'z'": 101, "case '+', '-' ... '/', 'y'": 4, "no case": 95},
    "sparse": {"case 1": 0, "case 1000": 1, "case 2000": 1, "case 50000": 1, "default": 97},
    "macro's labels": {"case 1": 25, "case 2": 25, "no case": 50},
    "never": {"case 1": 0, "case 2": 0, "no case": 0},
}
NESTED = {"inner": "label"}

FORTRAN = """program choices
  implicit none
  integer :: i, few, many, text
  character(len=5) :: word
  character(len=1) :: one
  few = 0
  many = 0
  text = 0
  do i = 1, 60
    select case (mod(i, 10)) ! numbers
    case (0)
      few = few + 1
    case (2:4, 7)
      few = few + many
    case default
      many = many + 1
    end select
    select case (i) ! open
    case (:5)
      few = few + many
    case (50:)
      few = few + 2
    end select
    word = 'other'
    if (mod(i, 3) == 0) word = 'abc'
    if (mod(i, 4) == 0) word = 'zebra'
    select case (word) ! words
    case ('abc', 'b')
      text = text + 1
    case ('m':'zzzzz')
      text = text + many
    case default
      text = text + 100
    end select
    one = 'a'
    if (mod(i, 2) == 0) one = 'x'
    select case (one) ! letters
    case ('a')
      text = text + 1
    case ('b':'f')
      text = text + few
    end select
    select case (mod(i, 5)) ! empty
    case (1)
    case (2)
      few = few + 1
    end select
  end do
  print *, few, many, text
end program
"""

EXPECTED_FORTRAN = {
    "numbers": {"case (0)": 6, "case (2:4, 7)": 24, "default": 30},
    "open": {"case (:5)": 5, "case (50:)": 11, "no case": 44},
    "words": {"case ('abc', 'b')": 15, "case ('m':'zzzzz')": 45, "default": 0},
    "letters": {"case ('a')": 30, "case ('b':'f')": 0, "no case": 30},
    "empty": {"case (1)": 12, "case (2)": 12, "no case": 36},
}

PROGRAMS = {".c": (PROGRAM, EXPECTED, r"switch.*/\* (.*) \*/"),
            ".cc": (PROGRAM, EXPECTED, r"switch.*/\* (.*) \*/"),
            ".f90": (FORTRAN, EXPECTED_FORTRAN, r"select case.*! (.*)")}


def recorded(suffix, level):
    name = level + suffix.replace(".", "-")
    source, program = DIRECTORY / f"program{suffix}", DIRECTORY / name
    source.write_text(PROGRAMS[suffix][0])
    must([ASCRIBE, harness.INSTRUMENTED[suffix], "--expressions", level, "-g", source, "-o", program])
    must([ASCRIBE, "record", "-q", "--rate", "0", "-o", f"{program}.ascribe", program])
    return source, f"{program}.ascribe"


def lines_of(source, profile):
    report = json.loads(must([ASCRIBE, "report", "--json", "--source", source, profile]).output)
    return {line["line"]: line for line in report["source"][0]["lines"]}


def named(suffix):
    """The switches by their comments, with their lines."""
    text, _, comment = PROGRAMS[suffix]
    return {found[1]: number for number, line in enumerate(text.splitlines(), 1)
            if (found := re.search(comment, line)) and not line.startswith("#")}


def ways_of(line):
    """Of the one switch on the line, with labels: label -> count."""
    ways, = line["switches"]
    return {way["label"]: way["count"] for way in ways}


def stands_at(suffix, texts, way):
    """Whether the way's line is that of its label; of Fortran the first statement behind it."""
    if way["label"] == "no case":
        return way["line"] is None
    text = texts[way["line"] - (2 if suffix == ".f90" else 1)]
    if way["label"] == "default" or suffix == ".f90":
        return way["label"] in text
    values = re.sub(r" \.\.\. .*|, .*", "", way["label"]) # the first one
    return values in text or "CASE" in text or way["label"] == "case '+', '-' ... '/', 'y'"


def told_by_values():
    for suffix, (text, expected, _) in PROGRAMS.items():
        for level in "-O0", "-Og", "-O2", "-O3", "-Os":
            source, profile = recorded(suffix, level)
            lines, texts = lines_of(source, profile), text.splitlines()
            for name, number in named(suffix).items():
                if name not in expected:
                    continue
                check(ways_of(lines[number]) == expected[name],
                      f"{suffix} {level} {name}: {lines[number]['switches']}")
                for way in lines[number]["switches"][0] if name != "empty" else []:
                    check(stands_at(suffix, texts, way), f"{suffix} {level} {name}: {way}")


def gcovs_branches(suffix):
    directory = DIRECTORY / f"gcov-{suffix[1:]}"
    directory.mkdir(exist_ok=True)
    source = directory / f"program{suffix}"
    source.write_text(PROGRAMS[suffix][0])
    must([harness.BARE[suffix], "-O0", "--coverage", source, "-o", directory / "program"],
         directory=directory)
    for old in directory.glob("*.gcda"):
        old.unlink()
    must([directory / "program"], directory=directory)
    data = next(directory.glob("*.gcda")).name
    files = json.loads(must(["gcov", "-b", "--json-format", "--stdout", data],
                            directory=directory).output)["files"]
    return {line["line_number"]: sorted(branch["count"] for branch in line["branches"]
                                        if not branch["throw"])
            for line in files[0]["lines"] if line["branches"]}


def as_many_as_gcov():
    for suffix in PROGRAMS:
        truth = gcovs_branches(suffix)
        source, profile = recorded(suffix, "-O0")
        ours = {number: sorted(sum(line["branches"], []) +
                               [way["count"] for ways in line["switches"] for way in ways])
                for number, line in lines_of(source, profile).items()
                if line["branches"] or line["switches"]}
        lines = named(suffix)
        if suffix == ".f90": # gcov has them on the last line of their code
            every = [sorted(sum(counts.values(), [])) for counts in (ours, truth)]
            check(every[0] == every[1], f"{suffix}: {ours}\ngcov: {truth}")
            continue
        label = next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if "/* label */" in line)
        if label in truth: # up to gcov 13
            ours[label] = ours.pop(lines["inner"])
        check(ours == truth, f"{suffix}: line: (ours, gcov's): " +
              str({line: (ours.get(line), truth.get(line)) for line in set(ours) | set(truth)
                   if ours.get(line) != truth.get(line)}))


def reported():
    source, profile = recorded(".c", "-O0")
    text = must([ASCRIBE, "report", "--source", source, profile]).output
    lines = {name: number for name, number in named(".c").items()}
    check(f"switch: case RED (line {lines['enum'] + 1}): 33 %; case GREEN (line {lines['enum'] + 4}): 50 %;"
          f" case BLUE (line {lines['enum'] + 7}): 8.5 %; no case: 8.5 %" in text, text)
    check("; 6 others: 0 % (--all)" in text, text)
    check("6 others" not in must([ASCRIBE, "report", "--all", "--source", source, profile]).output, text)
    check("switch: case 1: 20 %; case 2: 20 %; no case: 60 %\n" in text, text)
    head = re.search(r", (\d+) of (\d+) branches", text)
    trace = must([ASCRIBE, "export", "--to", "lcov", "-o", "-", profile]).output
    check(trace.count("BRDA:") == int(head[2]), head[0])
    many = re.findall(rf"^BRDA:{lines['many']},(\d+),(\d+),(\d+|-)$", trace, re.M)
    check(len({block for block, _, _ in many}) == 1 and
          [int(count) for _, _, count in many] == list(EXPECTED["many"].values()), f"{many}")
    never = re.findall(rf"^BRDA:{lines['never']},\d+,\d+,(.*)$", trace, re.M)
    check(never == ["-"] * 3, f"{never}")


def merged():
    _, profile = recorded(".c", "-O0")
    both = DIRECTORY / "both.ascribe"
    must([ASCRIBE, "merge", "-o", both, profile, profile])
    cases = "select line, way, label, label_line, {} from expressions where kind = 'case' order by 1, 2, 3"
    check(Profile(both).rows(cases.format("count")) == Profile(profile).rows(cases.format("2 * count")),
          "twice")
    result = harness.run([ASCRIBE, "diff", "--of", "expressions", "--fail-if", "b.calls != 2 * a.calls",
                          profile, both])
    check(result.status == 0, result.output + result.errors)


if __name__ == "__main__":
    harness.main(told_by_values, as_many_as_gcov, reported, merged)
