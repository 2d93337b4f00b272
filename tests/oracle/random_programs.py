#!/usr/bin/env python3
"""Counting random programs (random_program.py) in several ways, that have to agree:
random_programs.py c|c++ FIRST_SEED SEEDS

- Counters where they are needed, and counters everywhere: calls of functions and at call sites, with
  and without --expressions; with it executions of ranges and of macros' text.
- Counters and contexts: calls of functions.
- --expressions and gcov, unoptimized: lines and functions.  Lines of `catch` are left out: in an
  exception's way gcov's counters make it stop in functions that it passes otherwise, where ours may
  not, and the other way round.
- What the programs write and how they end is that of the plain program."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "real"), str(HERE)]
import gcov_blocks
import harness
import source_counts
import ways
from harness import ASCRIBE, Profile, check, must
from random_program import RandomProgram

LEVELS = ("-O0", "-O1", "-O2", "-O3")
EVERYWHERE = "--ascribe-placement=all"
BUILDS = {"few": ["--counts"], "all": ["--counts", EVERYWHERE], "expressions": ["--expressions"],
          "all expressions": ["--expressions", EVERYWHERE], "contexts": ["--contexts"]}
SITES = ("select caller_name, callee_name, line, calls from call_sites where calls")


class Program:
    def __init__(self, language, seed):
        self.seed, self.suffix = seed, "cc" if language == "c++" else "c"
        self.directory = harness.scratch(f"random-{language}-{seed}")
        self.source = self.directory / f"program.{self.suffix}"
        self.source.write_text(RandomProgram(seed, language == "c++").text())
        self.compiler = [ASCRIBE, "c++" if language == "c++" else "cc"]
        self.plain = "g++" if language == "c++" else "gcc"
        must([self.plain, "-w", "-O1", self.source, "-o", self.directory / "plain"])
        result = harness.run([self.directory / "plain"])
        self.expected = result.status, result.output

    def profile(self, name, options, level):
        name = f"{name.replace(' ', '-')}{level}"
        program = self.directory / name
        must([*self.compiler, *options, "-w", "-g", level, self.source, "-o", program])
        result = harness.record(program, self.directory, ["--quiet", "--rate", "0"],
                                output=f"{name}.ascribe")
        found = result.status, result.output
        check(found == self.expected, f"{name}: it did {found}, not {self.expected}: {result.errors}")
        return Profile(self.directory / f"{name}.ascribe")


def compare(what, ours, others):
    wrong = [f"{key}: {ours[key]} and {others[key]}"
             for key in sorted(set(ours) | set(others), key=str) if ours[key] != others[key]]
    check(not wrong, f"{len(wrong)} of {what}:\n    " + "\n    ".join(wrong[:10]))


def compare_ways(program, level):
    profiles = {name: program.profile(name, options, level) for name, options in BUILDS.items()}
    for what, query in (("functions", ways.FUNCTIONS), ("call sites", SITES)):
        counts = {name: ways.summed(profile.rows(query)) for name, profile in profiles.items()}
        check(counts["all"], f"no {what} at {level}")
        compare(f"{what} at {level}, few", counts["few"], counts["all"])
        compare(f"{what} at {level}, expressions", counts["expressions"], counts["all expressions"])
        if what == "functions":
            compare(f"functions at {level}, contexts", counts["contexts"], counts["all"])
    for what, query in (("ranges", ways.EXPRESSIONS), ("copies", ways.COPIES)):
        compare(f"{what} at {level}", ways.summed(profiles["expressions"].rows(query)),
                ways.summed(profiles["all expressions"].rows(query)))


def counted_by_gcov(program):
    built = program.directory / "gcov"
    built.mkdir()
    must([program.plain, "-w", "-g", "-O0", "--coverage", *source_counts.SAME_PLACE, program.source,
          "-o", built / "program"], directory=built)
    harness.run([built / "program"], built)
    return source_counts.counts_of([function for notes in built.glob("*.gcno")
                                    for function in gcov_blocks.functions_of(notes)])


def compare_source(program):
    profile = program.profile("source", ["--expressions"], "-O0")
    ours, truth = source_counts.exported(profile.path), counted_by_gcov(program)
    source_counts.add_jumps_to_labels(ours, truth)
    text = program.source.read_text().splitlines()
    for lines in ours.lines, truth.lines:
        for file, line in [key for key in lines if "catch (" in text[key[1] - 1]]:
            del lines[file, line]
    compare("lines of the source", ours.lines, truth.lines)
    compare("functions of the source", ours.functions, truth.functions)
    return len(truth.lines)


def main():
    language, first, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    failed = 0
    for seed in range(first, first + number):
        try:
            program = Program(language, seed)
            for level in LEVELS:
                compare_ways(program, level)
            print(f"ok      {language} {seed}: {compare_source(program)} lines")
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {language} {seed}: {failure}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
