#!/usr/bin/env python3
"""A program or library that was built anew after the run, where no build-id tells: what its counters
counted is not taken for counts of the new code, and this is said; the rest is as it was."""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must

REFUSED = "from another build than the program that ran"
MAIN = """#include <stdio.h>
int shared(int n);
__attribute__((noinline)) static int odd(int n) { return n & 1; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 100; i++)
    if (odd(i)) sum += shared(i);
  printf("%d\\n", sum);
  return 0;
}
"""
LIBRARY = """__attribute__((noinline)) static int one(int n) { return n * 3 + 1; }
__attribute__((noinline)) static int other(int n) { return n / 2; }
int shared(int n) {
  int steps = 0;
  while (n > 1) { n = n & 1 ? one(n) : other(n); steps++; }
  return steps;
}
"""
# The same functions, calls and counters.
CHANGED_LIBRARY = LIBRARY.replace("n > 1", "n != 1")
NO_ID, SAME_ID = "-Wl,--build-id=none", "-Wl,--build-id=0x0123456789abcdef"


def build_library(directory, text, flag):
    (directory / "library.c").write_text(text)
    must([ASCRIBE, "cc", "-O2", "-g", "-fPIC", "-shared", flag, "library.c", "-o", "libshared.so"],
         directory=directory)


def build_program(directory, text):
    (directory / "main.c").write_text(text)
    must([ASCRIBE, "cc", "-O2", "-g", NO_ID, "main.c", "-L.", "-lshared", "-Wl,-rpath,$ORIGIN",
          "-o", "main"], directory=directory)


def built_and_run(name, flag):
    """Everything, the library with this flag, as it was built and recorded."""
    directory = harness.scratch(f"another_build-{name}")
    build_library(directory, LIBRARY, flag)
    build_program(directory, MAIN)
    must(["./main"], directory=directory, environment={"ASCRIBE_OUT": "recording"})
    return directory


class Report:
    """What a report of the recording says now: counts of functions by name, objects refused."""

    def __init__(self, directory):
        text = must([ASCRIBE, "report", "--json", "recording"], directory=directory).output
        report = json.loads(text)
        self.calls = {function["name"]: function["calls"] for function in report["functions"]
                      if function["kind"] == "counted"}
        self.refused = [entry["path"].rpartition("/")[2] for entry in report["objects"]
                        if REFUSED in entry["message"]]

    def expect(self, refused, **calls):
        check(self.refused == refused, f"refused: {self.refused}")
        for function, expected in calls.items():
            check(self.calls.get(function) == expected,
                  f"{function}: {self.calls.get(function)} calls, not {expected}")


def steps():
    """What the library's loop does for all odd n below 100."""
    one = other = 0
    for n in range(1, 100, 2):
        while n > 1:
            one, other, n = (one + 1, other, n * 3 + 1) if n & 1 else (one, other + 1, n // 2)
    return {"one": one, "other": other}


PROGRAM, SHARED = {"main": 1, "odd": 100}, {"shared": 50, **steps()}
NOTHING_SHARED = dict.fromkeys(SHARED)


def what_ran_is_believed():
    """Without a build-id, and built again the same way in another directory."""
    directory = built_and_run("same", NO_ID)
    elsewhere = harness.scratch("another_build-elsewhere")
    build_library(elsewhere, LIBRARY, NO_ID)
    shutil.copy(elsewhere / "libshared.so", directory / "libshared.so")
    Report(directory).expect([], **PROGRAM, **SHARED)


def library_was_rebuilt(name, flag):
    directory = built_and_run(name, flag)
    build_library(directory, CHANGED_LIBRARY, flag)
    Report(directory).expect(["libshared.so"], **PROGRAM, **NOTHING_SHARED)
    report = must([ASCRIBE, "report", "recording"], directory=directory).output
    check(report.count(REFUSED) == 1 and "record it again" in report, report)


def program_was_rebuilt():
    """Another condition, the same calls and as many counters."""
    directory = built_and_run("program", NO_ID)
    build_program(directory, MAIN.replace("if (odd(i))", "if (!odd(i))"))
    Report(directory).expect(["main"], main=None, odd=None, **SHARED)


def debug_file_is_of_another_build():
    """A stripped library whose debug file fits by its build-id only."""
    directory = built_and_run("debug", SAME_ID)
    strip(directory)
    Report(directory).expect([], **PROGRAM, **SHARED)
    ran = (directory / "libshared.so").read_bytes()
    build_library(directory, CHANGED_LIBRARY, SAME_ID)
    strip(directory)
    (directory / "libshared.so").write_bytes(ran)
    Report(directory).expect(["libshared.so"], **PROGRAM, **NOTHING_SHARED)


def strip(directory):
    for command in (["objcopy", "--only-keep-debug", "libshared.so", "libshared.so.debug"],
                    ["strip", "libshared.so"],
                    ["objcopy", "--add-gnu-debuglink=libshared.so.debug", "libshared.so"]):
        must(command, directory=directory)


def library_is_replaced_meanwhile():
    """A program that loads its library again, after it was built anew: what each counted is kept
    apart, though it lies at the same place."""
    directory = harness.scratch("another_build-meanwhile")
    build_library(directory, CHANGED_LIBRARY, NO_ID)
    (directory / "libshared.so").rename(directory / "new.so")
    build_library(directory, LIBRARY, NO_ID)
    (directory / "main.c").write_text("""#include <dlfcn.h>
#include <stdio.h>
__attribute__((noinline)) static int run(int n) {
  void *library = dlopen("./libshared.so", RTLD_NOW);
  int result = ((int (*)(int))dlsym(library, "shared"))(n);
  dlclose(library);
  return result;
}
int main(void) {
  int sum = run(7);
  rename("new.so", "libshared.so");
  printf("%d\\n", sum + run(7) + run(7));
  return 0;
}
""")
    must([ASCRIBE, "cc", "-O2", "-g", "main.c", "-o", "main"], directory=directory)
    must(["./main"], directory=directory, environment={"ASCRIBE_OUT": "recording"})
    Report(directory).expect(["libshared.so"], main=1, run=3, shared=2)


def without_build_id():
    library_was_rebuilt("library", NO_ID)


def with_the_same_build_id():
    library_was_rebuilt("same-id", SAME_ID)


if __name__ == "__main__":
    harness.main(what_ran_is_believed, without_build_id, with_the_same_build_id, program_was_rebuilt,
                 debug_file_is_of_another_build, library_is_replaced_meanwhile)
