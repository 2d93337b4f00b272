#!/usr/bin/env python3
"""Haskell programs as they are: names are decoded, the program's code is told from GHC's runtime and libraries, and
callers of Haskell's code are said to be unknown. A program in C with symbols like GHC's keeps its names."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("haskell")

# What GHC makes of a module, in assembly: its symbols, local code without one between them, and Haskell's stack, which
# is not C's: rbp has no frame.
MODULE = r"""
    .text
    .globl ZCMain_main_info, Main_zdwsumTo_info, Main_zdwsumTo2_info, base_GHCziBase_zpzp_info, hs_run
    .type ZCMain_main_info, @function
ZCMain_main_info: ret
    .size ZCMain_main_info, .-ZCMain_main_info
    .type Main_zdwsumTo_info, @function
Main_zdwsumTo_info:
    mov $300000000, %rcx
1:  dec %rcx
    jnz 1b
    jmp .Llocal
    .size Main_zdwsumTo_info, .-Main_zdwsumTo_info
.Llocal:
    mov $200000000, %rcx
1:  dec %rcx
    jnz 1b
    jmp Main_zdwsumTo2_info
    .type Main_zdwsumTo2_info, @function
Main_zdwsumTo2_info: jmp base_GHCziBase_zpzp_info
    .size Main_zdwsumTo2_info, .-Main_zdwsumTo2_info
    .type base_GHCziBase_zpzp_info, @function
base_GHCziBase_zpzp_info:
    mov $200000000, %rcx
1:  dec %rcx
    jnz 1b
    mov %r12, %rbp
    pop %r12
    ret
    .size base_GHCziBase_zpzp_info, .-base_GHCziBase_zpzp_info
    .type hs_run, @function
hs_run:
    push %r12
    mov %rbp, %r12
    mov $8, %rbp
    jmp Main_zdwsumTo_info
    .size hs_run, .-hs_run
    .section .note.GNU-stack,"",@progbits
"""
COLLECTOR = """
extern void hs_run(void);
static volatile long work;
__attribute__((noinline)) void GarbageCollect(void) { for (long i = 0; i < 100000000; i++) work += i; }
int main(void) { hs_run(); GarbageCollect(); return 0; }
"""
LOOKALIKE = """
static volatile long work;
__attribute__((noinline)) void Widget_get_info(void) { for (long i = 0; i < 100000000; i++) work += i; }
int main(void) { Widget_get_info(); return 0; }
"""


def built(name, **files):
    sources = []
    for suffix, text in files.items():
        source = DIRECTORY / f"{name}.{suffix}"
        source.write_text(text)
        sources.append(source)
    must(["gcc", "-O1", "-no-pie", "-o", DIRECTORY / name, *sources])
    return DIRECTORY / name


def recorded(program):
    path = DIRECTORY / f"{program.name}.ascribe"
    must([ASCRIBE, "record", "-q", "-o", path, "--", program], directory=DIRECTORY)
    return Profile(path)


def names_and_callers():
    profile = recorded(built("haskell", s=MODULE, c=COLLECTOR))
    found = {name: own for name, own, ticks in profile.rows("select name, own, self_ticks from functions") if ticks > 5}
    expected = {"Main.$wsumTo": 1, "Main.<local>": 1, "GHC.Base.++": 0, "GarbageCollect": 0}
    check({name: found.get(name) for name in expected} == expected, f"{found}")
    callers = {name for name, in profile.rows("select caller_name from arcs where callee_name = 'Main.$wsumTo'")}
    check(callers == {"(callers of Haskell code)"}, f"{callers}")
    callers = {name for name, in profile.rows("select caller_name from arcs where callee_name = 'GarbageCollect'")}
    check(callers == {"main"}, f"{callers}")
    check(profile.value("select language from objects where path like '%/haskell'") == "Haskell", "the language")
    report = must([ASCRIBE, "report", profile.path]).output
    check("those of C complete" in report and "they are unknown for" in report, report)


def only_in_haskell():
    profile = recorded(built("lookalike", c=LOOKALIKE))
    found = dict(profile.rows("select name, own from functions"))
    check(found.get("Widget_get_info") == 1 and "Haskell" not in must([ASCRIBE, "report", profile.path]).output,
          f"{found}")


def compiled_by_ghc():
    """A real one: nearly all of it has names, and lines with -g."""
    source = DIRECTORY / "Sums.hs"
    source.write_text("module Main (main) where\n\nsumTo :: Int -> Int -> Int\nsumTo acc 0 = acc\n"
                      "sumTo acc n = sumTo (acc * 31 + n) (n - 1)\n{-# NOINLINE sumTo #-}\n\n"
                      "main :: IO ()\nmain = print (sumTo 1 300000000)\n")
    if not shutil.which("ghc"):
        print("        GHC is not installed: not asked")
        return
    result = run(["ghc", "-v0", "-O1", "-g", "-outputdir", DIRECTORY, source, "-o", DIRECTORY / "sums"])
    if result.status:
        print(f"        GHC cannot compile it: not asked: {result.errors[:200]}")
        return
    profile = recorded(DIRECTORY / "sums")
    (share,) = profile.rows("select f.self_ns * 1.0 / (select sum(self_ns) from functions) from functions f"
                            " where name = 'Main.$wsumTo' and own")[0]
    lines = dict(profile.rows("select line, self_ticks from lines where file like '%Sums.hs' and line between 3 and 6"))
    check(share > 0.5 and sum(lines.values()) > 0, f"{share} of the time, lines {lines}")


if __name__ == "__main__":
    harness.main(names_and_callers, only_in_haskell, compiled_by_ghc)
