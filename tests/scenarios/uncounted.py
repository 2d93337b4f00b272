#!/usr/bin/env python3
"""Libraries that have hooks of which nothing was counted are named, with what may be the reason."""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check

DIRECTORY = harness.scratch("uncounted")
NOT_CALLED = "no function in it was called, or it was loaded apart"
LOCAL = "its linker kept the hooks' symbols local"
# Library: (reason or None, how it is linked, whether it is opened, what it is loaded with).
LIBRARIES = {
    "counted": (None, [], "RTLD_NOW", True),
    "silent": (NOT_CALLED, [], "RTLD_NOW", False),
    "deep": (NOT_CALLED, [], "RTLD_NOW | RTLD_DEEPBIND", True),
    "symbolic": (LOCAL, ["-Wl,-Bsymbolic"], "RTLD_NOW", True),
    "hidden": (LOCAL, ["-Wl,--version-script=exports.map", "-s"], "RTLD_NOW", True),
    "collected": (LOCAL, ["-Wl,-Bsymbolic,--gc-sections", "-s"], "RTLD_NOW", True),
    "plain": (None, [], "RTLD_NOW", True),
}
STRIPPED = {"hidden", "collected"} # -s takes the descriptions of the counters away, too


def build(compiler):
    (DIRECTORY / "library.c").write_text("int answer(int n);\nint answer(int n) { return n + 1; }\n")
    (DIRECTORY / "exports.map").write_text("{ global: answer; local: *; };\n")
    calls = "".join(f'  total += use("./lib{name}.so", {flags}, {int(called)});\n'
                    for name, (_, _, flags, called) in LIBRARIES.items())
    (DIRECTORY / "program.c").write_text("""
#define _GNU_SOURCE
#include <dlfcn.h>
static int use(const char *path, int flags, int called) {
  void *library = dlopen(path, flags);
  int (*answer)(int) = library ? (int (*)(int))dlsym(library, "answer") : 0;
  if (!answer) return 1000;
  return called ? answer(1) : 0;
}
int main(void) {
  int total = 0;
""" + calls + f"""  return total != {2 * sum(called for _, _, _, called in LIBRARIES.values())};
}}
""")
    harness.must(compiler + ["-O1", "program.c", "-o", "program"], directory=DIRECTORY)
    harness.must(compiler + ["-O1", "-fPIC", "-ffunction-sections", "-c", "library.c"],
                 directory=DIRECTORY)
    for name, (_, link, _, _) in LIBRARIES.items():
        linker = ["gcc"] if link else compiler
        source = "library.o"
        if name == "plain":
            linker, source = ["gcc", "-fPIC"], "library.c"
        harness.must(linker + ["-shared", f"-Wl,-soname,lib{name}.so", *link, source, "-o", f"lib{name}.so"],
                     directory=DIRECTORY)


def named_with_reasons():
    build([ASCRIBE, "cc", "--contexts"])
    recorded = harness.record("./program", DIRECTORY)
    check(recorded.status == 0, recorded.errors)
    reasons = {pathlib.Path(path).name: why for path, why in Profile(
        DIRECTORY / "profile.ascribe").rows("select path, uncounted from objects") if why}
    expected = {f"lib{name}.so": why for name, (why, *_) in LIBRARIES.items() if why}
    check(reasons.keys() == expected.keys(), f"{sorted(reasons)}, expected {sorted(expected)}")
    for name, why in expected.items():
        check(reasons[name].startswith(why), f"{name}: {reasons[name]}")
    check("has hooks, but no call was counted: lib" in recorded.errors, recorded.errors)
    report = [ASCRIBE, "report", DIRECTORY / "profile.ascribe"]
    head = harness.must(report + ["--flat"]).output
    for name, why in reasons.items():
        check(f"/{name} has hooks, but no call was counted: {why}\n" in head, head)
    objects = json.loads(harness.must(report + ["--json", "--flat"]).output)["objects"]
    check({pathlib.Path(o["path"]).name: o["uncounted"] for o in objects if o["uncounted"]} ==
          reasons, objects)


def counters_need_no_linker():
    """Libraries with counters are counted whatever linker made them, and however they are loaded."""
    linkers = {name: [f"-fuse-ld={name}", "-Wl,-Bsymbolic-functions"]
               for name in ("gold", "lld") if shutil.which(f"ld.{name}")}
    for name, link in linkers.items():
        LIBRARIES[name] = (None, link, "RTLD_NOW", True)
    build([ASCRIBE, "cc"])
    alone = harness.run(["./program"], directory=DIRECTORY)
    check(alone.status == 0, alone.errors)
    recorded = harness.record("./program", DIRECTORY)
    check(recorded.status == 0 and "no call was counted" not in recorded.errors, recorded.errors)
    profile = Profile(DIRECTORY / "profile.ascribe")
    for name, (_, _, _, called) in LIBRARIES.items():
        if name != "plain" and name not in STRIPPED:
            found = profile.calls(f"answer@lib{name}.so")
            check(found == int(called), f"lib{name}.so: {found} calls")


def plugins_need_no_static_storage():
    """Static thread-local storage is scarce: libraries with counters take none of it."""
    many = 200
    (DIRECTORY / "host.c").write_text("""
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  for (int i = 0; i < %d; i++) {
    char path[64];
    snprintf(path, sizeof path, "./plugin%%d.so", i);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*answer)(int) = library ? (int (*)(int))dlsym(library, "answer") : 0;
    if (!answer || answer(i) != i + 1) {
      puts(dlerror());
      return 1;
    }
  }
  return 0;
}
""" % many)
    (DIRECTORY / "library.c").write_text("int answer(int n);\nint answer(int n) { return n + 1; }\n")
    harness.must(["gcc", "host.c", "-o", "host"], directory=DIRECTORY)
    harness.must([ASCRIBE, "cc", "-O1", "-fPIC", "-shared", "library.c", "-o", "plugin.so"],
                 directory=DIRECTORY)
    for i in range(many):
        shutil.copy(DIRECTORY / "plugin.so", DIRECTORY / f"plugin{i}.so")
    alone = harness.run(["./host"], directory=DIRECTORY)
    check(alone.status == 0, alone.output)


def counters_are_counts():
    """A program with counters that runs too shortly for a tick was counted, and nothing else is said."""
    (DIRECTORY / "short.c").write_text("int f(int x) { return x; }\n"
                                       "int main(void) { return f(0) + f(0); }\n")
    harness.must([ASCRIBE, "cc", "-O0", "short.c", "-o", "short"], directory=DIRECTORY)
    recorded = harness.record("./short", DIRECTORY)
    check(recorded.status == 0 and "no call was counted" not in recorded.errors, recorded.errors)
    profile = Profile(DIRECTORY / "profile.ascribe")
    check(profile.calls("f") == 2, f"{profile.calls('f')} calls")
    check(not profile.rows("select path from objects where uncounted is not null"), "said uncounted")


def without_the_runtime():
    """Programs with hooks that were linked without the runtime are sampled, and told to be uncounted."""
    (DIRECTORY / "start.c").write_text("#include <stdlib.h>\n#include <time.h>\n"
                                       "int f(int x) { return x; }\n"
                                       "#ifdef START\n"
                                       "__attribute__((force_align_arg_pointer)) void _start(void) {\n"
                                       "#else\nint main(void) {\n#endif\n"
                                       "  while (clock() < CLOCKS_PER_SEC / 10) f(0);\n"
                                       "  exit(0);\n}\n")
    for mode in ([], ["--contexts"]):
        compiler = [ASCRIBE, "cc", *mode, "-O1", "start.c"]
        harness.must(compiler + ["-DSTART", "-nostartfiles", "-o", "start"], directory=DIRECTORY)
        harness.must(compiler + ["-c", "-o", "start.o"], directory=DIRECTORY)
        harness.must(["gcc", "start.o", "-o", "linked"], directory=DIRECTORY)
        for program in ("start", "linked"):
            recorded = harness.record(f"./{program}", DIRECTORY)
            check(recorded.status == 0 and "no call was counted" in recorded.errors, recorded.errors)
            profile = Profile(DIRECTORY / "profile.ascribe")
            check(profile.all_ticks() > 0, "no ticks")
            (why,), = profile.rows("select uncounted from objects where uncounted is not null")
            check("linked without the runtime" in why and "-nostartfiles" in why, why)


def looked_at_from_outside():
    """Nothing is counted then, and nothing is missing."""
    harness.must([ASCRIBE, "cc", "-O1", "start.c", "-o", "counted"], directory=DIRECTORY)
    recorded = harness.run([ASCRIBE, "record", "--perf", "-o", "outside.ascribe", "--", "./counted"],
                           directory=DIRECTORY)
    if "perf_event_open refused" in recorded.errors:
        print("        (from outside: perf is refused)")
        return
    check(recorded.status == 0 and "no call was counted" not in recorded.errors, recorded.errors)


def a_stripped_program():
    """What its counters counted cannot be told, which is not that there were no calls."""
    (DIRECTORY / "calls.c").write_text("int main(int count, char **arguments) { return !arguments[count - 1]; }\n")
    harness.must([ASCRIBE, "cc", "-O1", "-s", "calls.c", "-o", "bare"], directory=DIRECTORY)
    recorded = harness.must([ASCRIBE, "record", "-o", "bare.ascribe", "--", "./bare"], directory=DIRECTORY)
    check("no calls known" in recorded.errors, recorded.errors)
    head = harness.must([ASCRIBE, "report", "bare.ascribe"], directory=DIRECTORY).output
    check("calls      none counted, by counters" in head, head)
    check("what its counters counted is not known" in head, head)


if __name__ == "__main__":
    harness.main(named_with_reasons, counters_need_no_linker,
                 plugins_need_no_static_storage, counters_are_counts, without_the_runtime,
                 looked_at_from_outside, a_stripped_program)
