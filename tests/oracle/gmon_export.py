#!/usr/bin/env python3
"""`ascribe export --to gmon` beside GNU gprof: of -pg programs the calls are those of the gmon.out that
the program writes alone; of any, the times and calls that GNU gprof shows are the profile's."""

import re
import shutil
import sys

import gprof
import harness
from harness import ASCRIBE, PROGRAMS, Profile, check, must, run


def read(directory, program, file):
    return must(["gprof", "-b", program, file], directory=directory).output


def arcs(text):
    """(caller, callee, calls) of all entries."""
    found = set()
    for name, entries in gprof.graph(text)[1].items():
        for _, above, below in entries:
            found |= {(caller, name, numbers[2]) for caller, numbers in above if numbers}
            found |= {(name, callee, numbers[2]) for callee, numbers in below
                      if "as a whole" not in callee}
    return {arc for arc in found if "as a whole" not in arc[0]}


def exported(directory, program, *options):
    profile = program.with_suffix(".ascribe")
    must([ASCRIBE, "record", "-q", "--rate", "2000", *options, "-o", profile, "--", program],
         directory=directory)
    said = must([ASCRIBE, "export", "--to", "gmon", "-o", "exported", profile],
                directory=directory).errors
    check(re.search(r"gmon.out is of one executable, \S+: it has .*s of .*s of time", said), said)
    return Profile(profile), said, read(directory, program, "exported")


def same_figures(profile, program, text):
    """Times to what GNU gprof prints; calls exactly."""
    compared = 0
    called = gprof.graph(text)[1]
    for name, rows in gprof.flat(text)[1].items():
        if name == "_init":  # what has no symbol, for GNU gprof
            continue
        calls, again, self_ns = profile.rows(
            "select sum(calls - recursive_calls), sum(recursive_calls), sum(self_ns) from functions"
            " where name = ? and object = ?", name, str(program))[0]
        check(self_ns is not None, f"{name} is not in the profile")
        check(abs(float(rows[0][2]) - self_ns / 1e9) <= 0.0051, f"{name}: {self_ns} ns, {rows}")
        compared += 1
        if rows[0][3] and name in called:  # in cycles they have other names there
            own = called[name][0][0]
            check((int(rows[0][3]), int(own[4] or 0)) == (calls, again or 0),
                  f"{name}: {rows}, {own}, not {calls}+{again}")
    return compared


def counted_by_mcount():
    """CALLER: what glibc has of calls from outside the program it leaves out, as GNU gprof does."""
    compared = 0
    for name in ("easy_hard.c", "recursion.c", "mutual_time.c", "callback.c", "constructors.cc"):
        source = PROGRAMS / name
        directory = harness.scratch(f"gmon-{source.stem}")
        program = directory / "program"
        must([harness.BARE[source.suffix], "-pg", "-g", "-O1", "-fno-inline", "-pthread", "-o",
              program, source, "-lm"])
        run([program], directory)
        theirs = read(directory, program, "gmon.out")
        profile, said, ours = exported(directory, program)
        gprof.same(sorted(arcs(ours)), sorted(arcs(theirs)), name)
        compared += len(arcs(ours)) + same_figures(profile, program, ours)
    check("calls: the others have an end elsewhere" in said, said)
    return compared


def counted_otherwise():
    """By counters and by contexts; without either there are times only."""
    compared = 0
    for flags in (["-fno-inline"], ["--contexts", "-fno-inline"]):
        directory = harness.scratch("gmon-counted")
        program = directory / "program"
        must([ASCRIBE, "cc", *flags, "-g", "-O1", "-o", program, PROGRAMS / "easy_hard.c"])
        profile, _, text = exported(directory, program)
        compared += same_figures(profile, program, text)
        check({("easy", "work"), ("hard", "work")} <= {arc[:2] for arc in arcs(text)}, text)
    must(["gcc", "-g", "-O1", "-fno-inline", "-o", program, PROGRAMS / "easy_hard.c"])
    profile, said, text = exported(directory, program)
    check("no calls: none were counted" in said and "burn" in gprof.flat(text)[1], said + text)
    return compared


def refused():
    directory = harness.scratch("gmon-refused")
    program = directory / "program"
    must(["gcc", "-pg", "-g", "-O1", "-o", program, PROGRAMS / "easy_hard.c"])
    exported(directory, program)
    export = [ASCRIBE, "export", "--to", "gmon", "-o", "out", program.with_suffix(".ascribe")]
    result = run([*export, "--focus", "work"], directory)
    check(result.status == 1 and "cannot be combined with" in result.errors, result.errors)
    must(["gcc", "-pg", "-g", "-O2", "-o", program, PROGRAMS / "easy_hard.c"])
    result = run(export, directory)
    check(result.status == 1 and "has changed since the recording" in result.errors, result.errors)
    program.unlink()
    result = run(export, directory)
    check(result.status == 1 and "cannot be read any more" in result.errors, result.errors)
    (directory / "stacks").write_text("main;work 3\n")
    must([ASCRIBE, "import", "-q", "stacks"], directory=directory)
    result = run([ASCRIBE, "export", "--to", "gmon", "-o", "out", "stacks.ascribe"], directory)
    check(result.status == 1 and "which this profile lacks" in result.errors, result.errors)
    check(not (directory / "out").exists(), "half an export")
    return 4


def main():
    if not shutil.which("gprof"):
        harness.skip("there is no gprof")
    failed = 0
    for case in (counted_by_mcount, counted_otherwise, refused):
        try:
            print(f"ok      {case.__name__}: {case()} figures", flush=True)
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {case.__name__}: {failure}", flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
