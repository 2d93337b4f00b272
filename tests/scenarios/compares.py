#!/usr/bin/env python3
"""ascribe diff and ascribe growth, on profiles of one program with inputs of several sizes."""

import json
import math
import pathlib
import re
import shutil
import sqlite3
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
    verdict = same["verdict"]
    check(verdict["words"][0] == "no difference" and verdict["whole"] == "within chance", str(verdict))
    check(verdict["stand_out"] == verdict["certain"] == verdict["calls_differ"] == 0, str(verdict))
    text = must([ASCRIBE, "diff", "--by", "b.self - a.self", path(100), path(200)]).output
    check("certain: " in text and f" {20 * 100 + 100 ** 2} -> {20 * 200 + 200 ** 2}" in text, text)
    check("certain: 4 functions (counted)" in must([ASCRIBE, "diff", "--by", "b.calls - 2 * a.calls", path(100), path(200)]).output,
          str(found["verdict"]))
    text = must([ASCRIBE, "diff", "--by", "b.calls / a.calls", path(100), path(200)]).output
    check("1 means no difference" in text and " touch" in text, text)


def judged_together():
    """Chance moves nothing in functions that never ran."""
    source = DIRECTORY / "idle.c"
    source.write_text(GROWS + "".join(f"int idle_{i}(void) {{ return {i}; }}\n" for i in range(40)))
    program = DIRECTORY / "idle"
    must([ASCRIBE, "cc", "-O1", "-g", "-o", program, source])
    for side in (1, 2):
        must([ASCRIBE, "record", "-q", "-o", f"idle{side}.ascribe", "--", program, "1000"], directory=DIRECTORY)
    pair = [DIRECTORY / f"idle{side}.ascribe" for side in (1, 2)]
    count = json.loads(must([ASCRIBE, "diff", "--json", *pair]).output)["judged_together"]
    check(1 <= count < 30, f"{count} functions")
    text = must([ASCRIBE, "diff", "--limit", "0", *pair]).output
    told = "1 function is judged" if count == 1 else f"{count} functions are judged together"
    check(told in text or "~" not in text, text)


def units():
    """Amounts have their unit; what is not there is told; so are other programs."""
    text = must([ASCRIBE, "diff", "--by", "b.total", "--limit", "0", path(100), path(SIZES[-1])]).output
    rows = [line for line in text.splitlines() if line.endswith(" main")]
    check(len(rows) == 1 and (" ms " in rows[0].split("+-")[0][:24] or " s " in rows[0][:24] or " us " in rows[0][:24]), text)
    check("different programs" not in text, text)
    other = DIRECTORY / "another.ascribe"
    program = DIRECTORY / "another"
    shutil.copy(DIRECTORY / "grows", program)
    check(harness.record(program, DIRECTORY, ["-q"], ["200"], output=other).status == 0, "recorded")
    text = must([ASCRIBE, "diff", "--by", "b.count - a.count", path(100), other]).output
    check("different programs (grows; another)" in text, text)
    found = json.loads(must([ASCRIBE, "diff", "--json", path(100), other]).output)
    check(found["same_program"] is False and diff()["same_program"] is True, str(found)[:300])


def conditions():
    holds = run([ASCRIBE, "diff", "--fail-if", "b.calls > 3 * a.calls", path(100), path(200)])
    check(holds.status == 3 and " work\n" in holds.output, f"{holds.ending}: {holds.output}")
    check("1 function fulfils b.calls > 3 * a.calls" in holds.output, holds.output)
    not_held = run([ASCRIBE, "diff", "--fail-if", "b.calls > 9 * a.calls", path(100), path(200)])
    check(not_held.status == 0 and "no entry meets the condition" in not_held.output, not_held.output)


def growth():
    sizes = [f"n={n}:{path(n)}" for n in SIZES]
    found = json.loads(must([ASCRIBE, "growth", "--json", "--limit", "0", *sizes]).output)
    rows = {row["name"]: row for row in found["functions"]}
    check(abs(rows["touch"]["calls"]["exponent"] - 1) < 1e-6, str(rows["touch"]))
    check(abs(rows["main"]["calls"]["exponent"]) < 1e-6, str(rows["main"]))
    check(1.7 < rows["work"]["calls"]["exponent"] < 2, str(rows["work"]))
    check(not rows["touch"]["calls"]["faster"], "touch grows slower than the whole")
    check("(the whole)" in must([ASCRIBE, "growth", *sizes]).output, "text")


RECURSIVE = """
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noipa)) static int fib(int n) { return n < 2 ? 1 : fib(n - 1) + fib(n - 2); }
__attribute__((noipa)) static void list(int n) {
  sink += n;
  if (n) list(n - 1);
  sink++;
}
int main(int count, char **arguments) {
  int n = atoi(arguments[1]);
  for (int i = 4; i <= n / 4; i *= 2)
    fib(i);
  list(100 * n);
  return 0;
}
"""


def recursion():
    """Calls are all calls, those of a function by itself too: in views, JSON, diff and growth."""
    source, program = DIRECTORY / "recursive.c", DIRECTORY / "recursive"
    source.write_text(RECURSIVE)
    harness.compile_program(source, program, ["-O1", "-g"])
    files = {}
    for n in (20, 40, 80):
        files[n] = DIRECTORY / f"recursive{n}.ascribe"
        result = harness.record(program, DIRECTORY, ["-q"], [str(n)], output=files[n])
        check(result.status == 0, result.errors)
    entries = {"list": (2001, 2000), "fib": (9, 8)}
    profile = harness.Profile(files[20])
    for view in ("functions", "contexts"):
        name = "name" if view == "functions" else "function_name"
        found = {row[0]: row[1:] for row in profile.rows(
            f"select {name}, sum(calls), sum(recursive_calls) from {view} group by 1")}
        check(all(found[key] == value for key, value in entries.items()), f"{view}: {found}")
    report = json.loads(must([ASCRIBE, "report", "--json", "--flat", files[20]]).output)["functions"]
    found = {row["name"]: (row["calls"], row["recursive_calls"]) for row in report}
    check(all(found[key] == value for key, value in entries.items()), f"JSON: {found}")
    rows = {row["name"]: row["calls"] for row in grown("functions", files)}
    check(abs(rows["list"]["exponent"] - 1) < 0.01 and rows["fib"]["exponent"] > 3, str(rows))
    held = run([ASCRIBE, "diff", "--fail-if", "b.calls > a.calls", files[20], files[40]])
    check(held.status == 3 and " list\n" in held.output and " fib\n" in held.output, held.output)
    held = run([ASCRIBE, "diff", "--fail-if", "b.recursive_calls >= b.calls", files[20], files[40]])
    check(held.status == 0, held.output)


POWERS = """
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void linear(int n) { for (int i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) static void square(int n) { for (int i = 0; i < n; i++) linear(n); }
__attribute__((noinline)) static void triangle(int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      sink ^= k;
}
__attribute__((noinline)) static void cube(int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int m = 0; m < n; m++)
        sink -= m;
}
__attribute__((noinline)) static void halves(int low, int high) {
  if (high - low < 2) return;
  halves(low, (low + high) / 2);
  halves((low + high) / 2, high);
  for (int i = low; i < high; i++)
    sink |= i;
}
__attribute__((noinline)) static void late(int n) {
  for (int i = 100; i < n; i++)
    sink *= i;
}
__attribute__((noinline)) static void fewer(int n) {
  for (int i = 0; i < 6400 / n; i++)
    sink <<= 1;
}
int main(int count, char **arguments) {
  int n = atoi(arguments[1]);
  linear(n);
  square(n);
  triangle(n);
  cube(n);
  halves(0, n);
  late(n);
  fewer(n);
  return 0;
}
"""
# What is executed how often: exponents that its own must be sure to hold.
LOGARITHMIC = [1 + 1 / math.log(n) for n in (25, 200)]
EXPONENTS = {"sink += i": [2], "sink ^= k": [2], "sink -= m": [3], "sink |= i": LOGARITHMIC,
             "sink <<= 1": [-1]}


def holds(figure, exponent):
    return abs(figure["exponent"] - exponent) <= figure["uncertainty"] + 1e-9


def powers(name, edit=lambda text: text):
    """Profiles of the program above, with expressions counted, at four sizes."""
    source = DIRECTORY / "powers.c"
    source.write_text(edit(POWERS))
    program = DIRECTORY / name
    must([ASCRIBE, "cc", "--expressions", "-O1", "-g", "-o", program, source])
    files = {}
    for n in (25, 50, 100, 200):
        files[n] = DIRECTORY / f"{name}{n}.ascribe"
        result = run([ASCRIBE, "record", "-q", "-o", files[n], program, str(n)], DIRECTORY)
        check(result.status == 0, result.errors)
    return files


def grown(kind, files):
    sizes = [f"n={n}:{path}" for n, path in files.items()]
    answer = must([ASCRIBE, "growth", "--json", "--limit", "0", "--of", kind, *sizes]).output
    return json.loads(answer)[kind]


def growth_of_counts():
    """Loops, recursion and call sites whose exponents are known."""
    files = powers("powers")
    expressions = grown("expressions", files)
    for text, exponents in EXPONENTS.items():
        rows = [row for row in expressions if row["text"].startswith(text)]
        check(rows, f"no expression {text} among {[row['text'] for row in expressions]}")
        for row in rows:
            check(all(holds(row["calls"], exponent) for exponent in exponents), f"{text}: {row}")
            check(row["calls"]["uncertainty"] < 0.25, f"{text}: {row}")
    lines = {row["text"]: row["calls"] for row in grown("lines", files) if row["line"]}
    check(holds(lines["sink -= m;"], 3) and lines["sink -= m;"]["points"] == 4, str(lines))
    check(lines["sink *= i;"]["zeros"] == 3 and lines["sink *= i;"]["points"] < 2, str(lines))
    check(holds(lines["sink <<= 1;"], -1) and not lines["sink <<= 1;"]["faster"], str(lines))
    sites = {(row["caller_name"], row["name"]): row["calls"] for row in grown("sites", files)}
    check(holds(sites["square", "linear"], 1) and holds(sites["main", "linear"], 0), str(sites))
    check(sites["square", "linear"]["uncertainty"] < 1e-3, "it is exactly n")
    return files


def edited():
    """A line above and another indentation: the same expressions, found again."""
    before, after = powers("before"), powers("after", lambda text: "\n".join(
        ["/* Something new. */"] + [("  " + line if "sink -=" in line else line) for line in text.split("\n")]))
    found = json.loads(must([ASCRIBE, "diff", "--json", "--of", "expressions", "--limit", "0",
                             "--by", "a.present + b.present", "--neutral", "2",
                             before[50], after[50]]).output)
    check(found["expressions"] == [] and found["unknown"] == 0, str(found["expressions"][:3]))
    changed = json.loads(must([ASCRIBE, "diff", "--json", "--of", "lines", "--by", "b.calls - a.calls",
                               "--limit", "0", before[50], after[100]]).output)["lines"]
    cube = [row for row in changed if row["text"] == "sink -= m;"]
    check(len(cube) == 1 and cube[0]["value"] == 100 ** 3 - 50 ** 3, str(cube))
    held = run([ASCRIBE, "diff", "--of", "lines", "--by", "b.self - a.self", "--limit", "0",
                "--fail-if", "b.calls > a.calls", before[50], after[100]])
    check(held.status == 3 and "nan" not in held.output and "have no value" in held.output, held.output)


def names_have_the_room_there_is():
    """Whole in a pipe; on a terminal they are cut, and tables stay as wide as they can."""
    name = "a_space::" + "of_one_thing_after_the_other_" * 4 + "end"
    files = []
    for n in (1, 2):
        stacks = DIRECTORY / f"long{n}.collapsed"
        stacks.write_text(f"main;{name} {10 * n}\n")
        files.append(DIRECTORY / f"long{n}.ascribe")
        must([ASCRIBE, "import", "-q", "-o", files[-1], stacks])
    commands = [["diff", *files], ["diff", "--of", "arcs", *files],
                ["growth", f"n=1:{files[0]}", f"n=2:{files[1]}"]]
    for command in commands:
        text = must([ASCRIBE, *command]).output
        check(name in text, text)
        if not harness.has_terminals():
            continue
        _, text = harness.on_terminal([ASCRIBE, *command], (24, 120))
        rows = [line for line in text.splitlines() if "..." in line]
        check(name not in text and rows, text)
        check(all(len(line) <= 120 for line in rows), text)


SIBLINGS = ["shop::Polygon<3>::area() const", "shop::Polygon<4>::area() const",
            "std::vector<int, std::allocator<int> >::~vector()",
            "std::vector<shop::Item, std::allocator<shop::Item> >::~vector()",
            "shop::catalogue::of_things::parse(std::string const&)", "shop::catalogue::of_things::parse(char const*)"]


def tables_fit_terminals():
    """Columns leave before names have no room, and names that are shortened stay apart."""
    files = []
    for n in (1, 2):
        stacks = DIRECTORY / f"siblings{n}.collapsed"
        stacks.write_text("".join(f"main;{name} {1000 * n * (i + 1)}\n" for i, name in enumerate(SIBLINGS)))
        files.append(DIRECTORY / f"siblings{n}.ascribe")
        must([ASCRIBE, "import", "-q", "-o", files[-1], stacks])
    both = [f"n={n + 1}:{file}" for n, file in enumerate(files)]
    for width in (72, 80, 100) if harness.has_terminals() else ():
        for command in (["diff", *files], ["diff", "--of", "arcs", *files], ["growth", *both],
                        ["growth", "--of", "arcs", *both], ["report", "--flat", files[0]]):
            _, text = harness.on_terminal([ASCRIBE, *command], (60, width), ASCRIBE_PAGER="cat", NO_COLOR="1")
            rows = [line for line in text.splitlines() if any(word in line for word in ("area", "vector", "parse"))]
            # [7] is the number that reports give to functions
            labels = {re.sub(r" \[\d+\]", "", line.split("  ")[-1]) for line in rows}
            check(len(rows) == len(SIBLINGS) == len(labels), f"{width}: {text}")
            check(all(len(line) <= width for line in rows), f"{width}: {text}")
        _, text = harness.on_terminal([ASCRIBE, "report", "--graph", files[0]], (60, width), ASCRIBE_PAGER="cat", NO_COLOR="1")
        graph = text[text.index("Call graph"):]
        check(all(len(line) <= width for line in graph.splitlines()) and "samplessamples" not in graph, f"{width}: {graph}")
    text = must([ASCRIBE, "diff", *files]).output
    check(all(name in text for name in SIBLINGS) and "a.calls" in text, text)


def functions_of_one_name_have_their_file():
    """Of two files, as a table has them."""
    same = "__attribute__((noipa)) static int same(int n) { return n; }\n"
    (DIRECTORY / "left.c").write_text(same + "void left(int n) { for (int i = 0; i < 3 * n; i++) same(i); }\n")
    (DIRECTORY / "right.c").write_text("void left(int n);\n" + same + "int main(int n, char **words) {\n"
                                       "  for (int i = 0; i < n; i++) same(i);\n  left(n);\n  return !words;\n}\n")
    must([ASCRIBE, "cc", "-O1", "-g", "-o", DIRECTORY / "sames", DIRECTORY / "left.c", DIRECTORY / "right.c"])
    files = [DIRECTORY / f"sames{n}.ascribe" for n in (1, 20)]
    for file, words in zip(files, ([], ["x"] * 20)):
        check(harness.record(DIRECTORY / "sames", DIRECTORY, ["-q"], words, output=file).status == 0, "recorded")
    text = must([ASCRIBE, "diff", "--by", "b.calls - a.calls", *files]).output
    check("same (left.c:1)\n" in text and "same (right.c:2)\n" in text and " main\n" not in text, text)


def refused(part, *words, status=1):
    result = run([ASCRIBE, *words])
    check(result.status == status, f"{words}: {result.ending}: {result.errors}")
    check(part in result.errors and result.errors.count("\n") == 1,
          f"no {part!r} in {result.errors!r}")
    check(not result.output, result.output)


def refusals():
    refused("no such column: b.cals", "diff", "--by", "b.cals", path(100), path(200))
    older = DIRECTORY / "older.ascribe"
    shutil.copy(path(100), older)
    database = sqlite3.connect(older)
    database.execute("PRAGMA user_version = 3")
    database.commit()
    database.close()
    for words in (["diff", older, path(100)], ["diff", path(100), older], ["growth", f"n=1:{older}", f"n=2:{path(100)}"]):
        refused("older.ascribe was made by an older version of Ascribe (format 3", *words)
    refused("diff: b.cals > 1: no such column: b.cals", "diff", "--fail-if", "b.cals > 1", path(100), path(200))
    refused("self of which profile: a.self or b.self?", "diff", "--by", "self", path(100), path(200))
    refused("is not an Ascribe profile", "diff", path(100), SOURCE)
    refused("cannot be read", "diff", path(100), DIRECTORY / "none.ascribe")
    refused("two profiles", "diff", path(100), status=2)
    refused("two sizes", "growth", f"n=1:{path(100)}", status=2)
    refused("two sizes", "growth", f"n=1:{path(100)}", f"n=1.0:{path(200)}", status=2)
    refused("SIZE above 0", "growth", f"n=0:{path(100)}", f"n=1:{path(100)}", status=2)
    refused("SIZE above 0", "growth", f"n=1:{path(100)}", f"n=-2:{path(100)}", status=2)
    refused("size is missing", "growth", f"n=1:{path(100)}", path(200), status=2)
    refused("the file is missing", "growth", "n=1:", f"n=2:{path(200)}", status=2)
    refused("nine profiles", "growth", *[f"n={n}:x" for n in range(1, 11)], status=2)
    for command in (["growth", f"n=1:{path(100)}", f"n=2:{path(200)}"], ["diff", path(100), path(200)]):
        refused("functions, arcs, sites, lines, expressions, kinds and places", *command, "--of", "calls", status=2)
        refused("ascribe cc --expressions", *command, "--of", "expressions")


def one_kind_of_figures():
    """A program that is sampled has no calls to be compared with."""
    plain = DIRECTORY / "plain"
    must(["cc", "-O1", "-g", "-o", plain, SOURCE])
    sampled = DIRECTORY / "sampled.ascribe"
    result = run([ASCRIBE, "record", "-q", "-o", sampled, plain, "400"], DIRECTORY)
    check(result.status == 0, result.errors)
    refused("cannot be evaluated for any function", "diff", "--fail-if", "b.calls > a.calls", sampled, path(400))
    refused("cannot be evaluated for any function", "diff", "--fail-if", "b.calls > a.calls", path(400), sampled)
    text = must([ASCRIBE, "diff", "--by", "b.calls / a.calls", sampled, path(400)]).output
    check("have no value" in text, text)
    must([ASCRIBE, "diff", "--fail-if", "b.total > 100 + a.total", sampled, path(400)])


def scenario():
    record_sizes()
    for part in (differences, judged_together, units, conditions, growth, growth_of_counts, recursion, edited,
                 names_have_the_room_there_is, tables_fit_terminals, functions_of_one_name_have_their_file,
                 one_kind_of_figures,
                 refusals):
        print(part.__name__)
        part()


if __name__ == "__main__":
    harness.main(scenario)
