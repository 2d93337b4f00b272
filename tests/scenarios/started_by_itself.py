#!/usr/bin/env python3
"""A program with hooks that nobody records leaves no trace; with ASCRIBE_OUT it records there."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, run

DIRECTORY = harness.scratch("started_by_itself")
PROGRAM = DIRECTORY / "recursion"


def everything():
    return {str(path) for place in ("/dev/shm", "/tmp", DIRECTORY)
            for path in pathlib.Path(place).glob("*") if "ascribe-tests" not in path.name}


def leaves_no_file():
    before = everything()
    result = run([PROGRAM], DIRECTORY, {"ASCRIBE_OUT": None})
    check(result.status == 0 and result.output == "55 20001\n", result.output)
    check(result.errors == "", result.errors)
    mine = {path for path in everything() - before if "ascribe" in path}
    check(not mine, f"left {mine}")


def records_where_it_is_told():
    place = DIRECTORY / "out"
    result = run([PROGRAM], DIRECTORY, {"ASCRIBE_OUT": place})
    check(result.status == 0 and result.output == "55 20001\n", result.output)
    check(result.errors == "", result.errors)
    for _ in range(2):
        report = run([ASCRIBE, "report", place], DIRECTORY)
        check(report.status == 0, report.errors)
        check("fib" in report.output and "177" in report.output, report.output)


def the_recording_is_private():
    place = DIRECTORY / "private"
    os.umask(0)
    run([PROGRAM], DIRECTORY, {"ASCRIBE_OUT": place})
    for path in [place, *place.rglob("*")]:
        check(path.stat().st_mode & 0o077 == 0, f"{path}: mode {path.stat().st_mode:o}")


def a_place_that_cannot_be_written():
    for place in ("/proc/nowhere", "/dev/null/x", "/nowhere/at/all", ""):
        result = run([PROGRAM], DIRECTORY, {"ASCRIBE_OUT": place})
        check(result.status == 0 and result.output == "55 20001\n",
              f"{place}: {result.ending} {result.output}")
        check(len(result.errors.splitlines()) <= 1, result.errors)


if __name__ == "__main__":
    harness.compile_program(harness.PROGRAMS / "recursion.c", PROGRAM, ["-O2"])
    harness.main(leaves_no_file, records_where_it_is_told, the_recording_is_private,
                 a_place_that_cannot_be_written)
