#!/usr/bin/env python3
"""Calls of every function and of every arc of a real program equal callgrind's, on one run of the
same instrumented binary; the contexts that its hooks kept equal the stacks that its ticks found; and
the ways of counting agree with each other (ways.py):
counts.py tex|tcc|lua|sqlite|jsoncpp|lapack|xz STACKS_AGREE

The program records while callgrind runs it, so that both see the same execution, whatever it does
with addresses and clocks.  Builds (CHECKS says which program has which; ASCRIBE_REAL=all: every one of EVERY):

-O2                                 calls of every function.
-O2, -O3, -O2 -flto, counters        calls of every function and of every arc.
-O2 -fno-optimize-sibling-calls     also every arc.  Ascribe's arcs follow the stack: h, tail-called
                                    by g, is called by g's caller; callgrind takes a jump to a
                                    function's first instruction for a call by g.  Without tail calls
                                    there is no such jump, and the arcs must be equal.

What the two tools name differently, and is therefore put together or left out on both sides:
- `.cold` and `.part` pieces: callgrind takes the way from a function into its own piece for a
  call; it is none (oracle/callgrind.py).  `.part` pieces that another function calls, `.isra` and
  `.constprop` clones count as the function they were made from.
- Functions of one name in several files are one here: callgrind's arcs know names only.  Names are
  the symbols'; several at one address (constructors C1 and C2) are one function.
- Arcs from code without hooks (qsort calling a comparison): callgrind's caller is that code,
  Ascribe's the function with hooks that called it.  Call sites say where this is so (within_name),
  and the arcs that they belong to are compared without them.
"""

import collections
import os
import re
import sys
import time

from program_builds import (FLAGS, HIGH, NO_TAIL_CALLS, OBJECTS, WHOLE_PROGRAM, Builds, fetch,
                            harness, scratch_of)
from callgrind import PIECES
from harness import check
from ways import check_blocks, check_blocks_high, check_blocks_whole_program, check_ways


def symbols_of(files):
    """(address, name) of each function that the files define."""
    for line in harness.must(["nm", *files]).output.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] in "tTwW" and not fields[2].startswith("ascribe_"):
            yield fields[0], PIECES.sub("", fields[2].removesuffix(".cold"))


class Compiled:
    """The functions that were compiled for the program: all of them have hooks or counters."""

    def __init__(self, builds, way, flags):
        program = builds.program(way, flags)
        linked = [program / name for name in OBJECTS[builds.name]]
        if "-flto" in flags:  # objects hold no code yet
            self.names = {symbol for _, symbol in symbols_of(linked)} - around(
                flags, scratch_of(builds, "around"))
        else:
            self.names = {symbol for _, symbol in symbols_of(sorted(program.rglob("*.o")))}
        self.same = {}  # symbol -> the group of names that it belongs to, one set for all of them
        for file in linked:
            at = {}
            for address, symbol in symbols_of([file]):
                self.join(symbol, at.setdefault(address, symbol))

    def join(self, symbol, other):
        group = self.same.get(symbol, {symbol}) | self.same.get(other, {other})
        self.same.update(dict.fromkeys(group, group))

    def one(self, symbol):
        """The name that stands for all names of a function."""
        symbol = PIECES.sub("", symbol)
        return min(self.same.get(symbol, {symbol}))

    def functions(self, calls):
        return self.summed((symbol, count) for symbol, count in calls if symbol in self.names)

    def arcs(self, calls):
        return self.summed((arc, count) for arc, count in calls if self.names.issuperset(arc))

    def summed(self, calls):
        result = collections.Counter()
        for key, count in calls:
            key = self.one(key) if isinstance(key, str) else tuple(map(self.one, key))
            result[key] += count
        return result


def around(flags, directory):
    """What any program has, or takes out of the compiler's own library, but main."""
    source = directory / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    harness.must([harness.ASCRIBE, "cc", *flags, source, "-o", directory / "empty"])
    library = harness.must(["gcc", "-print-libgcc-file-name"]).output.strip()
    return {symbol for _, symbol in symbols_of([directory / "empty", library])} - {"main"}


def compare(what, ours, truth):
    """Both are Counters; every key of either counts."""
    wrong = [f"{key}: {ours[key]}, callgrind has {truth[key]}"
             for key in sorted(set(ours) | set(truth)) if ours[key] != truth[key]]
    check(not wrong, f"{what}:\n    " + "\n    ".join(wrong[:20]) +
          (f"\n    and {len(wrong) - 20} more" if len(wrong) > 20 else ""))
    return f"{len(ours)} {what}, {sum(ours.values())} calls"


def counted_functions(profile, compiled):
    return compiled.summed(profile.rows(
        "select linkage, calls from functions where kind = 'counted' and calls > 0"))


def sited_arcs(profile, compiled):
    """Arcs by the call sites that lie in the caller itself."""
    return compiled.summed(((caller, callee), calls) for caller, callee, calls in profile.rows(
        "select a.linkage, b.linkage, call_sites.calls from call_sites"
        " join functions a on a.id = caller join functions b on b.id = callee"
        " where within_name = caller_name"))


def compiled_arcs(profile, compiled):
    """Arcs by the call sites that lie in the code of the caller, in which others were inlined."""
    return compiled.summed(((caller, callee), calls) for caller, callee, calls in profile.rows(
        "select a.linkage, b.linkage, s.calls from raw_sites s"
        " join raw_functions a on a.id = s.within join raw_functions b on b.id = s.callee"
        " where s.caller is not null and s.calls"))


def check_functions(builds, flags=tuple(FLAGS)):
    profile, truth = builds.profile_and_truth("--contexts", flags)
    compiled = Compiled(builds, "--contexts", flags)
    return compare("functions", counted_functions(profile, compiled),
                   compiled.functions(truth.functions.items()))


def check_arcs(builds):
    profile, truth = builds.profile_and_truth("--contexts", NO_TAIL_CALLS)
    compiled = Compiled(builds, "--contexts", NO_TAIL_CALLS)
    return compare("arcs", sited_arcs(profile, compiled), compiled.arcs(truth.arcs.items()))


def check_functions_and_arcs(builds):
    return check_functions(builds, NO_TAIL_CALLS) + "; " + check_arcs(builds)


def check_counters(builds, flags=tuple(FLAGS)):
    """Counters know the call sites: a tail call is its caller's, as callgrind has it."""
    profile, truth = builds.profile_and_truth("--counts", flags)
    compiled = Compiled(builds, "--counts", flags)
    functions = compare("functions with counters", counted_functions(profile, compiled),
                        compiled.functions(truth.functions.items()))
    return functions + "; " + compare("arcs", compiled_arcs(profile, compiled),
                                      compiled.arcs(truth.arcs.items()))


def check_counters_high(builds):
    return check_counters(builds, HIGH)


def check_counters_whole_program(builds):
    return check_counters(builds, WHOLE_PROGRAM)


def check_stacks(builds):
    """One tick in a hundred may fall where neither witness can be right, as inside longjmp. Around a
    call, for some instructions, the hooks are ahead: that is no more than a fifth of the time. Without
    tail calls, whose functions only the hooks remember."""
    recording = scratch_of(builds, "stacks") / "recording"
    builds.run("--contexts", NO_TAIL_CALLS, {"ASCRIBE_OUT": str(recording), "ASCRIBE_STACKS": "1",
                                     "ASCRIBE_RATE": "2000"})
    said = harness.must([sys.argv[2], recording]).output
    ticks = {what: int(number) for number, what in
             re.findall(r"(\d+) (agree|outside|around|cut|differ)", said.splitlines()[-1])}
    total = sum(ticks.values())
    wrong = total - ticks["agree"] - ticks["outside"] - ticks["around"]
    check(total >= 20 and ticks["agree"] >= total / 4, f"too few ticks to judge: {said}")
    check(wrong <= max(2, total / 100) and ticks["around"] <= total / 5, said)
    return f"{total} ticks, {wrong} with another stack than context"


ALL = [check_counters, check_ways, check_blocks]
LARGE = [check_functions, check_arcs, check_stacks, *ALL]
EVERY = {"tex": LARGE, "tcc": LARGE, "lua": LARGE, "sqlite": LARGE,
         "jsoncpp": [check_functions_and_arcs, *ALL, check_counters_high],
         "lapack": [check_functions_and_arcs, *ALL, check_counters_whole_program,
                    check_blocks_whole_program],
         "xz": [check_functions_and_arcs, *ALL, check_blocks_high]}
# Each check on two programs or more. All of EVERY with ASCRIBE_REAL=all, and for programs that are not here.
CHECKS = {"tcc": [check_functions, check_stacks, *ALL],
          "lua": [check_functions, check_arcs, check_stacks, check_counters, check_ways],
          "jsoncpp": [check_functions_and_arcs, check_counters_high],
          "lapack": [check_functions_and_arcs, check_counters_whole_program]}


def all_of_them():
    return os.environ.get("ASCRIBE_REAL") == "all"


def checks_of(name):
    return (EVERY if all_of_them() or name not in CHECKS else CHECKS)[name]


def main():
    name = sys.argv[1]
    fetch(name)
    failed = 0
    builds = Builds(name)
    for test in checks_of(name):
        begin = time.monotonic()
        try:
            print(f"ok      {name}: {test(builds)}; {time.monotonic() - begin:.0f} s", flush=True)
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {name}: {failure}", flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
