#!/usr/bin/env python3
"""The runtime stands in floors (docs/design/runtime.md): no file includes one of a higher floor, no
function calls one there, and no objects call each other in a circle.  floors.py ARCHIVE...

What a higher floor has to do for a lower one it registers there. The program itself comes in by the
assembly of arch/, whose C side may be on any floor."""

import collections
import pathlib
import re
import subprocess
import sys

RUNTIME = pathlib.Path(__file__).resolve().parents[2] / "src" / "runtime"
FLOORS = [{"registry", "arch"}, {"contexts", "ticks", "stacks", "counts", "objects", "heap",
           "messages"}, {"life", "guise"}]
FLOOR = {room: number for number, rooms in enumerate(FLOORS, 1) for room in rooms}
# Where the program comes in: assembly goes on in C functions of these names.
WAY_IN = re.compile(r"ascribe_\w+_(call|entered)|ascribe_call_(answered|failed)")
INCLUDE = re.compile(r'^\s*#\s*include\s+"runtime/(\w+)/([^"]+)"', re.M)
SYMBOL = re.compile(r"([^:/]+\.[cS])\.o:[0-9a-f ]* (\w) (\S+)$")


def wrong_includes():
    for file in sorted(RUNTIME.rglob("*.*")):
        if file.suffix not in {".c", ".h", ".S", ".inc"}:
            continue
        room = file.relative_to(RUNTIME).parts[0]
        if room not in FLOOR:
            yield f"{file.relative_to(RUNTIME)}: in no folder of a floor"
            continue
        for other, header in INCLUDE.findall(file.read_text()):
            if FLOOR[other] > FLOOR[room]:
                yield f"{file.relative_to(RUNTIME)}: floor {FLOOR[room]} may not include {other}/{header}"


def calls(archive):
    """Object: the objects of its archive that it calls or reads, with the names."""
    listing = subprocess.run(["nm", "-A", archive], check=True, capture_output=True, text=True).stdout
    symbols = [match.groups() for match in map(SYMBOL.search, listing.splitlines()) if match]
    home = {name: member for member, kind, name in symbols if kind.isupper() and kind != "U"}
    called = collections.defaultdict(lambda: collections.defaultdict(set))
    for member, kind, name in symbols:
        way_in = member.endswith(".S") and WAY_IN.fullmatch(name)
        if kind in "Uw" and home.get(name, member) != member and not way_in:
            called[member][home[name]].add(name)
    return called


def circles(called):
    """Each as a list of its members: the strongly connected ones."""
    def reached(start):
        seen, left = set(), [start]
        while left:
            for other in called.get(left.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    left.append(other)
        return seen
    reach = {member: reached(member) for member in list(called)}
    return {tuple(sorted(other for other in reach[member] if member in reach.get(other, ())))
            for member in reach if member in reach[member]}


def wrong_calls(archive):
    called = calls(archive)
    if not called:
        yield f"{archive}: nothing calls anything: is this the right file?"
    for member, others in sorted(called.items()):
        for other, names in sorted(others.items()):
            if FLOOR.get(member.split("_")[0], 3) < FLOOR.get(other.split("_")[0], 1):
                yield f"{member} may not use {', '.join(sorted(names))} of {other}, which is above it"
    for circle in sorted(circles(called)):
        yield "a circle: " + ", ".join(circle)


def main():
    wrong = list(wrong_includes())
    for archive in sys.argv[1:]:
        wrong += wrong_calls(archive)
    print("\n".join(dict.fromkeys(wrong)) or "every include and call goes down")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
