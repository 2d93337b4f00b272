#!/usr/bin/env python3
"""Descriptions of counters as linkers and tools leave them in an object: with what they leave out,
compressed, in a separate debug file. All counts and ranges are there, or it is said why not."""

import pathlib
import shutil
import sqlite3
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must

DIRECTORY = harness.scratch("descriptions")
SECTION = ".debug.ascribe"
FLAGS = ["-O2", "-g", "-ffunction-sections", "--expressions"]
# Both units have `both` and `add`; the linker keeps the first one's.
SHARED = """template <class T> struct list {
  T sum = 0;
  __attribute__((noinline)) void add(T x) { if (x % 3) sum += x; }
  inline T all(int n) { for (int i = 0; i < n; i++) add(i); return sum; }
};
inline __attribute__((noinline)) int both(int n) { list<int> l; return l.all(n) + l.all(n / 2); }
inline __attribute__((noinline)) int differs(int n) {
#ifdef ONE
  return n * 3;
#else
  return n * 5;
#endif
}
"""
ONE = """#define ONE
#include "shared.h"
#include <stdio.h>
int other(int n);
static __attribute__((noinline)) int never_called(int n) { return n * 3; }
int unused(int n) { return never_called(n) + 1; }
int main(void) {
  printf("%d\\n", both(10) + other(20) + both(3) + differs(1));
  return 0;
}
"""
TWO = """#include "shared.h"
int other(int n) {
  list<long> l;
  return both(n) + l.all(n) + differs(n);
}
"""
# As the source has them: `all` was inlined.
CALLS = {"main": 1, "other(int)": 1, "both(int)": 3, "differs(int)": 2, "list<int>::all(int)": 6, "list<long>::all(int)": 1,
         "list<int>::add(int)": 10 + 5 + 20 + 10 + 3 + 1, "list<long>::add(long)": 20}


def tool(*command):
    return must(list(command), directory=DIRECTORY)


def has(name):
    if not shutil.which(name):
        print(f"not tested: there is no {name}")
    return shutil.which(name)


def link(name, *options, objects=("one.o", "two.o")):
    tool(ASCRIBE, "c++", *options, *objects, "-o", name)


def build():
    for name, text in (("shared.h", SHARED), ("one.cc", ONE), ("two.cc", TWO)):
        (DIRECTORY / name).write_text(text)
    for unit in ("one", "two"):
        tool(ASCRIBE, "c++", *FLAGS, "-c", f"{unit}.cc")
    link("plain")


class Counted:
    def __init__(self, program):
        path = DIRECTORY / f"{program}.ascribe"
        tool(ASCRIBE, "record", "--quiet", "--rate", "0", "-o", path, f"./{program}")
        with sqlite3.connect(path) as profile:
            def rows(query):
                return sorted(profile.execute(query), key=str)
            functions = rows("select name, calls from functions"
                             " where kind = 'counted'")
            # What is zero may be left out by the linker.
            self.functions = {name: calls for name, calls in functions if calls}
            self.not_called = {name for name, calls in functions if calls == 0}
            self.sites = rows(
                "select f.name, g.name, s.line, s.calls from call_sites s"
                " left join functions f on f.id = s.caller left join functions g on g.id = s.callee"
                " where s.calls > 0")
            self.expressions = rows(
                "select line, source_column, end_line, end_column, kind, way, count, function_name"
                " from expressions where count > 0")
            self.zero = {line for line, in rows("select line from expressions where count = 0")}
            self.message = rows("select coalesce(message, '') from objects where path like '%/" +
                                program + "'")[0][0]


def expect_all(program, plain):
    got = Counted(program)
    check(not got.message, f"{program}: {got.message}")
    for what in ("functions", "sites", "expressions"):
        theirs, ours = getattr(plain, what), getattr(got, what)
        check(ours == theirs, f"{program}: {what}: {ours}, not {theirs}")


def expect_message(program, part):
    got = Counted(program)
    check(part in got.message, f"{program}: {got.message!r}")
    check(not got.functions and not got.expressions, f"{program} has counts")


def one_copy_counts():
    """Of functions that two units have, also of such as differ."""
    plain = Counted("plain")
    check(plain.functions == CALLS, plain.functions)
    check(plain.not_called == {"unused(int)", "never_called(int)"}, plain.not_called)
    lines = {expression[0]: expression[6] for expression in plain.expressions}
    check(lines.get(9) == 2, f"line 9: {lines.get(9)}")
    check(11 in plain.zero, "line 11 is of the copy that the linker left out")
    check(6 in plain.zero, "what is never called has no expressions")


def linkers_leave_out():
    plain = Counted("plain")
    link("collected", "-Wl,--gc-sections")
    expect_all("collected", plain)
    tool("ld", "-r", "one.o", "two.o", "-o", "together.o")
    link("relocated", objects=["together.o"])
    expect_all("relocated", plain)
    for linker, options in (("gold", ["-Wl,--icf=all"]), ("lld", ["-Wl,--icf=all,--gc-sections"])):
        if has(f"ld.{linker}"):
            link(linker, f"-fuse-ld={linker}", *options)
            expect_all(linker, plain)


def compressed():
    plain = Counted("plain")
    for form in ("zlib", "zlib-gnu"):
        tool("objcopy", f"--compress-debug-sections={form}", "plain", form)
        expect_all(form, plain)
        link(f"linked-{form}", f"-gz={form}")
        expect_all(f"linked-{form}", plain)
        if has("eu-elfcompress"):
            tool("eu-elfcompress", "-t", form.replace("zlib-gnu", "gnu"), "-o", f"eu-{form}",
                 "plain")
            expect_all(f"eu-{form}", plain)
    check(SECTION in tool("readelf", "-t", "zlib").output, "there is no such section")


def compressed_as_nobody_knows():
    """A form of tomorrow: what is in the section says that it is of kind 99."""
    tool("objcopy", "--compress-debug-sections=zlib", "plain", "tomorrow")
    change_section("tomorrow", 0, struct.pack("<I", 99))
    expect_message("tomorrow", "use a compression that cannot be read here")


def elsewhere():
    """In separate debug files, found by their name, beside the object or in .debug there."""
    plain = Counted("plain")
    tool("strip", "plain", "-o", "stripped")
    expect_message("stripped", "its counter descriptions are missing")
    tool("objcopy", "--only-keep-debug", "plain", "kept.debug")
    tool("objcopy", "--add-gnu-debuglink=kept.debug", "stripped")
    expect_all("stripped", plain)
    tool("objcopy", "--compress-debug-sections", "kept.debug")
    (DIRECTORY / ".debug").mkdir()
    (DIRECTORY / "kept.debug").rename(DIRECTORY / ".debug/kept.debug")
    expect_all("stripped", plain)
    if has("eu-strip"):
        tool("eu-strip", "-f", "eu.debug", "-o", "eu", "plain")
        expect_all("eu", plain)


def shrunk_by_dwz():
    """It refuses objects with debug sections that it does not know."""
    if has("dwz"):
        tool("dwz", "-o", "shrunk", "plain")
        expect_all("shrunk", Counted("plain"))


def place_of_section(program):
    """In the file."""
    for line in tool("readelf", "-SW", program).output.splitlines():
        fields = line.partition("]")[2].split()
        if fields and fields[0] == SECTION:
            return int(fields[3], 16)
    raise harness.Failure(f"{program} has no {SECTION}")


def change_section(program, offset, data):
    with open(DIRECTORY / program, "r+b") as file:
        file.seek(place_of_section(program) + offset)
        file.write(data)


def other_versions():
    """The section begins with "ASC" and a digit, which is ours: older and newer ones are told."""
    begin = place_of_section("plain")
    magic = (DIRECTORY / "plain").read_bytes()[begin:begin + 4]
    check(magic[:3] == b"ASC", f"the section begins with {magic}")
    for version, name in ((magic[3] - 1, "older"), (magic[3] + 1, "newer")):
        shutil.copy(DIRECTORY / "plain", DIRECTORY / name)
        change_section(name, 3, bytes([version]))
        expect_message(name, "written by another version of ascribe cc")
    tool("objcopy", "--rename-section", f"{SECTION}=.debug_ascribe", "older")
    expect_message("older", "written by another version of ascribe cc")


def damaged():
    shutil.copy(DIRECTORY / "plain", DIRECTORY / "damaged")
    change_section("damaged", 24, b"\xff" * 16)
    expect_message("damaged", "its counter descriptions are damaged")


if __name__ == "__main__":
    build()
    harness.main(one_copy_counts, linkers_leave_out, compressed, compressed_as_nobody_knows,
                 elsewhere, shrunk_by_dwz, other_versions, damaged)
