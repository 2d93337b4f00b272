#!/usr/bin/env python3
"""Frames of inlined calls equal those of llvm-symbolizer and addr2line, at every instruction of
programs made by several compilers; and forms of debug information that those tools do not read
(split, shared by dwz) give the frames of the plain form.
inlined.py FRAMES_OF NAME...: of FORMS, of VARIANTS, or units; none: all"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
UNIT = SOURCE / "tests" / "unit"
SYMBOLS = SOURCE / "src" / "symbols"
MAIN = """#include <stdio.h>
#include "symbols/demangle.h"
int main(int count, char **words) {
  char *name = demangle(words[count - 1]);
  return puts(name ? name : "?") < 0;
}
"""
C = [SYMBOLS / name for name in ("demangle.c", "demangle_rust.c", "rust_const.c", "rust_parser.c",
                                 "rust_path.c", "rust_type.c", "name_spelling.c", "../base/memory.c")]
CPP, PLAIN = [UNIT / "symbols_subject.cc"], [UNIT / "frames_subject.cc"]
# Name: compiler, options, sources, whether addr2line (binutils 2.40) can read it: not the inlined
# calls of clang's DWARF 5.
FORMS = {
    "gcc-c": ("gcc", "-O2 -g", C, True),
    "gcc-c-dwarf4": ("gcc", "-O3 -gdwarf-4", C, True),
    "gcc-c-lto": ("gcc", "-O2 -g -flto", C, True),
    "gcc-c-compressed": ("gcc", "-O2 -g -gz -ffunction-sections -Wl,--gc-sections", C, True),
    "gcc-c-lines-only": ("gcc", "-O2 -g1", C, True),
    "g++": ("g++", "-O2 -g", CPP, True),
    "g++-dwarf4": ("g++", "-O3 -gdwarf-4", CPP, True),
    "g++-lto": ("g++", "-O2 -g -flto", CPP, True),
    "g++-inlined": ("g++", "-O2 -g", PLAIN, True),
    "clang-c": ("clang", "-O2 -g", C, False),
    "clang-c-dwarf4": ("clang", "-O3 -gdwarf-4", C, True),
    "clang-c-lines-only": ("clang", "-O2 -gline-tables-only", C, False),
    "clang++": ("clang++", "-O2 -g", CPP, False),
    "clang++-dwarf4": ("clang++", "-O3 -gdwarf-4", CPP, True),
}
# Name: the form that it is another form of, further options, command on the program.
VARIANTS = {
    "gcc-c-split": ("gcc-c", "-gsplit-dwarf", None),
    "clang-c-split": ("clang-c", "-gsplit-dwarf", None),
    "g++-dwz": ("g++", "", ["dwz"]),
    "g++-dwz-shared": ("g++", "", ["dwz", "-m", "shared.debug"]),
}
CLONE = re.compile(r"[.@].*$")
PARAMETERS = re.compile(r"\([^()]*\)( const)?$")
LTO_UNIT = re.compile(r"\.cc?\.[0-9a-f]{8}$")  # a label in the code, for the unit that it came from
STRUCTOR = re.compile(r"([CD])[124](?=[EI])")


class Missing(Exception):
    """A program that this test needs is not installed."""


def run(*command, text=None, directory=None):
    if not shutil.which(command[0]):
        raise Missing(command[0])
    done = subprocess.run([str(word) for word in command], input=text, capture_output=True,
                          text=True, cwd=directory, check=False)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def build(name, form, options, folder):
    compiler, usual, sources, _ = form
    program = folder / name
    (folder / "main.c").write_text(MAIN)
    main = [folder / "main.c", "-lstdc++"] if sources is C else []
    run(compiler, *usual.split(), *options.split(), "-D_GNU_SOURCE", f"-I{SOURCE}/src", *sources, *main,
        "-o", program, directory=folder)
    return program


def instructions(program):
    text = run("objdump", "-d", "--no-show-raw-insn", program)
    return [int(found, 16) for found in re.findall(r"^ +([0-9a-f]+):", text, re.M)]


def tidy(path):
    return os.path.normpath(path) if path.startswith("/") else path


def ours(frames_of, program, addresses):
    frames, current = {}, []
    for line in run(frames_of, program, text=as_lines(addresses)).splitlines():
        if "\t" in line:
            name, linkage, file, number = line.split("\t")
            current.append((name, linkage, file, int(number)))
        else:
            current = frames[int(line, 16)] = []
    return frames


def as_lines(addresses):
    return "".join(f"{address:#x}\n" for address in addresses)


def by_tool(words, program, addresses):
    """What addr2line or llvm-symbolizer prints: an address, then two lines for each frame."""
    frames, lines = {}, run(*words, "-e", program, text=as_lines(addresses)).splitlines()
    lines = [line for line in lines if line]
    while lines:
        line = lines.pop(0)
        if re.fullmatch(r"0x[0-9a-f]+", line):
            current = frames[int(line, 16)] = []
            continue
        place = re.match(r"(.*?):(\d+|\?)(:\d+)?( \(discriminator \d+\))?$", lines.pop(0))
        current.append((line, tidy(place[1]), int(place[2]) if place[2].isdigit() else 0))
    return frames


def one_name(linkage):
    return STRUCTOR.sub(r"\1", CLONE.sub("", linkage))


def same_name(name, linkage, other):
    """The tools fall back on the bare name where there is no linkage name."""
    return one_name(linkage) == one_name(other) or linkage.endswith(other) or \
        PARAMETERS.sub("", name).endswith(other)


def difference(own, other, is_addr2line):
    """What differs between our frames of an address and a tool's; None if nothing does.  addr2line
    names the unit's file where the line is in a header, and the function that holds the code where
    an inlined one has no linkage name."""
    if len(own) != len(other):
        return "depth" if own[-1][3] or other[-1][2] else None
    for frame, their_frame in zip(own, other):
        (name, linkage, file, line), (theirs, their_file, their_line) = frame, their_frame
        if line != their_line:
            return "line"
        if line and file != their_file and not is_addr2line:
            return "file"
        # Labels inside of functions are names for the tools.
        if (is_addr2line and not linkage.startswith("_Z")) or LTO_UNIT.search(theirs):
            continue
        if not same_name(name, linkage, theirs) and line:
            return "name"
    return None


def is_function(frames):
    """Not a stub, nor code that has a name by its address only."""
    return frames and not frames[-1][1].endswith("@plt") and not frames[-1][1].startswith("0x")


def compare(form, program, own, words):
    others, wrong, equal = by_tool(words, program, own), 0, 0
    for address, frames in own.items():
        other = others.get(address)
        if not is_function(frames) or not other or other[0][0] == "??":
            continue
        what = difference(frames, other, words[0] == "addr2line")
        equal += what is None
        if what:
            wrong += 1
            if wrong < 5:
                print(f"{form}: {address:#x}: {what}\n  ours: {frames}\n  {words[0]}: {other}")
    print(f"{form}: {equal} of {equal + wrong} addresses as {words[0]} has them")
    return wrong or equal < 100


def test_form(frames_of, name, folder):
    form = FORMS[name]
    program = build(name, form, "", folder)
    own = ours(frames_of, program, instructions(program))
    failed = compare(name, program, own,
                     ["llvm-symbolizer", "-a", "-i", "--no-demangle", "--functions=linkage"])
    if form[3]:
        failed |= compare(name, program, own, ["addr2line", "-a", "-i", "-f"])
    return failed


def test_variant(frames_of, name, folder):
    plain, options, command = VARIANTS[name]
    first = build(plain, FORMS[plain], "", folder)
    second = build(name, FORMS[plain], options, folder)
    if command:
        run(*command, name, *([plain] if "-m" in command else []), directory=folder)
        if "-m" in command and not (folder / command[-1]).exists():
            sys.exit("dwz shares nothing: nothing is tested")
    addresses = instructions(first)
    expected = ours(frames_of, first, addresses)
    addresses = [address for address in addresses if is_function(expected[address])]
    got = ours(frames_of, second, addresses)
    wrong = [address for address in addresses if got[address] != expected[address]]
    for address in wrong[:5]:
        print(f"{name}: {address:#x}\n  {plain}: {expected[address]}\n  now: {got[address]}")
    print(f"{name}: {len(addresses) - len(wrong)} of {len(addresses)} addresses as in {plain}")
    return bool(wrong)


SHARED = """__attribute__((noinline)) inline int shared(int x) {
  return x * 3 + 1;
}
"""


def test_units(frames_of, folder):
    """A function that two units have: the linker keeps that of the first, and so do we."""
    for unit, function in (("first", "main"), ("second", "other")):
        (folder / unit).mkdir()
        (folder / unit / "shared.h").write_text(SHARED)
        (folder / unit / "unit.cc").write_text(
            f'#include "shared.h"\nint {function}(int x, char **) {{ return shared(x); }}\n')
        run("g++", "-O1", "-g", "-c", "unit.cc", directory=folder / unit)
    run("g++", "first/unit.o", "second/unit.o", "-o", "program", directory=folder)
    frames = ours(frames_of, folder / "program", instructions(folder / "program"))
    files = {frame[2] for stack in frames.values() for frame in stack if frame[0] == "shared(int)"}
    print(f"units: shared(int) is in {files}")
    return files != {str(folder / "first" / "shared.h")}


def test_one(frames_of, name, folder):
    if name in FORMS:
        return test_form(frames_of, name, folder)
    if name in VARIANTS:
        return test_variant(frames_of, name, folder)
    return test_units(frames_of, folder)


def main():
    frames_of, names = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or [*FORMS, *VARIANTS, "units"]
    failed, missing = False, set()
    for name in names:
        with tempfile.TemporaryDirectory(prefix="ascribe-frames-") as folder:
            try:
                failed |= test_one(frames_of, name, pathlib.Path(folder).resolve())
            except Missing as program:
                missing.add(str(program))
                print(f"{name}: not tested: there is no {program}")
    sys.exit(1 if failed else 77 if missing else 0)


if __name__ == "__main__":
    main()
