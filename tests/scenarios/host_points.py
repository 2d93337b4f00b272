#!/usr/bin/env python3
"""Counters of ascribe/host.h: what a host counts is in the profile as what `ascribe cc --expressions` counts,
whatever threads, children, pauses and kills come in between. host_points.c plays the host."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("host_points")
PROGRAM = DIRECTORY / "host_points"
SCRIPT = DIRECTORY / "sums.script"
TEXT = """sum(n):
  s = 0
  while 1 < n:
    if (odd(n)) s = s + f(
      add(n))
    n = n - 1
  return s
never(n):
  return
"""


def build():
    SCRIPT.write_text(TEXT)
    SCRIPT.chmod(0o644)
    must(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-I", harness.SOURCE / "include", "-pthread",
          harness.SOURCE / "tests/scenarios/host_points.c", "-o", PROGRAM])
    bare = run([PROGRAM, SCRIPT, "plain"], environment={"ASCRIBE_OUT": None})
    check(bare.output == "done\n" and bare.status == 0, f"without a recording: {bare.ending}")


def recorded(how, ended="status 0", script=SCRIPT, name=None):
    path = DIRECTORY / f"{name or how}.ascribe"
    result = run([ASCRIBE, "record", "-q", "-o", path, "--", PROGRAM, script, how])
    check(result.ending == ended, f"{how}: {result.ending} {result.errors}")
    return Profile(path)


def expected(runs, trips):
    """Rows of expressions, of so many runs of `sum` with so many trips, odd numbers in one half of them rounded up."""
    odd = sum((n + 1) // 2 for n in trips)
    trips = sum(trips)
    return sorted([("sum", 1, 1, 7, 11, "code", 0, runs), ("sum", 2, 3, 6, 8, "code", 0, runs),
                   ("sum", 3, 9, 3, 14, "loop", 0, runs), ("sum", 3, 9, 3, 14, "loop", 1, trips),
                   ("sum", 4, 9, 4, 15, "branch", 0, odd), ("sum", 4, 9, 4, 15, "branch", 1, trips - odd),
                   ("sum", 4, 17, 4, 27, "code", 0, odd), ("sum", 5, 7, 5, 14, "code", 0, trips),
                   ("never", 8, 1, 9, 8, "code", 0, 0)])


def check_counts(profile, runs, trips):
    rows = sorted(profile.rows("select function_name, line, source_column, end_line, end_column, kind, way, count"
                               " from expressions where file = ?", str(SCRIPT)))
    wanted = expected(runs, trips)
    check(rows == wanted, f"{rows}\nnot {wanted}")
    calls = profile.rows("select name, calls from functions where object = 'sums' order by name")
    check(calls == [("never", 0), ("sum", runs)], calls)


def reports(profile):
    said = must([ASCRIBE, "report", "--source", "sum", profile.path]).output
    check("1001" in said and "501" in said and "while 1 < n" in said, said)
    lines = dict(profile.rows("select line, executions from line_counts where file = ?", str(SCRIPT)))
    check([lines.get(line) for line in (1, 2, 5, 8)] == [1, 1, 1001, 0], lines)
    said = json.loads(must([ASCRIBE, "report", "--source", "sum", "--json", profile.path]).output)
    branches = {line["line"]: line["branches"] for line in said["source"][0]["lines"] if line["branches"]}
    check(branches == {4: [[501, 500]]}, branches)
    path = DIRECTORY / "lcov"
    must([ASCRIBE, "export", "--to", "lcov", "-o", path, profile.path])
    check("FNDA:0,never" in path.read_text() and "DA:5,1001" in path.read_text(), path.read_text())
    must([ASCRIBE, "html", "-o", DIRECTORY / "page.html", profile.path])


def several_runs(plain, threads):
    compared = must([ASCRIBE, "diff", "--of", "expressions", "--by", "b.calls / a.calls", plain.path, threads.path]).output
    check("sums.script:5:7" in compared, compared)
    path = DIRECTORY / "sum.ascribe"
    must([ASCRIBE, "merge", "-o", path, plain.path, threads.path])
    check_counts(Profile(path), 6, [1001] + [1000] * 5)
    grown = must([ASCRIBE, "growth", "--of", "expressions", f"n=1:{plain.path}", f"n=2:{plain.path}", f"n=5:{threads.path}"]).output
    check("sums.script" in grown, grown)


def main():
    build()
    plain = recorded("plain")
    check_counts(plain, 1, [1001])
    reports(plain)
    check_counts(recorded("kill", ended="signal KILL"), 1, [1001])
    check_counts(recorded("exec"), 1, [1001])
    threads = recorded("threads")
    check_counts(threads, 5, [1000] * 5)
    several_runs(plain, threads)
    check_counts(recorded("fork"), 4, [10, 100, 100, 1000])
    check_counts(recorded("lost"), 2, [10, 100])
    check_counts(recorded("pause"), 3, [10, 1000, 10000])
    many = recorded("many")
    check_counts(many, 2, [10, 1])
    said = must([ASCRIBE, "report", many.path]).output
    check("1 function, 13 uses of points or contexts" in said and "(not defined)" not in said, said)
    wrong = recorded("wrong")
    check(wrong.rows("select function_name, kind, count from expressions") == [("sum", "code", 1)], "what made no sense")
    check(wrong.value("select count(*) from functions where object = 'sums'") == 1, "functions")


if __name__ == "__main__":
    main()
