#!/usr/bin/env python3
"""Commands and options that are mistaken, and which compiler the wrapper takes."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must, run

DIRECTORY = harness.scratch("wrong_use")


def advice():
    for words, expected in ((["recrod"], "did you mean record?"),
                            (["report", "--flta"], "did you mean --flat?"),
                            (["record", "--stack"], ""),  # an abbreviation
                            (["record", "--prf", "true"], "did you mean --perf?"),
                            (["record", "-F", "99", "--", "true"], "-r HZ"),
                            (["record", "--freq", "99", "true"], "did you mean --rate?"),
                            (["record", "--freq=99", "true"], "did you mean --rate?"),
                            (["record", "-g", "--", "true"], "stacks are always sampled"),
                            (["record", "-p", "1"], "--pid PID"),
                            (["record", "help"], "ascribe record --help"),
                            (["diff", "one.ascribe"], "ascribe diff OLD NEW"),
                            (["stop", "--duration", "1", "2"], "try: ascribe stop --help"),
                            (["record", "-r", "10001", "true"], "--rate 10001: expected a number from 0 to 10000"),
                            (["record", "--pid", "0"], "--pid 0: expected the number of a process"),
                            (["gprof", "-m", "-1"], "--min-count -1: expected a number from 0"),
                            (["report", "-s", "time"], "--sort time: expected self, total, calls or name"),
                            (["gprof", "-d"], "-d, --debug is not supported: it is for debugging GNU gprof"),
                            (["help", "nothing"], "no command nothing")):
        result = run([ASCRIBE, *words], DIRECTORY)
        check(result.status != 0 and expected in result.errors, f"{words}: {result.errors}")
        check(len(result.errors.splitlines()) <= 2, f"{words}: {result.errors}")


def help_of_a_command():
    for command in ("record", "diff", "growth"):
        check(must([ASCRIBE, "help", command]).output == must([ASCRIBE, command, "--help"]).output,
              command)


def options_of_the_wrapper():
    source = DIRECTORY / "x.c"
    source.write_text("int main(void) { return 0; }")
    for word, meant in (("--context", "--contexts"), ("--ascribe-explian", "--ascribe-explain"),
                        ("--ascribe-skipp=a", "--ascribe-skip=")):
        result = run([ASCRIBE, "cc", word, source], DIRECTORY)
        check(result.status == 1 and f"did you mean {meant}?" in result.errors, result.errors)


def help_of_the_compiler_too():
    found = must([ASCRIBE, "cc", "--help"], directory=DIRECTORY)
    check("usage: ascribe cc" in found.output and "-fplugin" in must(["cc", "--help=common"]).output
          and "--target-help" in found.output and not found.errors, found.errors)


def names_that_are_empty():
    must([ASCRIBE, "record", "-q", "-o", "x.ascribe", "--", "true"], directory=DIRECTORY)
    for option in ("--calls", "--source", "--asm", "--focus", "--wrappers"):
        result = run([ASCRIBE, "report", option, "", "x.ascribe"], DIRECTORY)
        check(result.status == 1 and f"{option}: expected the name of a function" in result.errors, result.errors)


def explained(*words, **variables):
    names = {name: None for name in ("CC", "CXX", "FC", "ASCRIBE_CC", "ASCRIBE_CXX", "ASCRIBE_FC")}
    return must([ASCRIBE, *words, "--ascribe-explain", "x.c"], directory=DIRECTORY,
                environment={**names, **variables}).output.splitlines()[0]


def choice_of_the_compiler():
    for variables, expected in (({}, "cc (the usual one)"), ({"CC": "gcc"}, "gcc (CC)"),
                                ({"CC": "gcc", "ASCRIBE_CC": "cc"}, "cc (ASCRIBE_CC)"),
                                ({"CC": "ascribe cc"}, "cc (the usual one)"),
                                ({"CC": f"{ASCRIBE} cc"}, "cc (the usual one)"),
                                ({"CXX": "gcc"}, "cc (the usual one)")):
        found = explained("cc", **variables)
        check(found == f"compiler: {expected}", f"{variables}: {found}")
    check(explained("c++", CXX="g++", CC="gcc") == "compiler: g++ (CXX)", "c++")


def told_over(clock):
    result = run([ASCRIBE, "record", "--clock", clock, "--duration", "0.3", "-o", "x.ascribe", "--",
                  "sh", "-c", "sleep 1; echo ends >&2"], DIRECTORY)
    lines = result.errors.splitlines()
    said = "ascribe: recorded 0.3 s; sh goes on, and its profile is saved when it ends (Ctrl-C ends it)"
    check(said in lines[:lines.index("ends")], result.errors)


def told_when_duration_is_over():
    for clock in ("cpu", "wall"):
        told_over(clock)
    result = run([ASCRIBE, "record", "--duration", "100", "-o", "x.ascribe", "--", "true"], DIRECTORY)
    check("goes on" not in result.errors, result.errors)


if __name__ == "__main__":
    harness.main(advice, help_of_a_command, help_of_the_compiler_too, names_that_are_empty, options_of_the_wrapper, choice_of_the_compiler,
                 told_when_duration_is_over)
