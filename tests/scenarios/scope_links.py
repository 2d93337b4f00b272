#!/usr/bin/env python3
"""Scopes count however a program was compiled and linked, without a library or a warning; programs that
were built with ASCRIBE_OFF have nothing of them."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, HEADERS, Profile, check, must, run

DIRECTORY = harness.scratch("scope_links")
TEXT = """#include <ascribe/ascribe.h>
#include <setjmp.h>
#include <stdio.h>
static volatile int sink;
static int square(int n) {
  ASCRIBE_SCOPE("square");
  return n * n;
}
static void nothing(int a, int b) { sink += a - b + 1; }
static jmp_buf place;
static void jumps(int n) { /* no warning that scopes might be clobbered */
  ASCRIBE_SCOPE("outer");
  if (setjmp(place) == 0) {
    ASCRIBE_SCOPE("inner");
    nothing(n, n + 1);
#ifndef __cplusplus
    longjmp(place, 1);
#endif
  }
}
int main(void) {
  struct ascribe_captured here;
  for (int i = 0; i < 7; i++) {
    ASCRIBE_SCOPE("loop");
    sink += ASCRIBE_SCC("value", square(ASCRIBE_SCC("argument", i)));
  }
  jumps(sink);
  ASCRIBE_SCC("nothing", nothing(1, 2));
  sink += ASCRIBE_SCC("commas", nothing(1, 2), 0);
  here = ascribe_capture();
  { ASCRIBE_RESUME(here); sink++; }
  printf("%d\\n", sink);
  return 0;
}
"""
OUTPUT = "92\n"
ENTRIES = {"argument": 7, "loop": 7, "square": 7, "value": 7, "nothing": 1, "commas": 1, "outer": 1, "inner": 1}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
C_WARNINGS = ["-Wmissing-prototypes", "-Wstrict-prototypes"]
WAYS = {
    "c99": ["-std=c99", *C_WARNINGS],
    "debug": ["-O0", "-g"],
    "no-pie": ["-no-pie", "-fno-pie"],
    "pie": ["-pie", "-fPIE"],
    "now": ["-Wl,-z,now,-z,relro", "-fcf-protection"],
    "gold": ["-fuse-ld=gold", "-no-pie", "-fno-pie"],
    "lld": ["-fuse-ld=lld"],
    "lld-no-pie": ["-fuse-ld=lld", "-no-pie", "-fno-pie"],
    "lto": ["-flto"],
    "sections": ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
    "intel": ["-masm=intel"],
    "profiled": ["-pg"],
    "undefined": ["-fsanitize=undefined", "-fno-sanitize-recover=all"],
    "hooks": ["-finstrument-functions", "-Wno-missing-prototypes"],
}
CPP = {"c++11": ["-std=c++11"], "c++20": ["-std=c++20", "-Wno-volatile"], "no-exceptions": ["-fno-exceptions", "-fno-rtti"]}


def built(name, compiler, flags, text=TEXT):
    suffix = ".cc" if compiler.endswith("++") else ".c"
    source, program = DIRECTORY / (name + suffix), DIRECTORY / name
    source.write_text(text)
    if compiler == "clang++" and "-Wno-volatile" in flags:
        flags = [*flags, "-Wno-deprecated-volatile"]
    if compiler.startswith("clang"):
        flags = [*flags, "-Wno-unknown-warning-option", "-Wno-unused-command-line-argument"]
    must([compiler, "-O2", *WARNINGS, *flags, "-I", HEADERS, source, "-o", program], directory=DIRECTORY)
    result = run([program], directory=DIRECTORY)
    check((result.ending, result.output) == ("status 0", OUTPUT), f"{name} alone: {result.ending} {result.errors}")
    return program


def entries(name, program):
    profile = DIRECTORY / f"{name}.ascribe"
    result = run([ASCRIBE, "record", "-q", "-o", profile, "--", program], directory=DIRECTORY)
    check((result.ending, result.output) == ("status 0", OUTPUT), f"{name} recorded: {result.ending} {result.errors}")
    return dict(Profile(profile).rows("select name, entries from cost_centres"))


def names_of(program):
    return [line for line in must(["nm", program]).output.splitlines() if "ascribe" in line]


def main():
    wrong = []
    for compiler in ["gcc", "g++", "clang", "clang++"]:
        if not shutil.which(compiler):
            continue
        for way, flags in (CPP if compiler.endswith("++") else WAYS).items():
            name = f"{compiler}-{way}".replace("+", "p")
            if way in ("gold", "lld", "lld-no-pie") and not shutil.which("ld." + way.split("-")[0]):
                continue
            if compiler == "clang" and way == "lto":
                flags = ["-flto", "-fuse-ld=lld"]
            found = entries(name, built(name, compiler, flags))
            if found != ENTRIES:
                wrong.append(f"{name}: {found}")
        off = built("off-" + compiler.replace("+", "p"), compiler, ["-DASCRIBE_OFF"])
        check(not names_of(off), f"ASCRIBE_OFF: {names_of(off)}")
        check(entries("off", off) == {}, "entries with ASCRIBE_OFF")
    built("static", "gcc", ["-static"])
    static = DIRECTORY / "counted-static"
    must([ASCRIBE, "cc", "-O2", "-static", "-I", HEADERS, DIRECTORY / "static.c", "-o", static])
    if entries("counted-static", static) != ENTRIES:
        wrong.append("linked with the runtime, static")
    check(not wrong, "\n".join(wrong))
    print("scopes count, however they are linked")


if __name__ == "__main__":
    main()
