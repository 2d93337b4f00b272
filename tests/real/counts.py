#!/usr/bin/env python3
"""Calls of every function and of every arc of a real program equal callgrind's, on one run of the
same instrumented binary; and the contexts that its hooks kept equal the stacks that its ticks
found: counts.py tex|tcc|lua|sqlite STACKS_AGREE

The program records while callgrind runs it, so that both see the same execution, whatever it does
with addresses and clocks.  Three builds:

-O2                                 calls of every function.
-O2, counters                        calls of every function and of every arc.
-O2 -fno-optimize-sibling-calls     also every arc.  Ascribe's arcs follow the stack: h, tail-called
                                    by g, is called by g's caller; callgrind takes a jump to a
                                    function's first instruction for a call by g.  Without tail calls
                                    there is no such jump, and the arcs must be equal.

What the two tools name differently, and is therefore put together or left out on both sides:
- `.cold` and `.part` pieces: callgrind takes the way from a function into its own piece for a
  call; it is none (oracle/callgrind.py).  `.part` pieces that another function calls, `.isra` and
  `.constprop` clones count as the function they were made from.
- Functions of one name in several files are one here: callgrind's arcs know names only.
- Arcs from code without hooks (qsort calling a comparison): callgrind's caller is that code,
  Ascribe's the function with hooks that called it.  Call sites say where this is so (within_name),
  and the arcs that they belong to are compared without them.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "oracle")]
import harness
from callgrind import PIECES, Calls
from harness import Profile, check

BENCH = harness.SOURCE / "bench"
EXECUTABLES = {"tex": "tex", "tcc": "tcc", "lua": "lua", "sqlite": "sqlite3"}
FLAGS = ["-O2", "-g"]
NO_TAIL_CALLS = ["-fno-optimize-sibling-calls"]
RECORD_SECONDS = 300


def build(name, flags, directory, way="--contexts"):
    out = directory / "program"
    harness.must([BENCH / "programs" / name / "build", out,
                  f"{harness.ASCRIBE} cc {way}", *flags], timeout=600)
    return out


def observe(name, program, directory):
    """Run under callgrind and record at once; the profile and callgrind's calls."""
    output, profile = directory / "callgrind.out", directory / "profile.ascribe"
    under = (f"{harness.ASCRIBE} record --quiet --rate 0 -o {profile} --"
             f" valgrind -q --tool=callgrind --callgrind-out-file={output}")
    harness.must([BENCH / "programs" / name / "run", program, directory / "result", "small"],
                 environment={"BENCH_UNDER": under, "LD_BIND_NOW": "1"}, timeout=RECORD_SECONDS)
    return Profile(profile), Calls(output, program / EXECUTABLES[name])


def functions_of(program):
    """Names of the functions that were compiled for the program: all of them have hooks."""
    objects = sorted(str(path) for path in program.rglob("*.o"))
    names = set()
    for line in harness.must(["nm", *objects]).output.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] in "tTwW" and not fields[2].startswith("ascribe_"):
            names.add(PIECES.sub("", fields[2].removesuffix(".cold")))
    return names


def compare(what, ours, truth):
    """Both are Counters; every key of either counts."""
    wrong = [f"{key}: {ours[key]}, callgrind has {truth[key]}"
             for key in sorted(set(ours) | set(truth)) if ours[key] != truth[key]]
    check(not wrong, f"{what}:\n    " + "\n    ".join(wrong[:20]) +
          (f"\n    and {len(wrong) - 20} more" if len(wrong) > 20 else ""))
    return f"{len(ours)} {what}, {sum(ours.values())} calls"


def counted_functions(profile):
    return collections.Counter(dict(profile.rows(
        "select name, sum(calls + recursive_calls) from functions where kind = 'counted' and calls > 0"
        " group by name")))


def sited_arcs(profile):
    """Arcs by the call sites that lie in the caller itself."""
    arcs = collections.Counter()
    for caller, callee, calls in profile.rows(
            "select caller_name, callee_name, sum(calls) from call_sites"
            " where within_name = caller_name group by 1, 2"):
        arcs[caller, callee] = calls
    return arcs


def check_functions(name, directory):
    program = build(name, FLAGS, directory)
    profile, truth = observe(name, program, directory)
    compiled = functions_of(program)
    expected = collections.Counter(
        {function: calls for function, calls in truth.functions.items() if function in compiled})
    return compare("functions", counted_functions(profile), expected)


def check_arcs(name, directory):
    program = build(name, FLAGS + NO_TAIL_CALLS, directory)
    profile, truth = observe(name, program, directory)
    compiled = functions_of(program)
    expected = collections.Counter({
        (caller, callee): calls for (caller, callee), calls in truth.arcs.items()
        if caller in compiled and callee in compiled})
    return compare("arcs", sited_arcs(profile), expected)


def check_counters(name, directory):
    """Counters know the call sites: a tail call is its caller's, as callgrind has it."""
    program = build(name, FLAGS, directory, "--counts")
    profile, truth = observe(name, program, directory)
    compiled = functions_of(program)
    expected = collections.Counter(
        {function: calls for function, calls in truth.functions.items() if function in compiled})
    functions = compare("functions with counters", counted_functions(profile), expected)
    expected = collections.Counter({
        (caller, callee): calls for (caller, callee), calls in truth.arcs.items()
        if caller in compiled and callee in compiled})
    return functions + "; " + compare("arcs", sited_arcs(profile), expected)


def check_stacks(name, directory):
    """One tick in a hundred may fall where neither witness can be right, as inside longjmp."""
    program = build(name, FLAGS, directory)
    recording = directory / "recording"
    harness.must([BENCH / "programs" / name / "run", program, directory / "result"],
                 environment={"ASCRIBE_OUT": str(recording), "ASCRIBE_STACKS": "1",
                              "ASCRIBE_RATE": "2000"}, timeout=RECORD_SECONDS)
    said = harness.must([sys.argv[2], recording]).output
    ticks = {what: int(number) for number, what in
             re.findall(r"(\d+) (agree|outside|behind|cut|differ)", said.splitlines()[-1])}
    total = sum(ticks.values())
    wrong = total - ticks["agree"] - ticks["outside"]
    check(total >= 20 and ticks["agree"] >= total / 4, f"too few ticks to judge: {said}")
    check(wrong <= max(2, total / 100), said)
    return f"{total} ticks, {wrong} with another stack than context"


def fetch(name):
    result = subprocess.run([BENCH / "fetch", name], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False)
    if result.returncode:
        said = result.stdout.decode(errors="replace").strip().splitlines()
        harness.skip(said[-1] if said else "the sources cannot be fetched")


def main():
    name = sys.argv[1]
    fetch(name)
    failed = 0
    for test in check_functions, check_arcs, check_counters, check_stacks:
        directory = harness.scratch(f"real-{name}-{test.__name__}")
        try:
            print(f"ok      {name}: {test(name, directory)}")
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {name}: {failure}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
