#!/usr/bin/env python3
"""Counts that follow from others are those that counters of their own would have: programs built with
few counters have the calls of a build with all counters, and those with counters for all expressions
the calls and executions of one with a counter at every edge.
placement.py PROGRAM..."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
import run_program
from harness import Profile, check

EXPRESSIONS = "--expressions"
PLACEMENTS = {"all": ["--ascribe-placement=all"], "few": [], "blocks": [EXPRESSIONS],
              "all-blocks": ["--ascribe-placement=all", EXPRESSIONS]}
EVERYWHERE = {"few": "all", "blocks": "all-blocks"}
WAITS = "/* waits */" # ends the lines whose counts depend on time
LEVELS = ["-O0", "-O1", "-O2", "-O3"]


def build(source, level, placement, directory):
    """The program's own flags, as its first comment has them."""
    expected = run_program.Expectations(source)
    flags = [level, *expected.words("compile"), *PLACEMENTS[placement]]
    return harness.compile_program(source, directory / f"{source.stem}{level}-{placement}", flags,
                                   instrumented="counts", link=expected.words("link"))


def counts_of(program, directory):
    result = harness.record(program, directory, ["--quiet", "--rate", "0"],
                            output=f"{program.name}.ascribe")
    check(result.status == 0, f"{program.name}: {result.ending} {result.errors}")
    profile = Profile(directory / f"{program.name}.ascribe")
    functions = profile.rows("select name, sum(calls) from functions"
                             " where calls > 0 group by 1 order by 1")
    sites = profile.rows("select caller_name, callee_name, line, sum(calls) from call_sites"
                         " group by 1, 2, 3 order by 1, 2, 3")
    ranges = profile.rows("select function_name, file, line, source_column, end_line, end_column,"
                          " kind, way, count from expressions")
    return functions + sites, ranges


def different(source, ranges, others):
    waiting = {number for number, text in enumerate(source.read_text().splitlines(), 1)
               if text.endswith(WAITS)}
    return {row for row in set(ranges) ^ set(others) if row[2] not in waiting}


def compare(source, directory):
    for level in LEVELS:
        counts = {placement: counts_of(build(source, level, placement, directory), directory)
                  for placement in PLACEMENTS}
        for placement in "few", "blocks":
            found, expected = counts[placement][0], counts[EVERYWHERE[placement]][0]
            check(len(expected) > 3, f"{source.name} {level}: nothing was counted")
            wrong = sorted(set(expected) ^ set(found), key=str)
            check(not wrong, f"{source.name} {level} {placement}: {wrong}")
        wrong = different(source, counts["blocks"][1], counts["all-blocks"][1])
        check(not wrong, f"{source.name} {level}: executions {sorted(wrong, key=str)}")


def main():
    failed = 0
    for name in sys.argv[1:]:
        source = pathlib.Path(name).resolve()
        try:
            compare(source, harness.scratch(f"placement-{source.name}"))
            print(f"ok      {source.name}")
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {source.name}: {failure}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
