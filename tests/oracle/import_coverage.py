#!/usr/bin/env python3
"""Counts of lines, functions and branches imported from gcov and llvm-cov equal what the two say
themselves in their other formats; what is exported to lcov equals llvm-cov's own."""

import gzip
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("import_coverage")
SOURCE = DIRECTORY / "counted.cc"
PROGRAM = """#include <cstdio>
#include <cstdlib>
#define SQUARE(x) ((x) * (x))
template <class T> static T twice(T x) {
  // a comment in it

  if (x > 3 && x != 7) return x * 2;
  return x;
}

static int unused(int x) {
  return x + 1;
}

static int parse(const char *text) {
  if (!text) throw 1;
  return atoi(text);
}

int main(int count, char **words) {
  int n = count > 1 ? parse(words[1]) : 10, sum = 0;
  /* a comment
     of two lines */
  auto add = [&sum](int more) { sum += more; };
  auto twofold = [&](int more) {
    add(more);
#if 0
    add(-1);
#else
    add(more);
#endif
  };
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0)
      sum += twice(i);
    else
      sum += twice((long)SQUARE(i));
    switch (i & 3) {
    case 0: twofold(1); [&] { sum--; }(); break;
    case 1: sum += 2; break;
    default: break;
    }
  }
  if (n < 0) sum = unused(sum);
  try {
    sum += parse(n > 20 ? "5" : nullptr);
  } catch (int code) {
    sum -= code;
  }
  std::printf("%d\\n", sum);
  return 0;
}
"""


def imported(file, *options):
    output = file.with_name(file.name + ".ascribe")
    must([ASCRIBE, "import", "--quiet", *options, "-o", output, file])
    return output


def lines_of(profile):
    """Line -> executions, as `report --source` has them."""
    text = must([ASCRIBE, "report", "--json", "--source", SOURCE, profile]).output
    source, = json.loads(text)["source"]
    return {line["line"]: line["executed"] for line in source["lines"]
            if line["executed"] is not None}


# ---- gcov ----

def gcov_directory():
    directory = DIRECTORY / "gcov"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    must(["g++", "-O0", "--coverage", SOURCE, "-o", directory / "counted"], directory=directory)
    for words in ([], ["30"]):
        must([directory / "counted", *words], directory=directory)
    return directory


def gcov_text(directory):
    """Line -> executions, of the text that gcov writes for readers: the first of each line, which
    sums up its templates."""
    notes = next(directory.glob("*.gcda"))
    must(["gcov", "-b", notes.name], directory=directory)
    lines = {}
    for line in (directory / "counted.cc.gcov").read_text().splitlines():
        match = re.match(r"\s*([^:\s]+):\s*(\d+):", line)
        if not match or match[2] == "0" or match[1] == "-" or int(match[2]) in lines:
            continue
        lines[int(match[2])] = 0 if match[1] in ("#####", "=====") else int(match[1].rstrip("*"))
    return lines


def gcov_json(directory, *options):
    notes = next(directory.glob("*.gcda"))
    must(["gcov", "-b", "--json-format", notes.name], directory=directory)
    return next(directory.glob("*.json.gz"))


def gcov_lines():
    directory = gcov_directory()
    truth = gcov_text(directory)
    profile = imported(gcov_json(directory))
    found = lines_of(profile)
    check(found == truth, f"imported {found}\ngcov     {truth}")
    functions = dict(Profile(profile).rows("select name, calls from functions"))
    check(functions["main"] == 2 and functions["unused(int)"] == 0, f"{functions}")
    check(functions["parse(char const*)"] == 3, f"{functions}")
    ways = Profile(profile).rows("select way, count from expressions where kind = 'branch'"
                                 " and function_name = 'main' and line = 33 order by way")
    check(len(ways) >= 2, f"branches {ways}")


def gcov_several_texts():
    """What `gcov --stdout` says, twice over, is twice as much."""
    directory = gcov_directory()
    one = gcov_json(directory)
    text = gzip.decompress(one.read_bytes()).decode().strip()
    twice = directory / "twice.json"
    twice.write_text(f"{text}\n{text}\n")
    single, double = lines_of(imported(one)), lines_of(imported(twice))
    check(double == {line: 2 * count for line, count in single.items()}, f"{double}")


# ---- llvm-cov ----

def llvm_directory():
    directory = DIRECTORY / "llvm"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    must(["clang++", "-fprofile-instr-generate", "-fcoverage-mapping", SOURCE, "-o",
          directory / "counted"])
    must(["env", f"LLVM_PROFILE_FILE={directory}/raw", directory / "counted", "12"])
    must(["llvm-profdata", "merge", "-o", directory / "data", directory / "raw"])
    return directory


def llvm_export(directory, *options):
    return must(["llvm-cov", "export", *options, directory / "counted", "-instr-profile",
                 directory / "data"]).output


def tracefile_lines(text):
    return {int(line): int(count) for line, count in re.findall(r"^DA:(\d+),(\d+)$", text, re.M)}


def llvm_lines():
    directory = llvm_directory()
    file = directory / "counted.json"
    file.write_text(llvm_export(directory))
    truth = tracefile_lines(llvm_export(directory, "-format=lcov"))
    profile = imported(file)
    found = lines_of(profile)
    check(found == truth, f"imported {found}\nllvm-cov {truth}")
    written = must([ASCRIBE, "export", "--to", "lcov", "-o", "-", profile]).output
    check(tracefile_lines(written) == truth, written)
    regions = {tuple(row) for row in Profile(profile).rows(
        "select line, source_column, end_line, end_column, count from expressions"
        " where kind = 'code'")}
    wanted = {tuple(region[:5]) for function in json.loads(file.read_text())["data"][0]["functions"]
              for region in function["regions"] if region[7] == 0}
    check(regions == wanted, f"{regions ^ wanted}")


# ---- both ----

def wrong_files():
    for name, text, words in (("cut.json", '{"gcc_version": "12.2.0", "files": [', "malformed JSON"),
                              ("empty.json", '{"gcc_version": "12.2.0", "files": []}',
                               "no functions in it"),
                              ("summary.json", '{"data":[{"files":[]}],"type":"x"}',
                               "no functions in it")):
        file = DIRECTORY / name
        file.write_text(text)
        result = run([ASCRIBE, "import", "-o", DIRECTORY / "wrong.ascribe", file])
        check(result.status == 1 and words in result.errors and result.errors.count("\n") == 1,
              f"{name}: {result.ending}\n{result.errors}")


def merged():
    """Two runs of one program, merged: their counts add up."""
    directory = llvm_directory()
    file = directory / "counted.json"
    file.write_text(llvm_export(directory))
    one = imported(file)
    must([ASCRIBE, "merge", "-o", directory / "both.ascribe", one, one])
    single, double = lines_of(one), lines_of(directory / "both.ascribe")
    check(double == {line: 2 * count for line, count in single.items()}, f"{double}")


def shown():
    directory = llvm_directory()
    file = directory / "counted.json"
    file.write_text(llvm_export(directory))
    text = must([ASCRIBE, "report", "--source", "main", imported(file)]).output
    check(re.search(r"^ +8 +37 +sum \+= twice", text, re.M), text)
    check("branches: " in text and "lines with code (" in text, text)
    text = must([ASCRIBE, "report", imported(file)]).output
    check("Flat profile, by calls" in text and "%" not in text.split("Flat profile")[1], text)
    result = run([ASCRIBE, "export", "--to", "flamegraph", imported(file)])
    check(result.status != 0 and "needs stacks" in result.errors, result.errors)


if __name__ == "__main__":
    SOURCE.write_text(PROGRAM)
    harness.main(gcov_lines, gcov_several_texts, llvm_lines, wrong_files, merged, shown)
