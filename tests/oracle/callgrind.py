#!/usr/bin/env python3
"""Counts per function and per arc equal callgrind's on the same instrumented binary.
callgrind.py PROGRAM.c [LEVEL...]: levels as in tests/programs, contexts and counters by default"""

import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
import run_program
from harness import Profile, check, run

# Pieces of one function that the compiler cut or cloned, and callgrind's levels of recursion.
PIECES = re.compile(r"(\.(part|constprop|isra|lto_priv)(\.\d+)*)+$")
CLONE = re.compile(r" \[clone (\.[\w.]+)\]")  # as the demangler writes it
RECURSION = re.compile(r"'\d+$")


def own_piece(caller, callee):
    """A function goes on in a piece of its own: callgrind takes the jump or call for a call."""
    if callee.endswith(".cold"):
        return True
    caller = caller.removesuffix(".cold")
    return ".part." in callee and ".part." not in caller and \
        PIECES.sub("", caller) == PIECES.sub("", callee)


class Calls:
    """What a callgrind.out file says of calls into some objects (or all of them): name -> count,
    (caller, callee) -> count."""

    def __init__(self, path, objects=()):
        objects = set(map(str, objects))
        self.names = {"fn": {}, "ob": {}}
        self.functions = collections.Counter()
        self.arcs = collections.Counter()
        place = caller = callee_place = callee = None
        for line in path.read_text().splitlines():
            if line.startswith("ob="):
                place = callee_place = self.name("ob", line[3:])
            elif line.startswith("fn="):
                caller = self.name("fn", line[3:])
            elif line.startswith("cob="):
                callee_place = self.name("ob", line[4:])
            elif line.startswith("cfn="):
                callee = self.name("fn", line[4:])
            elif line.startswith("calls="):
                if (not objects or callee_place in objects) and not own_piece(caller, callee):
                    self.add(caller, callee, int(line[6:].split()[0]))
                callee_place = place  # cob= holds for one call

    def add(self, caller, callee, count):
        self.functions[PIECES.sub("", callee)] += count
        self.arcs[PIECES.sub("", caller.removesuffix(".cold")), PIECES.sub("", callee)] += count

    def name(self, kind, text):
        match = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if match[2]:
            self.names[kind][match[1]] = CLONE.sub(r"\1", RECURSION.sub("", match[2]))
        return self.names[kind][match[1]]


def compare(source, level):
    expectations = run_program.Expectations(source)
    directory = harness.scratch(f"callgrind-{source.stem}{level}")
    way, optimization = run_program.split_level(level)
    program = run_program.build(source, expectations, directory / "hooks", optimization, way or True)
    output = directory / "callgrind.out"
    result = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", program],
                 directory, timeout=300)
    check(result.ending == run_program.expected_ending(expectations), result.errors)
    truth = Calls(output)
    profile_path = directory / "profile.ascribe"
    harness.record(program, directory, ["--rate", "100"], output=profile_path)
    profile = Profile(profile_path)
    wrong = []
    counted = profile.rows("select name, sum(calls) from functions"
                           " where calls > 0 group by name")
    for name, calls in counted:
        if truth.functions[name] != calls:
            wrong.append(f"{name}: {calls} calls, callgrind has {truth.functions[name]}")
    # A function may call itself through one that was inlined into it, which is the caller then.
    for name, calls in profile.rows("select name, sum(recursive_calls) from functions group by name"):
        if calls and calls > truth.arcs[name, name]:
            wrong.append(f"{name}: {calls} recursive calls, callgrind has {truth.arcs[name, name]}")
    names = {name for name, _ in counted}
    arcs = profile.rows("select caller_name, callee_name, sum(calls) from arcs where calls > 0"
                        " group by 1, 2")
    for caller, callee, calls in arcs:
        # Code without hooks between two functions is a caller of its own to callgrind.
        if caller in names and truth.arcs[caller, callee] not in (calls, 0):
            wrong.append(f"{caller} -> {callee}: {calls} calls, callgrind has "
                         f"{truth.arcs[caller, callee]}")
    check(len(names) > 1, "hardly anything was counted")
    check(not wrong, "\n    ".join(wrong))
    return len(names), len(arcs)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    failed = 0
    levels = ["-O0", "-O2", "-O3"]
    for level in sys.argv[2:] or levels + ["counts" + level for level in levels]:
        try:
            functions, arcs = compare(source, level)
            print(f"ok      {source.name} {level}: {functions} functions, {arcs} arcs equal")
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {source.name} {level}: {failure}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
