#!/usr/bin/env python3
"""The runtime that clang builds needs as little of libc as gcc's, and stacks go through its code."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, SOURCE, Profile, check, must

DIRECTORY = harness.scratch("clang-built")
BUILD = DIRECTORY / "build"
RUNTIMES = ["ascribe-runtime.o", "ascribe-runtime-static.o", "libascribe.so"]
PROGRAM = DIRECTORY / "threads"


def builds_without_a_warning():
    must(["meson", "setup", BUILD, SOURCE, "-Dwerror=true", "-Dgcc_plugin=disabled", "-Dllvm_plugin=disabled"],
         environment={"CC": "clang", "CXX": "clang++"}, timeout=None)
    must(["ninja", "-C", BUILD, *(f"src/runtime/{name}" for name in RUNTIMES)], timeout=None)


def needs_no_more_of_libc():
    for name in RUNTIMES:
        must([sys.executable, SOURCE / "tests/structure/imports.py", BUILD / "src/runtime" / name])


def stacks_go_through_it():
    """Threads begin in the runtime."""
    harness.compile_program(SOURCE / "tests/programs/threads.c", PROGRAM, ["-O2", "-pthread"], instrumented=False)
    path = DIRECTORY / "threads.ascribe"
    must([ASCRIBE, "record", "-q", "--rate", "10000", "-o", path, "--", PROGRAM],
         environment={"ASCRIBE_SUPPORT_DIR": BUILD / "src/runtime"})
    profile = Profile(path)
    found = dict(profile.rows("select name, total_ticks from functions"))
    check(found.get("thread_main", 0) >= 5, f"ticks of the threads: {found}")
    check(found.get("(stack cut off)", 0) <= 2, f"stacks are cut off: {found}")


if __name__ == "__main__":
    if not shutil.which("clang") or not shutil.which("clang++"):
        print("skipped: clang is not installed (scripts/install-packages test)")
        sys.exit(77)
    harness.main(builds_without_a_warning, needs_no_more_of_libc, stacks_go_through_it)
