#!/usr/bin/env python3
"""What the plugin for clang counts, in every kind of linked object, beside the GCC plugin's counters and
with them in one program. clang.py CLANG: the command, as clang-14."""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

CLANG = sys.argv[1] if len(sys.argv) > 1 else "clang"
CLANGXX = CLANG.replace("clang", "clang++")
COMPILERS = {"gcc": ("gcc", "g++"), "clang": (CLANG, CLANGXX)}
WORK = CLANG + "-"
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]

MAIN = r"""
#include <stdio.h>
int across(int n);
int through(int (*callee)(int), int n);
__attribute__((noinline)) int mine(int n) { return across(n) + 1; }
__attribute__((noinline)) int other(int n) { return n - 1; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += mine(i) + through(i % 10 ? mine : other, i);
  printf("%d\n", sum);
  return 0;
}
"""
PART = r"""
__attribute__((noinline)) static int leaf(int n) { return n * 3; }
__attribute__((noinline)) int across(int n) { return n % 2 ? leaf(n) : leaf(n + 1) + leaf(n + 2); }
__attribute__((noinline)) int through(int (*callee)(int), int n) { return callee(n) + 1; }
"""
# mine: 100 by name, 90 by the pointer; an even argument calls leaf twice.
CALLS = {"main": 1, "mine": 190, "other": 10, "through": 100, "across": 190, "leaf": 190 + 100 - 10}
ARCS = {("main", "mine"): 100, ("main", "through"): 100, ("through", "mine"): 90, ("through", "other"): 10,
        ("mine", "across"): 190, ("across", "leaf"): 280}


def environment(name):
    c, cxx = COMPILERS[name]
    return {"ASCRIBE_CC": c, "ASCRIBE_CXX": cxx}


def compiled(name, source, target, *flags, language="cc", **options):
    return must([ASCRIBE, language, "-w", "-c", source, "-o", target, *flags], environment=environment(name),
                **options)


def write(directory, **files):
    for name, text in files.items():
        (directory / name.replace("_", ".")).write_text(text)
    return directory


def recorded(program, directory, **options):
    result = harness.record(program, directory, ["--quiet", "--rate", "0"], **options)
    check(result.status == 0, f"{program}: {result.ending} {result.errors}")
    return Profile(directory / "profile.ascribe")


def holds(profile, calls=None, arcs=None, where=""):
    for name, count in (calls or CALLS).items():
        check(profile.calls(name) == count, f"{where}: {name} called {profile.calls(name)} times, not {count}")
    for (caller, callee), count in (arcs or ARCS).items():
        found = profile.arc(caller, callee)
        check(found == count, f"{where}: {caller} called {callee} {found} times, not {count}")


def both_compilers_in_one_program():
    directory = write(harness.scratch(WORK + "mixed"), main_c=MAIN, part_c=PART)
    for level in LEVELS:
        for main_by, part_by, linked_by in (("gcc", "clang", "gcc"), ("clang", "gcc", "clang"),
                                            ("clang", "clang", "clang"), ("clang", "clang", "gcc")):
            compiled(main_by, "main.c", "main.o", level, directory=directory)
            compiled(part_by, "part.c", "part.o", level, directory=directory)
            must([ASCRIBE, "cc", "main.o", "part.o", "-o", "mixed"], directory=directory,
                 environment=environment(linked_by))
            holds(recorded("./mixed", directory), where=f"{main_by}, {part_by}, {level}")


def without_the_runtime():
    directory = write(harness.scratch(WORK + "plain"), main_c=MAIN, part_c=PART)
    expected = None
    for level in "-O0", "-O2":
        for file in "main", "part":
            compiled("clang", f"{file}.c", f"{file}.o", level, directory=directory)
            compiled("clang", f"{file}.c", f"{file}.pic.o", level, "-fPIC", directory=directory)
        for linker in CLANG, "gcc":
            must([linker, "main.o", "part.o", "-o", "plain"], directory=directory)
            must([linker, "-r", "main.o", "part.o", "-o", "joined.o"], directory=directory)
            must([linker, "joined.o", "-o", "joined"], directory=directory)
            must([linker, "-static", "main.o", "part.o", "-o", "static"], directory=directory)
            must([linker, "-Wl,--gc-sections", "main.o", "part.o", "-o", "collected"], directory=directory)
            must([linker, "-shared", "part.pic.o", "-o", "libpart.so"], directory=directory)
            must([linker, "main.o", "libpart.so", "-Wl,-rpath,$ORIGIN", "-o", "shared"], directory=directory)
            for program in "plain", "joined", "static", "collected", "shared":
                result = must([f"./{program}"], directory=directory)
                expected = expected or result.output
                check(result.output == expected, f"{linker} {level} {program} writes {result.output}")


def kinds_of_programs():
    directory = write(harness.scratch(WORK + "kinds"), main_c=MAIN, part_c=PART)
    kinds = (["-static"], ["-static-pie", "-fPIE"], ["-no-pie", "-fno-pie"], ["-Wl,--gc-sections", "-ffunction-sections"],
             ["-save-temps"], ["-fno-integrated-as"], ["-masm=intel"], ["-fcf-protection=full"],
             ["--without-gs"], ["-g"], ["-g", "-Wl,--wrap=across", "-DWRAP"], ["-fstack-protector-all"],
             ["-fsanitize=undefined", "-fsanitize-trap=undefined"], ["-x", "c"], ["-mno-red-zone"], ["-fno-plt"], ["-fvisibility=hidden"])
    wrapped = "int __real_across(int);\nint __wrap_across(int n) { return __real_across(n); }\n"
    write(directory, wrap_c=wrapped)
    for kind in kinds:
        for level in "-O0", "-O2":
            files = ["main.c", "part.c"] + (["wrap.c"] if "-DWRAP" in kind else [])
            must([ASCRIBE, "cc", "-w", level, *kind, *harness.counts_without_gs(kind), *files, "-o", "program"],
                 directory=directory, environment=environment("clang"))
            arcs = dict(ARCS)
            if "-DWRAP" in kind:
                del arcs["mine", "across"]
                arcs["mine", "__wrap_across"] = 190
            holds(recorded("./program", directory), arcs=arcs, where=f"{kind} {level}")


def shared_libraries():
    directory = write(harness.scratch(WORK + "library"), main_c=MAIN, part_c=PART)
    for level in LEVELS:
        for main_by, part_by in ("clang", "clang"), ("gcc", "clang"), ("clang", "gcc"):
            must([ASCRIBE, "cc", level, "-fPIC", "-shared", "part.c", "-o", "libpart.so"], directory=directory,
                 environment=environment(part_by))
            must([ASCRIBE, "cc", level, "main.c", "libpart.so", "-Wl,-rpath,$ORIGIN", "-o", "program"],
                 directory=directory, environment=environment(main_by))
            holds(recorded("./program", directory), where=f"{main_by} with a library of {part_by}'s, {level}")


THREADS = r"""
#include <pthread.h>
static volatile int sink;
__attribute__((noinline)) void work(int n) { sink = n; }
__attribute__((noinline)) void rest(int n) { sink = -n; }
static void (*volatile callees[3])(int) = {work, rest, work};
static void *run(void *unused) {
  for (int i = 0; i < 300000; i++) {
    work(i);
    callees[i % 3](i);
  }
  return unused;
}
int start(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; i++) pthread_create(threads + i, 0, run, 0);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
  return 0;
}
"""


def threads():
    directory = write(harness.scratch(WORK + "threads"), threads_c=THREADS,
                      main_c="int start(void);\nint main(void) { return start(); }\n")
    calls = {"work": 8 * 500000, "rest": 8 * 100000, "run": 8}
    arcs = {("run", "work"): 8 * 500000, ("run", "rest"): 8 * 100000, ("main", "start"): 1}
    for level in "-O0", "-O2":
        for way in ([], ["--without-gs"]):
            must([ASCRIBE, "cc", "-w", level, *way, "-pthread", "main.c", "threads.c", "-o", "program"],
                 directory=directory, environment=environment("clang"))
            holds(recorded("./program", directory), calls, arcs, f"{way} {level}")
        must([ASCRIBE, "cc", "-w", level, "-fPIC", "-shared", "-pthread", "threads.c", "-o", "libthreads.so"],
             directory=directory, environment=environment("clang"))
        must([ASCRIBE, "cc", "-w", level, "main.c", "libthreads.so", "-Wl,-rpath,$ORIGIN", "-o", "program"],
             directory=directory, environment=environment("clang"))
        holds(recorded("./program", directory), calls, arcs, f"library {level}")


INLINE = r"""
#include <stdexcept>
struct shape { virtual int area(int n) { return n; } virtual ~shape() {} };
struct square : shape { int area(int n) override { if (n < 0) throw std::runtime_error("negative"); return n * n; } };
template <typename number> __attribute__((noinline)) number twice(number n) { return n + n; }
inline __attribute__((noinline)) int shared(int n) { return twice(n) + 1; }
int unit_one(shape &it), unit_two(shape &it);
"""
UNIT = r"""
#include "inline.h"
__attribute__((noinline)) int unit_NAME(shape &it) {
  int sum = 0;
  for (int i = 0; i < 10; i++) {
    try { sum += shared(it.area(i - 5)); } catch (const std::exception &) { sum++; }
  }
  return sum;
}
"""
BOTH = r"""
#include "inline.h"
int main() { shape plain; square other; return unit_one(plain) + unit_two(other) + unit_one(other) == 0; }
"""


def functions_in_several_units():
    directory = write(harness.scratch(WORK + "inline"), inline_h=INLINE, main_cc=BOTH,
                      one_cc=UNIT.replace("NAME", "one"), two_cc=UNIT.replace("NAME", "two"))
    calls = {"shape::area": 10, "square::area": 20, "shared": 20, "twice<int>": 20, "unit_one": 2, "unit_two": 1}
    for level in "-O0", "-O2":
        for one, two in ("clang", "clang"), ("gcc", "clang"), ("clang", "gcc"):
            for by, file in (("clang", "main"), (one, "one"), (two, "two")):
                compiled(by, f"{file}.cc", f"{file}.o", level, "-fno-ipa-icf" if by == "gcc" else "-g",
                         language="c++", directory=directory)
            must([ASCRIBE, "c++", "main.o", "one.o", "two.o", "-o", "program"], directory=directory,
                 environment=environment("clang"))
            profile = recorded("./program", directory)
            for name, count in calls.items():
                found = profile.calls_like(f"%{name}%")
                check(found == count, f"{one}, {two}, {level}: {name} called {found} times, not {count}")


def figures(program, directory):
    profile = recorded(program, directory)
    return set(profile.rows("select name, sum(calls) from functions where calls > 0 group by 1")
               + profile.rows("select caller_name, callee_name, line, sum(calls) from call_sites"
                              " where calls > 0 group by 1, 2, 3"))


def counts_equal_those_of_gcc():
    """Without optimization both compilers make the same calls."""
    compared = 0
    for name in "callback.c", "exceptions.cc", "flows.c", "hidden_cycle.c", "longjmp.c", "mutual.c", "recursion.c", \
            "recursion_kinds.c", "shared_sort.c":
        source = harness.PROGRAMS / name
        directory = harness.scratch(WORK + f"{name}")
        found = {}
        for by in COMPILERS:
            language = "c++" if name.endswith("cc") else "cc"
            must([ASCRIBE, language, "-w", "-g", "-O0", "-D_GNU_SOURCE", "-I", harness.PROGRAMS, source, "-o", by,
                  "-lm"], directory=directory, environment=environment(by))
            found[by] = figures(f"./{by}", directory)
        different = sorted(found["gcc"] ^ found["clang"], key=str)
        check(not different, f"{name}: {different}")
        compared += len(found["gcc"])
    check(compared > 60, f"{compared} figures")


def derived_counts_equal_counted_ones():
    for name in "callback.c", "exceptions.cc", "longjmp.c", "mutual.c", "flows.c":
        source = harness.PROGRAMS / name
        directory = harness.scratch(WORK + f"placement-{name}")
        for level in LEVELS:
            found = []
            for placement in "all", "few":
                language = "c++" if name.endswith("cc") else "cc"
                must([ASCRIBE, language, "-w", "-g", level, f"--ascribe-placement={placement}", "-D_GNU_SOURCE", "-I",
                      harness.PROGRAMS, source, "-o", placement, "-lm"], directory=directory,
                     environment=environment("clang"))
                found.append(figures(f"./{placement}", directory))
            check(found[0] == found[1], f"{name} {level}: {sorted(found[0] ^ found[1], key=str)}")


def one_instruction_increments():
    directory = write(harness.scratch(WORK + "code"), part_c=PART, main_c=MAIN)
    for file in "main", "part":
        compiled("clang", f"{file}.c", f"{file}.o", "-O2", directory=directory)
        code = must(["objdump", "-d", "--no-show-raw-insn", f"{file}.o"], directory=directory).output
        uses = re.findall(r"^.*%gs.*$", code, re.M)
        check(len(uses) > 1 and all(re.search(r"\tincq +%gs:0x0\(%rip\)", use) for use in uses), f"{uses}")


def debug_information_is_the_users():
    directory = write(harness.scratch(WORK + "debug"), part_c=PART)
    sections = lambda file: must(["readelf", "-SW", file], directory=directory).output
    text = {}
    for name, flags in {"none": [], "full": ["-g"], "off": ["-g0"]}.items():
        compiled("clang", "part.c", f"{name}.o", "-O2", *flags, directory=directory)
        check((".debug_info" in sections(f"{name}.o")) == (name == "full"), f"debug information: {name}")
        check(".debug.ascribe" in sections(f"{name}.o"), f"descriptions: {name}")
        must(["objcopy", "-O", "binary", "-j", ".text", f"{name}.o", f"{name}.bin"], directory=directory)
        text[name] = (directory / f"{name}.bin").read_bytes()
    check(text["none"] == text["full"], "debug information changes the code")
    write(directory, main_c=MAIN)
    must([ASCRIBE, "cc", "-O2", "main.c", "part.c", "-o", "program"], directory=directory,
         environment=environment("clang"))
    lines = recorded("./program", directory).rows("select line from call_sites where caller_name = 'main' and"
                                                  " callee_name = 'mine'")
    check(lines == [(10,)], f"lines without -g: {lines}")


CHOICE = """
__attribute__((noinline)) int first(int n) { return n + 1; }
__attribute__((noinline)) int second(int n) { return first(n) + 1; }
__attribute__((noinline, no_instrument_function)) int third(int n) { return second(n) + 1; }
int main(void) { return third(1) == 4 ? 0 : 1; }
"""


def chosen_functions():
    directory = write(harness.scratch(WORK + "choice"), choice_c=CHOICE)
    for option, counted in {"--ascribe-only=fir*,main": {"first", "main"}, "--ascribe-skip=second": {"first", "main"},
                            "--ascribe-skip=*choice.c": set(), "--counts": {"first", "second", "main"},
                            "--ascribe-leaf-statements=9": {"second", "main"}}.items():
        result = must([ASCRIBE, "cc", option, "-g", "-O1", "choice.c", "-o", "program"], directory=directory,
                      environment=environment("clang"))
        check(not result.errors, result.errors)
        if not counted:
            must(["./program"], directory=directory)
            continue
        rows = recorded("./program", directory).rows("select name from functions where calls > 0")
        check({name for name, in rows} == counted, f"{option}: {rows}")


def use_of_gs_is_refused():
    directory = write(harness.scratch(WORK + "gs"),
                      own_c="long own(void) { return *(__attribute__((address_space(256))) long *)8; }\n",
                      text_c='void own(void) { __asm__ volatile("movq %%gs:0, %%rax" ::: "rax"); }\n')
    for file in "own.c", "text.c":
        refused = run([ASCRIBE, "cc", "-c", file], directory=directory, environment=environment("clang"))
        check(refused.status != 0 and "--without-gs" in refused.errors, refused.errors)
        compiled("clang", file, "own.o", "--without-gs", directory=directory)
        compiled("clang", file, "own.o", "-fPIC", directory=directory)


def where_it_falls_back():
    directory = write(harness.scratch(WORK + "explain"), part_c=PART)
    for flags, text in ([], "the plugin fits this compiler"), (["--contexts"], "called hooks"), \
            (["-flto"], "called hooks: the plugin for clang does not work with -flto"), \
            (["-fsanitize=address"], "called hooks"), (["-flto", "-fno-lto"], "the plugin fits"), \
            (["--expressions"], "--expressions needs gcc"), (["--source-counts"], "--expressions needs gcc"):
        told = must([ASCRIBE, "cc", "--ascribe-explain", *flags, "-c", "part.c"], directory=directory,
                    environment=environment("clang")).output
        check(text in told, f"{flags}: {told}")
    empty = directory / "empty"
    empty.mkdir()
    told = must([ASCRIBE, "cc", "--ascribe-explain", "-c", "part.c"], directory=directory,
                environment={**environment("clang"), "ASCRIBE_SUPPORT_DIR": empty}).output
    check("the plugin for this clang is not installed" in told, told)
    for flags in ["-flto"], ["-fsanitize=address"]:
        compiled("clang", "part.c", "part.o", *flags, directory=directory)


def no_warnings():
    directory = write(harness.scratch(WORK + "warnings"), part_c=PART, main_c=MAIN, 
                      text_S='.globl text\ntext: ret\n.section .note.GNU-stack,"",@progbits\n')
    for command in ["-c", "part.c"], ["-c", "main.c"], ["-c", "text.S"], ["main.o", "part.o", "-o", "program"], \
            ["-E", "part.c"], ["-S", "part.c"], ["-fsyntax-only", "part.c"], ["main.c", "part.o", "text.S", "-o", "x"]:
        told = must([ASCRIBE, "cc", "-Wall", "-Werror", *command], directory=directory,
                    environment=environment("clang"))
        check(not told.errors, f"{command}: {told.errors}")


NEW = r"""
#include <cstdlib>
#include <memory>
template <int bytes> struct sized { char text[bytes]; };
struct base { virtual ~base() {} long number; };
struct derived : sized<1002>, base { derived() : made(1) {} int made; };
struct plain : sized<2001> { char more; };
template <class T> static T *make() { return new T(); }
template <class T> struct holder { T *held; holder(int count) : held(new T[count]) {} };
namespace { struct hidden { char text[1003]; hidden() { text[0] = 0; } }; hidden *make_hidden() { return new hidden; } }
static void *keep[100];
static int kept;
template <class T> __attribute__((noinline)) void hold(T *made) { keep[kept++] = (void *)made; }
int main() {
  base *one = new derived;
  hold(one);
  sized<2001> *two = new plain;
  hold(two);
  hold(make_hidden());
  hold(make<sized<1005>>()); hold(make<sized<1006>>());
  hold(std::make_unique<sized<1008>>().release());
  hold(holder<short>(505).held); hold(new holder<base>(64));
  hold(std::malloc(2003));
}
"""
KINDS = {"derived": 1024, "plain": 2002, "(anonymous namespace)::hidden": 1003, "sized<1005>": 1005, "sized<1006>": 1006,
         "sized<1008>": 1008, "short": 1010, "holder<base>": 8, "base": 64 * 16 + 8}


def types_of_new():
    directory = write(harness.scratch(WORK + "types"), new_cc=NEW)
    for flags in ["-O0"], ["-O2"], ["-O3", "-ffunction-sections", "-Wl,--gc-sections"], ["-O2", "-static", "--heap"]:
        must([ASCRIBE, "c++", "-w", "-g", *flags, "new.cc", "-o", "new"], directory=directory,
             environment=environment("clang"))
        must([ASCRIBE, "record", "-q", "--heap", "-o", "new.ascribe", "--", "./new"], directory=directory)
        found = dict(Profile(directory / "new.ascribe").rows(
            "select name, allocated_bytes from heap_kinds where basis = 'type'"))
        check(found == KINDS, f"{flags}: {found}, not {KINDS}")


if __name__ == "__main__":
    os.environ.pop("ASCRIBE_SUPPORT_DIR", None)
    harness.main(both_compilers_in_one_program, without_the_runtime, kinds_of_programs, shared_libraries, threads,
                 functions_in_several_units, counts_equal_those_of_gcc, derived_counts_equal_counted_ones,
                 one_instruction_increments, debug_information_is_the_users, chosen_functions, use_of_gs_is_refused,
                 where_it_falls_back, no_warnings, types_of_new)
