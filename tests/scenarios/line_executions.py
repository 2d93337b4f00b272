#!/usr/bin/env python3
"""How often a line was executed is one figure: the report, the export to lcov, what is compared and the
viewer's table say what the profile does, of counted programs, merged profiles and imports."""

import json
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "view"), str(pathlib.Path(__file__).resolve().parent.parent)]
import harness
from harness import ASCRIBE, Profile, check, must
from viewer import Viewer

DIRECTORY = harness.scratch("line_executions")
SOURCE = DIRECTORY / "lines.c"
TEXT = """#define EACH(i, n, what) for (int i = 0; i < (n); i++) what
#define LESS(a, b) ((a) < (b) ? (a) : (b))
static volatile int sink;
static inline int twice(int n) {
  return LESS(n, 1000)
         + n;
}
__attribute__((noipa)) int work(int n) {
  EACH(i, n,
       sink += i);
  if (n > 5)
    sink = twice(n);
  return LESS(n,
              sink);
}
__attribute__((noipa)) void never(void) { sink = 0; }
int main(int count, char **words) {
  int unused = count * 3;
  for (int i = 0; i < 4; i++)
    work(i + 3) + twice(i);
  if (count > 7) never();
  return 0;
}
"""


def recorded(way):
    program, profile = DIRECTORY / way, DIRECTORY / f"{way}.ascribe"
    must([ASCRIBE, "cc", "--" + way, "-O2", "-g", "-o", program, SOURCE])
    must([ASCRIBE, "record", "-q", "--rate", "0", "-o", profile, "--", program])
    return profile


def of_report(path):
    sources = json.loads(must([ASCRIBE, "report", "--json", "--source", "lines.c", path]).output)["source"]
    return {line["line"]: line["executed"] for line in sources[0]["lines"] if line["executed"] is not None}


def of_lcov(path):
    text = must([ASCRIBE, "export", "--to", "lcov", "-o", "-", path]).output
    return {int(line): int(count) for line, count in
            (entry[3:].split(",") for entry in text.splitlines() if entry.startswith("DA:"))}


def of_entries(path):
    """What is compared, by line and function; values of 0 are not shown."""
    rows = json.loads(must([ASCRIBE, "diff", "--json", "--of", "lines", "--by", "b.calls + 1", "--limit", "0", path,
                            path]).output)["lines"]
    sums = {}
    for row in rows:
        sums[row["line"]] = sums.get(row["line"], 0) + row["value"] - 1
    return sums


def of_viewer(path):
    with Viewer(path) as view:
        rows, count = view.rows("source_lines", **{"is.file": str(SOURCE), "limit": 1000})
        check(count == len(rows), f"{count} of {len(rows)}")
        return {row["line"]: row["executions"] for row in rows if row["executions"] is not None}


def agree(path):
    profile = Profile(path)
    code = dict(profile.rows("select line, executions from line_executions where kind = 'code'"))
    text = dict(profile.rows("select line, executions from line_executions where kind = 'macro'"))
    shares = dict(profile.rows("select line, sum(share) from line_counts where kind = 'code' group by line"))
    check(code and code == shares, f"{code}\nshares: {shares}")
    for name, found, expected in (("report", of_report(path), code | text), ("lcov", of_lcov(path), code),
                                  ("viewer", of_viewer(path), code | text), ("diff", of_entries(path), code)):
        check(found == expected, f"{name}: {found}\nexpected {expected}")
    return code | text


def of_the_source():
    """Line 10 is an argument of a loop, line 2 the text of two calls."""
    path = recorded("expressions")
    lines = agree(path)
    check(lines[11] == 4 and lines[12] == 1 and lines[20] == 4 and lines[16] == 0, str(lines))
    check(lines[10] == 3 + 4 + 5 + 6, str(lines))


def of_merged_runs():
    one = DIRECTORY / "expressions.ascribe"
    merged = DIRECTORY / "merged.ascribe"
    must([ASCRIBE, "merge", "-q", "-o", merged, one, one])
    check(agree(merged) == {line: 2 * count for line, count in agree(one).items()}, "twice as often")


def of_imported_counts():
    """Lines of gcov's, and regions of clang's: a lambda's in a function."""
    must(["gcc", "--coverage", "-O0", "-o", "covered", SOURCE], directory=DIRECTORY)
    must(["./covered"], directory=DIRECTORY)
    text = must(["gcov", "-b", "--json-format", "--stdout", "covered-lines.gcda"], directory=DIRECTORY).output
    (DIRECTORY / "gcov.json").write_text(text)
    regions = [[2, 12, 9, 2, 7, 0, 0, 0], [4, 8, 6, 4, 30, 0, 0, 0], [7, 1, 7, 5, 0, 0, 0, 2]]
    lambda_regions = [[4, 8, 6, 4, 30, 0, 0, 0]]
    functions = [{"name": name, "count": count, "filenames": [str(SOURCE)], "branches": [], "regions": of}
                 for name, count, of in (("work", 7, [regions[0], regions[2]]), ("inner", 30, lambda_regions))]
    (DIRECTORY / "clang.json").write_text(json.dumps({"data": [{"files": [], "functions": functions}],
                                                      "type": "llvm.coverage.json.export", "version": "2.0.1"}, separators=(",", ":")))
    for name in "gcov", "clang":
        path = DIRECTORY / f"{name}.ascribe"
        must([ASCRIBE, "import", "-o", path, DIRECTORY / f"{name}.json"])
        profile = Profile(path)
        code = dict(profile.rows("select line, executions from line_executions"))
        check(code and of_report(path) == of_lcov(path) == of_viewer(path) == code, f"{name}: {code}")
        if name == "clang":
            check(code == {2: 7, 3: 7, 4: 30, 5: 30, 6: 30, 8: 7, 9: 7}, str(code))
            check(profile.rows("select executions, share from line_counts where line = 5 order by 1") == [(7, None), (30, 30)], "5")


def main():
    SOURCE.write_text(TEXT)
    harness.main(of_the_source, of_merged_runs, of_imported_counts)


if __name__ == "__main__":
    main()
