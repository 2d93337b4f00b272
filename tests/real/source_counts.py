#!/usr/bin/env python3
"""`ascribe cc --expressions` beside gcov, on real programs: executions of every line, calls of every
function: source_counts.py tex|tcc|lua|sqlite|jsoncpp|lapack|xz

Two builds, one by gcc --coverage, run on the same input.  What gcov counted is read block by block
(oracle/gcov_blocks.py), and has to be what gcov says itself, line by line, by gcov's rule: a block is
of its last line.  By Ascribe's rule, a block is of all its lines, it has to be what Ascribe says.
Nothing is left out, but

- labels that are jumped to from below, where GCC parted them from what they stand before: gcov does
  not see the jumps.  They are added.
- what is always inlined (the attribute): gcov counts behind that, and knows neither the functions nor
  the lines of which nothing else was left.  Calls of them are counted here; what comes back from such
  a call to its line, as from other lines, is no new execution.

Of two programs (OPTIMIZED) another build, at -O2, has to say the same: calls of all functions, and executions
of all lines but those that GCC's front end has changed before there are blocks,

- conditions joined by || and &&, perhaps in a macro, of which it may make one comparison, and lines
  after them;
- jumps and labels, which it may make part of the condition before them.

The programs have names of one length: TeX looks at its own path."""

import collections
import json
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "oracle")]
import gcov_blocks
import harness
from program_builds import BENCH, fetch
from harness import ASCRIBE, Profile, check

MOST_SECONDS = 300
# Then gcov counts in the same flow graphs: this would change them before it does.
OPTIMIZED = ["lua", "tcc"]
CONDITION, JUMP = re.compile(r"\|\||&&|\bif\b"), re.compile(r"\b(break|continue|goto|case|default)\b")
SAME_PLACE = ["-fdisable-tree-fixup_cfg2"]
SAME_HASHES = """#define LUA_CORE
#include "lprefix.h"
#include "lua.h"
#include "llimits.h"
#undef point2uint
#define point2uint(p) 0x5eedu
"""


def flags_of(name, directory):
    if name != "lua":
        return []
    header = directory / "hashes.h" # of addresses, which differ from build to build
    header.write_text(SAME_HASHES)
    return [f"-I{sources() / 'lua' / 'src'}", "-include", header]


def sources():
    return pathlib.Path(os.environ.get("ASCRIBE_BENCH_WORK") or BENCH / "work").resolve()


def build(name, program, compiler, flags):
    harness.must([BENCH / "programs" / name / "build", program, compiler, *flags],
                 timeout=MOST_SECONDS)


def run(name, program, under=""):
    harness.must([BENCH / "programs" / name / "run", program, program / "result", "small"],
                 environment={"BENCH_UNDER": under, "BENCH_THREADS": "1"}, timeout=MOST_SECONDS)


class Counts:
    """Lines are (file, line), functions (file, linkage name)."""

    def __init__(self):
        self.lines, self.functions = collections.Counter(), collections.Counter()
        self.labels, self.arrivals = collections.Counter(), collections.Counter()


# ---- gcov's ----

def one_name(linkage):
    """Constructors and destructors of whole objects and of bases: one function (C4, D4)."""
    return re.sub(r"([CD])[14](?=[EI])", r"\g<1>2", linkage)


def gcovs_own_lines(program):
    data = sorted(str(path) for path in program.rglob("*.gcda"))
    counts = collections.Counter()
    for text in harness.must(["gcov", "--json-format", "--stdout", *data],
                             directory=program).output.splitlines():
        unit = json.loads(text)
        for file in unit["files"]:
            path = os.path.normpath(os.path.join(unit["current_working_directory"], file["file"]))
            for line in file["lines"]:
                counts[path, line["line_number"]] += line["count"]
    return counts


def counted_by_gcov(name, directory, flags):
    program = directory / "gcov"
    build(name, program, "gcc", [*flags, "--coverage", *SAME_PLACE])
    run(name, program)
    functions = [function for notes in sorted(program.rglob("*.gcno"))
                 if notes.with_suffix(".gcda").exists()
                 for function in gcov_blocks.functions_of(notes)]
    compare("lines, by gcov's rule", gcov_blocks.gcovs_line_counts(functions),
            gcovs_own_lines(program), "gcov itself")
    return counts_of(functions)


def counts_of(functions):
    """What gcov's blocks say, by our rules."""
    counts = Counts()
    counts.lines = gcov_blocks.line_counts(functions)
    counts.arrivals = gcov_blocks.line_counts(functions, gcov_blocks.arrivals)
    counts.labels = gcov_blocks.parted_labels(functions)
    for function in functions:
        if not function.artificial:
            counts.functions[function.file, one_name(function.name)] += function.calls
    return counts


# ---- ours ----

def counted_by_us(name, directory, flags, program="ours"):
    program, profile = directory / program, directory / f"{program}.ascribe"
    build(name, program, f"{ASCRIBE} cc --expressions", flags)
    run(name, program, f"{ASCRIBE} record --quiet --rate 0 -o {profile} --")
    return exported(profile), Profile(profile)


def exported(profile):
    counts, file = Counts(), None
    for line in harness.must([ASCRIBE, "export", "--to", "lcov", profile, "-o",
                              "-"]).output.splitlines():
        kind, _, text = line.partition(":")
        if kind == "SF":
            file = text
        elif kind == "DA":
            number, count = map(int, text.split(","))
            counts.lines[file, number] += count
        elif kind == "FNDA":
            count, linkage = text.split(",", 1)
            counts.functions[file, one_name(linkage)] += int(count)
    return counts


def add_jumps_to_labels(ours, truth):
    added = 0
    for line, jumps in truth.labels.items():
        if jumps and ours.lines[line] == truth.lines[line] + jumps:
            truth.lines[line] += jumps
            added += 1
    return added


def leave_out_always_inlined(ours, profile, truth):
    """What gcov does not have: functions, the lines where they begin, and those that call them.  Nor
    does it tell copies of their lines in one function apart, of which one may be on the way to another."""
    gone = {key for key in ours.functions if key not in truth.functions}
    lines = {(file, line) for file, line, linkage in
             profile.rows("select file, line, linkage from functions")
             if (file, one_name(linkage or "")) in gone}
    calls = collections.Counter()
    for file, line, callee_file, linkage, count in profile.rows(
            "select s.file, s.line, f.file, f.linkage, s.calls from call_sites s"
            " join functions f on f.id = s.callee"):
        if (callee_file, one_name(linkage or "")) in gone:
            calls[file, line] += count
    for file, line, function_file, linkage in profile.rows(
            "select c.file, c.line, f.file, f.linkage from line_counts c"
            " join functions f on f.id = c.function"):
        inlined, key = (function_file, one_name(linkage or "")) in gone, (file, line)
        if inlined and key in truth.lines and ours.lines.get(key) == truth.arrivals[key]:
            truth.lines[key] = truth.arrivals[key]
    for key in gone:
        del ours.functions[key]
    for key in (lines | set(calls)) - set(truth.lines):
        ours.lines.pop(key, None)
    for key, count in calls.items():
        if truth.lines.get(key) == ours.lines.get(key, 0) + count:
            truth.lines[key] -= count
    return gone


# ---- both ----

def compare(what, ours, truth, who="gcov"):
    wrong = [f"{file}:{place}: {ours.get((file, place))}, {who} has {truth.get((file, place))}"
             for file, place in sorted(set(ours) | set(truth))
             if ours.get((file, place)) != truth.get((file, place))]
    check(not wrong, f"{len(wrong)} of {len(truth)} {what}:\n    " + "\n    ".join(wrong[:20]))
    check(len(truth) > 20 and any(truth.values()), f"nothing was counted: {what}")


def is_changed_by_front_end(text, number, ours, truth):
    """Why a line's count may differ in an optimized build."""
    around = text[max(number - 3, 0):number + 1]
    line = text[number - 1]
    return (any(CONDITION.search(each) for each in around) or
            (JUMP.search(line) and None in (ours, truth)))


def compare_optimized(name, directory, flags, truth):
    ours, profile = counted_by_us(name, directory, ["-O2", *flags], "more")
    leave_out_always_inlined(ours, profile, truth)
    compare("functions, at -O2", ours.functions, truth.functions)
    texts, changed = {}, 0
    for file, number in sorted(set(ours.lines) | set(truth.lines)):
        counts = ours.lines.get((file, number)), truth.lines.get((file, number))
        if counts[0] == counts[1]:
            continue
        text = texts.setdefault(file, pathlib.Path(file).read_text(errors="replace").splitlines())
        check(is_changed_by_front_end(text, number, *counts),
              f"{file}:{number}: at -O2 {counts[0]}, gcov has {counts[1]}: {text[number - 1]}")
        changed += 1
    check(changed < len(truth.lines) / 100, f"{changed} lines of {len(truth.lines)} differ at -O2")
    return changed


def compared(name, directory):
    own_flags = flags_of(name, directory)
    flags = ["-O0", *own_flags]
    truth = counted_by_gcov(name, directory, flags)
    ours, profile = counted_by_us(name, directory, flags)
    gone = leave_out_always_inlined(ours, profile, truth)
    labels = add_jumps_to_labels(ours, truth)
    compare("lines", ours.lines, truth.lines)
    compare("functions", ours.functions, truth.functions)
    said = (f"{len(truth.lines)} lines, {labels} of them labels, {len(truth.functions)} functions, and"
            f" {len(gone)} that are always inlined")
    if name in OPTIMIZED:
        said += f"; {compare_optimized(name, directory, own_flags, truth)} lines differ at -O2"
    return said


def main():
    name = sys.argv[1]
    fetch(name)
    print(f"ok      {name}: {compared(name, harness.scratch(f'real-{name}-source-counts'))}")


if __name__ == "__main__":
    main()
