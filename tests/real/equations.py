#!/usr/bin/env python3
"""Who called whom in a real program, from gcov's counts and the equations of its call graph, beside
callgrind's calls of the same run: what is called exact is, and every interval holds the truth."""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "oracle")]
import harness
from callgrind import Calls
from program_builds import BENCH, OBJECTS, fetch
from harness import ASCRIBE, Profile, check

MOST_SECONDS = 300


def counted(name, directory):
    """The profile and callgrind's calls."""
    program, output = directory / "program", directory / "callgrind.out"
    harness.must([BENCH / "programs" / name / "build", program, "gcc", "-O0", "-g", "--coverage"],
                 timeout=MOST_SECONDS)
    harness.must([BENCH / "programs" / name / "run", program, directory / "result", "small"],
                 environment={"BENCH_UNDER": "valgrind -q --tool=callgrind"
                              f" --callgrind-out-file={output}", "LD_BIND_NOW": "1"},
                 timeout=MOST_SECONDS)
    notes = sorted(str(path) for path in program.rglob("*.gcda"))
    text = directory / "counts.json"
    text.write_text(harness.must(["gcov", "-b", "--json-format", "--stdout", *notes],
                                 directory=os.path.dirname(notes[0])).output)
    executable, profile = program / OBJECTS[name][0], directory / "profile.ascribe"
    harness.must([ASCRIBE, "import", "--quiet", "-x", executable, "-o", profile, text])
    return Profile(profile), Calls(output, [executable])


def compare(name, directory):
    profile, truth = counted(name, directory)
    told = {(caller, callee): (least, most) for caller, callee, least, most in profile.rows(
        "select caller_name, callee_name, least_calls, most_calls from arcs")}
    functions = {name for name, in profile.rows("select name from functions")}
    wrong, exact, others = [], 0, 0
    for (caller, callee), calls in truth.arcs.items():
        if caller == callee or caller not in functions or callee not in functions:
            continue
        least, most = told.get((caller, callee), (0, 0))
        if calls < least or (most is not None and calls > most):
            wrong.append(f"{caller} -> {callee}: {calls}, told {least} to {most}")
        exact += least == most
        others += least != most
    check(not wrong, "\n    ".join(wrong[:20]))
    check(exact > others, f"only {exact} arcs are exact, {others} are not")
    return f"{exact} arcs exact, of {others} the interval holds the truth"


def main():
    name = sys.argv[1]
    fetch(name)
    print(f"ok      {name}: {compare(name, harness.scratch(f'real-{name}-equations'))}")


if __name__ == "__main__":
    main()
