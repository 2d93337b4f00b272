#!/usr/bin/env python3
"""Stacks are drawn as they were: those of an interpreter that calls itself are in its own book, and
gdb's are, too. Where only contexts are known, marks stand where frames are missing."""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "exchange"), str(HERE.parent / "view")]
import harness
from exchange import HOLE, Report, Stacks, export, judge, same_as_report
from harness import ASCRIBE, check, must
from viewer import Viewer

DIRECTORY = harness.scratch("true_stacks")
SOURCE = HERE / "interprets.c"
ROUNDS, NESTING = 1500, 2


def compiled(name, instrumented=False):
    return harness.compile_program(SOURCE, DIRECTORY / name, ["-O2"], instrumented=instrumented)


def recorded(program, *arguments):
    """The profile of a run, and the book that it printed."""
    output = f"{program.name}.ascribe"
    result = harness.record(program, DIRECTORY, arguments=arguments, output=output)
    check(result.status == 0, result.errors)
    return DIRECTORY / output, {tuple(line.split(";")) for line in result.output.splitlines() if ";" in line}


def stack_lines(profile):
    """[(names, ns)] of the export to folded stacks."""
    rows = [line.rsplit(" ", 1) for line in export(profile, "collapsed").decode().splitlines()]
    return [(tuple(names.split(";")), int(ns)) for names, ns in rows]


def known(chain, book):
    """As far as the program's own functions go. Each of these works first: then its chain is in the book."""
    own = {name for chain in book for name in chain} | {HOLE}
    end = next((i for i, name in enumerate(chain) if name not in own), len(chain))
    chain = chain[:end]
    return chain if not chain or chain[-1] == "work" else chain + ("work",)


def chains_of_the_viewer(profile):
    with Viewer(profile) as view:
        flame = view.get("api/flame", width=100000).json
    way, found = [], set()
    for depth, _, _, own, function, _ in flame["frames"]:
        way[depth:] = [flame["names"][str(function)]]
        if own:
            found.add(tuple(way))
    return found


def chains_of_speedscope(profile):
    document = json.loads(export(profile, "speedscope"))
    frames = [frame["name"] for frame in document["shared"]["frames"]]
    return {tuple(frames[i] for i in sample) for part in document["profiles"] for sample in part["samples"]}


def sampled_stacks_are_whole():
    profile, book = recorded(compiled("sampled"), ROUNDS, NESTING)
    lines = stack_lines(profile)
    stacks = Stacks()
    for names, ns in lines:
        stacks.add(names, ns)
        chain = known(names, book)
        check(not chain or chain in book, f"never happened: {';'.join(names)}")
    chains = {names for names, _ in lines}
    again = [names for names in chains if names.count("execute") > 2]
    check(len(again) > 5, f"{len(again)} chains of {len(chains)} have the interpreter three times")
    same_as_report(stacks, Report(profile), "collapsed")
    check(chains_of_speedscope(profile) == chains, "Speedscope has other stacks")
    seen = chains_of_the_viewer(profile)
    check(seen <= chains and len(seen) > len(chains) / 2, f"the viewer: {seen - chains}")
    check(must([ASCRIBE, "html", "-o", DIRECTORY / "page.html", profile]).status == 0, "html")
    tree = must([ASCRIBE, "report", "--contexts", "--limit", "all", profile]).output
    check(HOLE not in tree and "execute again" in tree, tree)


def the_debugger_agrees():
    """gdb's stacks of the same program are in its book, and have what the export has."""
    if not judge("gdb"):
        return
    program = compiled("debugged")
    script = DIRECTORY / "stacks.gdb"
    script.write_text("set pagination off\nset confirm off\nbreak work\ncommands\nsilent\nbacktrace\ncontinue\nend\nrun\n")
    result = harness.run(["gdb", "-nx", "-batch", "-x", script, "--args", program, "9", str(NESTING)], DIRECTORY)
    if "#1 " not in result.output:
        print(f"        gdb cannot run programs here: not asked: {result.errors[-200:]}")
        return
    stacks, stack = set(), []
    for number, name in re.findall(r"^#(\d+) +(?:0x[0-9a-f]+ in )?(\w+) \(", result.output, re.M):
        if number == "0" and stack:
            stacks.add(tuple(stack[::-1]))
            stack = []
        stack.append(name)
    stacks.add(tuple(stack[::-1]))
    profile, book = recorded(program, ROUNDS, NESTING)
    check(stacks == book, f"gdb: {sorted(stacks ^ book)[:3]}")
    for names, _ in stack_lines(profile):
        chain = known(names, book)
        check(not chain or chain in stacks, f"gdb has no such stack: {';'.join(names)}")


def agrees_but_for_holes(chain, real):
    """Whether this is the real chain, without the frames that marks stand for."""
    pattern = "".join("(?:[^;]+;)*" if name == HOLE else re.escape(name) + ";" for name in chain)
    return re.fullmatch(pattern, ";".join(real) + ";")


def contexts_have_marks():
    profile, book = recorded(compiled("hooked", instrumented=True), ROUNDS, NESTING)
    lines, holes = stack_lines(profile), 0
    for names, _ in lines:
        chain = known(names, book)
        holes += HOLE in chain
        check(not chain or any(agrees_but_for_holes(chain, real) for real in book),
              f"never happened: {';'.join(names)}")
    check(holes > 5, f"{holes} chains of {len(lines)} have a mark")
    check(any(HOLE in chain for chain in chains_of_the_viewer(profile)), "no mark in the viewer")
    check(HOLE in must([ASCRIBE, "report", "--contexts", profile]).output, "no mark in the report")


def deep_stacks_are_bounded():
    """40 000 frames in an order of their own each time: what is kept does not grow with them."""
    profile, _ = recorded(compiled("deep"), "deep", 8000)
    stacks, lines = Stacks(), stack_lines(profile)
    for names, ns in lines:
        stacks.add(names, ns)
    same_as_report(stacks, Report(profile), "deep")
    longest = max(len(names) for names, _ in lines)
    check(longest <= 600, f"{longest} frames")
    check(any(HOLE in names for names, _ in lines), "longer stacks have marks")
    check(profile.stat().st_size < 4 << 20, f"{profile.stat().st_size} bytes")


if __name__ == "__main__":
    harness.main(sampled_stacks_are_whole, the_debugger_agrees, contexts_have_marks, deep_stacks_are_bounded)
