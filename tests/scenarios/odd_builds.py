#!/usr/bin/env python3
"""Programs that are built, linked or kept in odd ways: what has counters is counted exactly, under its
own name, and what has none is said."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check

COUNTS = [ASCRIBE, "cc"]
DIRECTORY = harness.scratch("odd_builds")
FLAGS = ["-O2", "-g"]
COLD = "__attribute__((noinline, noclone)) "


class Program:
    """A program in a directory of its own."""

    def __init__(self, name):
        self.directory = DIRECTORY / name
        self.directory.mkdir()

    def file(self, name, text):
        (self.directory / name).write_text(text)
        return name

    def must(self, *command):
        return harness.must(command, directory=self.directory)

    def compile(self, name, text, *words, compiler=COUNTS, flags=FLAGS):
        """One object file; its name."""
        target = name + ".o"
        self.must(*compiler, *flags, *words, "-c", self.file(name, text), "-o", target)
        return target

    def link(self, *words, compiler=COUNTS, output="program"):
        self.must(*compiler, "-g", "-o", output, *words)

    def record(self):
        """The profile of a run of ./program."""
        result = harness.record("./program", self.directory, ["--rate", "0"])
        check(result.status == 0, f"{result.ending}: {result.errors}")
        return Profile(self.directory / "profile.ascribe")

    def report(self):
        return harness.must([ASCRIBE, "report", "--flat", self.directory / "profile.ascribe"]).output


def counted(profile, calls, arcs=None):
    """Entries by function, and calls by (caller, callee)."""
    for name, expected in calls.items():
        found = profile.calls(name)
        check(found == expected, f"{name}: {found} calls, expected {expected}")
    for (caller, callee), expected in (arcs or {}).items():
        found = profile.arc(caller, callee)
        check(found == expected, f"{caller} -> {callee}: {found} calls, expected {expected}")


# ---- which files have counters ----

WAYS = {"contexts": [ASCRIBE, "cc", "--contexts"], "counts": COUNTS,
        "expressions": [ASCRIBE, "cc", "--expressions"],
        "plain": ["gcc"], "pg": ["gcc", "-pg"],
        "gcov": ["gcc", "--coverage"]}


def files_of_all_ways():
    """Each file calls the next, in a circle of calls that all ways take part in."""
    names = list(WAYS)
    for main in "counts", "contexts":
        program = Program("ways-" + main)
        objects = []
        for i, name in enumerate(names):
            following = names[(i + 1) % len(names)]
            objects.append(program.compile(
                name + ".c", f"int {following}_f(int); int {name}_g(int);\n"
                f"{COLD}int {name}_g(int n) {{ return n + 1; }}\n"
                f"int {name}_f(int n) {{ return n <= 0 ? 0 : {name}_g({following}_f(n - 1)); }}\n",
                compiler=WAYS[name]))
        objects.append(program.compile(
            "main.c", '#include <stdio.h>\nint counts_f(int);\n'
            'int main(void) { printf("%d\\n", counts_f(59)); return 0; }\n', compiler=WAYS[main]))
        program.link(*objects, "-pg", "--coverage", compiler=WAYS[main])
        profile = program.record()
        expected = {f"{name}_{x}": 10 for name in ("contexts", "counts", "expressions")
                    for x in "fg"}
        counted(profile, expected | {"contexts_g": 9}, # its last call returns at once
                {("counts_f", "expressions_f"): 10, ("counts_f", "counts_g"): 10,
                 ("expressions_f", "expressions_g"): 10})
        kinds = dict(profile.rows("select name, kind from functions"))
        for name in "plain", "pg", "gcov":
            check(kinds.get(name + "_f") != "counted", f"{name}_f is said to have been counted")


def some_files_only():
    """What has no counters is no caller, and its own calls are not made up."""
    program = Program("partial")
    with_counters = program.compile(
        "counted.c", "int plain(int); int leaf(int);\n"
        f"{COLD}int counted_inner(int n) {{ return n + 1; }}\n"
        "int counted(int n) { return counted_inner(plain(n)); }\n"
        f"{COLD}int called_back(int n) {{ return leaf(n) + counted_inner(n); }}\n"
        '#include <stdio.h>\n'
        'int main(void) { int s = 0; for (int i = 0; i < 30; i++) s += counted(i);\n'
        '  printf("%d\\n", s); return 0; }\n')
    without = program.compile("plain.c", "int called_back(int);\n"
                              f"{COLD}int leaf(int n) {{ return n * 2; }}\n"
                              "int plain(int n) { return leaf(n) + called_back(n); }\n",
                              compiler=["gcc"])
    program.link(with_counters, without)
    profile = program.record()
    counted(profile, {"counted": 0, "counted_inner": 60, "called_back": 30, "main": 1},
            {("called_back", "counted_inner"): 30})
    rows = dict(profile.rows("select callee_name, calls from arcs where caller is null"))
    check(rows == {"main": 1, "called_back": 30}, f"without callers: {rows}")
    names = {name for name, in profile.rows("select callee_name from arcs")}
    check(not names & {"plain", "leaf"}, f"calls of what has no counters: {names}")


# ---- libraries that go, files that are gone ----

LIBRARY = (COLD + "int {0}_inner(int n) {{ return n + 1; }}\n"
           "int work(int n) {{ int s = 0; while (n--) s += {0}_inner(n); return s; }}\n")
OPENS = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void *use(void *path) {
  void *library = dlopen(path, RTLD_NOW);
  int (*work)(int) = (int (*)(int))dlsym(library, "work");
  printf("%p\n", (void *)work);
  work(1000);
  dlclose(library);
  return 0;
}
int main(void) {
  pthread_t thread;
  for (int i = 0; i < 3; i++) {
    use("./liba.so");
    pthread_create(&thread, 0, use, "./libb.so");
    pthread_join(thread, 0);
  }
  return 0;
}
"""


def unloaded(name, way, linker):
    program = Program(name)
    for library in "ab":
        program.link(program.compile(library + ".c", LIBRARY.format(library), "-fPIC", compiler=way),
                     "-shared", output=f"lib{library}.so", compiler=linker)
    program.link(program.compile("main.c", OPENS, compiler=way), "-pthread", "-ldl", compiler=way)
    counted(program.record(),
            {"work@liba.so": 3, "work@libb.so": 3, "a_inner": 3000, "b_inner": 3000, "use": 6},
            {("use", "work@liba.so"): 3, ("use", "work@libb.so"): 3, ("work@libb.so", "b_inner"): 3000})


def libraries_that_go():
    """Libraries are unloaded and take turns at one place, in threads that end: all they counted
    stays.  So where another compiler has linked them."""
    unloaded("unloaded", COUNTS, COUNTS)
    unloaded("unloaded-expressions", WAYS["expressions"], WAYS["expressions"])
    unloaded("linked-expressions", WAYS["expressions"], ["gcc"])


OPENS_APART = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
static void use(void *library, int times) {
  int (*work)(int) = (int (*)(int))dlsym(library, "work");
  for (int i = 0; i < times; i++)
    printf("%d\n", work(10));
}
int main(void) {
  void *apart = dlmopen(LM_ID_NEWLM, "./liba.so", RTLD_NOW);
  use(apart, 2);
  use(dlopen("./liba.so", RTLD_NOW), 3);
  use(dlopen("./copy.so", RTLD_NOW), 5);
  use(apart, 2);
  return 0;
}
"""


def copies_of_a_library():
    """One file loaded twice, once apart from the program (dlmopen), where nobody takes its counters over,
    and a copy of the file, which is the same object: what counts beside the program is exact, and the
    other's is not mixed in."""
    for name in "counts", "expressions":
        program, way = Program("apart-" + name), WAYS[name]
        program.link(program.compile("a.c", LIBRARY.format("a"), "-fPIC", compiler=way), "-shared",
                     output="liba.so", compiler=way)
        shutil.copy(program.directory / "liba.so", program.directory / "copy.so")
        program.link(program.compile("main.c", OPENS_APART, compiler=way), "-ldl", compiler=way)
        counted(program.record(), {"work": 8, "a_inner": 80},
                {("use", "work"): 8, ("work", "a_inner"): 80})


SHORT = ("int leaf(int);\n" + COLD + "int leaf(int n) { return n + 1; }\n"
         + COLD + "int twice(int n) { return leaf(n) + leaf(n + 1); }\n"
         "int main(int count, char **words) { (void)words; return twice(count) == 0; }\n")


def no_debug_information():
    """Neither counts nor the places of calls and of lines need any."""
    program = Program("g0")
    program.compile("main.c", SHORT, flags=["-O2", "-g0"])
    program.must(*COUNTS, "-o", "program", "main.c.o")
    profile = program.record()
    counted(profile, {"leaf": 2, "twice": 1}, {("twice", "leaf"): 2, ("main", "twice"): 1})
    places = profile.rows("select line, source_column from call_sites where caller is not null order by 1, 2")
    lines = SHORT.splitlines()
    wanted = [(line, lines[line - 1].index(call) + 1)
              for line, call in ((3, "leaf(n)"), (3, "leaf(n + 1)"), (4, "twice(count)"))]
    check(places == wanted, f"places of calls: {places}, not {wanted}")
    program.compile("main.c", SHORT, flags=["-O2", "-g0"], compiler=WAYS["expressions"])
    program.must(*WAYS["expressions"], "-o", "program", "main.c.o")
    profile = program.record()
    counted(profile, {"leaf": 2, "twice": 1}, {("twice", "leaf"): 2, ("main", "twice"): 1})
    lines = dict(profile.rows("select line, executions from line_executions"))
    check(lines == {2: 2, 3: 1, 4: 1}, f"lines without -g: {lines}")


def stripped_or_gone():
    """Of a program without descriptions, or without a file, it is said that counts are not known."""
    program = Program("stripped")
    program.link(program.compile("main.c", SHORT))
    program.must("strip", "program")
    program.record()
    report = program.report()
    check("its counter descriptions are missing" in report, report)

    program = Program("gone")
    program.link(program.compile("main.c", "#include <unistd.h>\n" + SHORT.replace(
        "(void)words;", "if (unlink(words[0])) return 1;")))
    program.record()
    report = program.report()
    check("cannot be opened" in report and "counters counted is not known" in report, report)


# ---- which function a name means ----

VERSIONS = r"""
int old_answer(int n); int new_answer(int n);
__asm__(".symver old_answer, answer@V1");
__asm__(".symver new_answer, answer@@V2");
int old_answer(int n) { return n + 1; }
int new_answer(int n) { return n + 2; }
"""
SONAME = "-Wl,-soname,lib{0}.so"


def library_of(program, name, text, *link, compiler=COUNTS):
    made = program.compile(f"{name}.c", text, "-fPIC", "-fno-toplevel-reorder", compiler=compiler)
    program.link(made, "-shared", SONAME.format(name), *link, compiler=compiler, output=f"lib{name}.so")


def versions_of_symbols():
    """Two versions of one symbol: callers of each call the one that they were linked to; those that
    were linked before there were versions, the first."""
    program = Program("versions")
    program.file("old.map", "V1 { global: answer; };\n")
    program.file("new.map", "V1 { local: *_answer; };\nV2 { global: answer; } V1;\n")
    uses = ("int answer(int); int used_{0}(int n);\n"
            "int used_{0}(int n) {{ int s = 0; for (int i = 0; i < {1}; i++) s += answer(n); return s; }}\n")
    for user, times, script in ("before", 5, []), ("old", 2, ["-Wl,--version-script=old.map"]):
        library_of(program, "answer", "int answer(int n) { return n; }\n", *script, compiler=["gcc"])
        library_of(program, user, uses.format(user, times), "libanswer.so")
    library_of(program, "answer", VERSIONS, "-Wl,--version-script=new.map")
    main = program.compile("main.c", "int answer(int); int used_old(int); int used_before(int);\n"
                           "int main(void) { return used_old(5) + used_before(5)"
                           " + answer(1) + answer(1) + answer(1) != 51; }\n")
    program.link(main, "libold.so", "libbefore.so", "libanswer.so", "-Wl,-rpath,$ORIGIN")
    profile = program.record()
    calls = set(profile.rows(
        "select caller_name, linkage, arcs.calls from arcs join functions on functions.id = callee"
        " where callee_name = 'answer'"))
    expected = {("used_old", "answer@V1", 2), ("used_before", "answer@V1", 5), ("main", "answer@@V2", 3)}
    check(calls == expected, f"{calls}")


def a_library_in_front():
    """A preloaded library has a function of the name that another has: calls go to its."""
    program = Program("preloaded")
    text = "int answer(int n);\nint answer(int n) { return n + 1; }\n"
    both = text + "int both(int n);\nint both(int n) { return answer(n) + answer(n); }\n"
    library_of(program, "behind", both)
    library_of(program, "front", text.replace("+ 1", "+ 2"))
    main = program.compile("main.c", "int both(int);\nint main(void) { return both(1) != 6; }\n")
    program.link(main, "libbehind.so", "-Wl,-rpath,$ORIGIN")
    result = harness.record("./program", program.directory, ["--rate", "0"],
                            environment={"LD_PRELOAD": program.directory / "libfront.so"})
    check(result.status == 0, result.errors)
    counted(Profile(program.directory / "profile.ascribe"),
            {"answer@libfront.so": 2, "answer@libbehind.so": 0, "both": 1},
            {("both", "answer@libfront.so"): 2})


IFUNC = r"""
#include <stdio.h>
KEEP int first(int n) { return n + 1; }
KEEP int second(int n) { return n + 2; }
static int (*resolve_one(void))(int) { return first; }
static int (*resolve_two(void))(int) { return second; }
int one(int n) __attribute__((ifunc("resolve_one")));
int two(int n) __attribute__((ifunc("resolve_two")));
"""


def resolved_at_run_time():
    """Callees of ifuncs, in the program and in a library, count under the names that were chosen."""
    program = Program("ifunc")
    text = IFUNC.replace("KEEP", COLD + "__attribute__((used))")
    library = program.compile("library.c", text, "-fPIC")
    program.link(library, "-shared", "-Wl,-soname,libifunc.so", output="libifunc.so")
    own = text.replace("one", "own_one").replace("two", "own_two").replace(
        "first", "own_first").replace("second", "own_second")
    main = program.compile("main.c", own + "int one(int); int two(int); int (*pointer)(int) = two;\n"
                           "int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += one(0) + two(0)"
                           " + own_one(0) + own_two(0) + pointer(0); return s != 80; }\n")
    program.link(main, "libifunc.so", "-Wl,-rpath,$ORIGIN")
    profile = program.record()
    counted(profile, {"first": 10, "second": 20, "own_first": 10, "own_second": 10, "one": 0, "two": 0},
            {("main", "second"): 10})


# ---- flags of the compiler and of the linker ----

WORKS = ("#include <stdio.h>\n#include <stdlib.h>\n"
         + COLD + "int leaf(int n) { return n & 1 ? n * 3 : n / 2; }\n"
         + COLD + "int work(int n) { int *room = malloc(sizeof(int) * 16); room[n & 15] = leaf(n);"
         " int s = room[n & 15]; free(room); return s; }\n"
         + COLD + "int never(int n) { return leaf(n) + 1; }\n"
         "int main(int count, char **words) { (void)words; long s = 0;\n"
         "  for (int i = 0; i < 5000; i++) s += i % 5 ? work(i) : leaf(i);\n"
         "  if (count > 9) s += never(count);\n"
         '  printf("%ld\\n", s); return 0; }\n')
WORKED = {"leaf": 5000, "work": 4000, "never": 0, "main": 1}
WORKED_ARCS = {("main", "leaf"): 1000, ("main", "work"): 4000, ("work", "leaf"): 4000}


def instrumented_otherwise_too():
    """Sanitizers, gcc's own profile and its use, collected sections: the same counts."""
    flags = {"address": ["-fsanitize=address"], "undefined": ["-fsanitize=undefined"],
             "both": ["-fsanitize=address,undefined", "-O1"], "thread": ["-fsanitize=thread"],
             "generate": ["-fprofile-generate", "-fprofile-update=atomic"], "coverage": ["--coverage"],
             "pg": ["-pg"], "protected": ["-fstack-protector-all", "-fcf-protection=full"],
             "split": ["-fsplit-stack"], "clash": ["-fstack-clash-protection", "-fharden-compares"],
             "functions": ["-finstrument-functions"],
             "sections": ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
             "patchable": ["-fpatchable-function-entry=8,4"], "traps": ["-ftrapv", "-fnon-call-exceptions"],
             "lto": ["-flto=auto", "-fno-fat-lto-objects"], "frame": ["-fno-omit-frame-pointer", "-pie"],
             "large": ["-mcmodel=large", "-no-pie"], "medium": ["-mcmodel=medium", "-fPIE"],
             "norelax": ["-fno-plt", "-Wl,-z,now,-z,relro"], "split-dwarf": ["-gsplit-dwarf"]}
    for linker in "gold", "lld":
        if shutil.which("ld." + linker):
            flags[linker] = [f"-fuse-ld={linker}"]
            flags[linker + "-sections"] = [f"-fuse-ld={linker}", "-pie", "-fPIE", *flags["sections"]]
    wrong = []
    for name, words in flags.items():
        program = Program("flags-" + name)
        try:
            program.link(program.compile("main.c", WORKS, *words), *words)
            profile = program.record()
            counted(profile, WORKED, WORKED_ARCS)
        except harness.Failure as failure:
            wrong.append(f"{name}: {failure}")
    check(not wrong, "\n    ".join(wrong))


def profile_generated_and_used():
    """What gcc's own profile has moved, inlined or cloned counts as what the optimized program does."""
    program = Program("use")
    program.compile("main.c", WORKS, "-fprofile-generate")
    program.must(*COUNTS, "-fprofile-generate", "-o", "program", "main.c.o")
    program.record()
    program.compile("main.c", WORKS, "-fprofile-use")
    program.link("main.c.o")
    profile = program.record()
    counted(profile, WORKED, WORKED_ARCS)


CALLS_LEAF = (COLD + "int leaf(int n) { return n + 1; }\n"
              "int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += leaf(i); return s != 55; }\n")


def called_hooks_without_frame_pointers():
    """Frames of code that another compiler gave hooks to are told apart by its frame pointer: where it
    keeps none, nothing is counted, and nothing breaks."""
    for flags, expected in (["-O2"], 0), (["-O2", "-fno-omit-frame-pointer"], 10), (["-O0"], 10):
        for link in [["gcc"], COUNTS]:
            program = Program(f"hooks{''.join(flags)}-{len(link)}")
            program.link(program.compile("main.c", CALLS_LEAF, *flags, "-finstrument-functions",
                                         compiler=["gcc"]), compiler=link)
            profile = program.record()
            counted(profile, {"leaf": expected})


# ---- several functions that are one ----

ALIKE = (COLD + "int one(int n) { return n * 7 + 1; }\n" + COLD + "int other(int n) { return n * 7 + 1; }\n"
         + COLD + "int calls_one(int n) { return one(n) + 3; }\n"
         + COLD + "int calls_other(int n) { return other(n) + 3; }\n"
         "#include <stdio.h>\n"
         "int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += calls_one(i);\n"
         "  for (int i = 0; i < 5; i++) s += calls_other(i); printf(\"%d\\n\", s); return 0; }\n")


def folded_functions():
    """Functions of equal code that a linker, or gcc, folds: all calls count, at whatever name is left."""
    ways = {"gcc": []}
    for linker in "gold", "lld":
        if shutil.which("ld." + linker):
            ways[linker] = ["-fno-ipa-icf", "-ffunction-sections", f"-fuse-ld={linker}", "-Wl,--icf=all"]
    for name, words in ways.items():
        program = Program("folded-" + name)
        program.link(program.compile("main.c", ALIKE, *words), *words)
        profile = program.record()
        found = profile.rows("select name, calls from functions where name in ('one', 'other') and calls > 0")
        check(sum(calls for _, calls in found) == 15, f"{name}: {found}")
        calls = profile.value("select sum(calls) from arcs where callee_name in ('one', 'other')")
        check(calls == 15, f"{name}: {calls} calls at their sites")
        counted(profile, {"main": 1})


COMMON = ("template <class T> struct box { T value; "
          "__attribute__((noinline)) T get(T n) { return value + n; } };\n"
          "struct shape { virtual ~shape() {} virtual int area(int n) { return get(n); } box<int> b{1}; "
          "int get(int n) { return b.get(n); } };\n"
          "__attribute__((weak, noinline)) int weak_one(int n);\n"
          "int weak_one(int n) { return n + 1; }\n")


def copies_of_inline_functions():
    """Of several copies, compiled with different flags, with counters or without, the linker keeps the
    first: all calls of it count, or none does."""
    plain, counting = ["g++"], [ASCRIBE, "c++"]
    for first, second, expected in (counting, counting, 30), (counting, plain, 30), (plain, counting, 0):
        program = Program(f"copies-{first[-1]}-{second[-1]}")
        objects = []
        for name, compiler, flags in ("a", first, "-O2"), ("b", second, "-O0"):
            objects.append(program.compile(
                f"{name}.cc", COMMON + f"int work_{name}(shape *s, int n);\n"
                f"int work_{name}(shape *s, int n) {{ int t = 0; while (n--) "
                "t += s->area(n) + s->get(n) + weak_one(n); return t; }\n", flags, compiler=compiler))
        objects.append(program.compile(
            "main.cc", COMMON.split("__attribute__((weak")[0] +
            "int work_a(shape *, int); int work_b(shape *, int);\n"
            "int main() { shape s; return work_a(&s, 10) + work_b(&s, 20) == 0; }\n", "-O2",
            compiler=counting))
        program.link(*objects, compiler=counting)
        profile = program.record()
        counted(profile, {"weak_one(int)": expected, "main": 1,
                          "work_a(shape*, int)": int(first == counting),
                          "work_b(shape*, int)": int(second == counting)})


PARTS = 12


def closed_libraries():
    """A library in one object whose symbols are local but for its interface (ld -r, objcopy)."""
    program = Program("closed_libraries")
    parts = [program.compile(f"{name}.c", f"{COLD}int {name}(int x) {{ return x + 1; }}\n") for name in ("one", "two")]
    parts.append(program.compile("both.c", "int one(int), two(int);\nint both(int x) { return one(x) + two(x); }\n"))
    program.must("ld", "-r", "-o", "open.o", *parts)
    program.must("objcopy", "--keep-global-symbol=both", "open.o", "closed.o")
    main = program.compile("main.c", "int both(int);\nint main(void) { return both(1) + both(2) - 10; }\n")
    program.link(main, "closed.o")
    counted(program.record(), {"main": 1, "both": 2, "one": 2, "two": 2}, {("both", "one"): 2, ("both", "two"): 2})


def partitions_of_link_time():
    """Functions of many files, optimized as one program in several partitions, as clones and locals."""
    program = Program("partitions")
    flags = ["-O2", "-flto=2", "-flto-partition=max", "--param", "lto-min-partition=1"]
    objects = []
    for i in range(PARTS):
        following = f"part{i + 1}(n - 1, 3)" if i + 1 < PARTS else "n"
        objects.append(program.compile(
            f"part{i}.c", f"int part{i}(int n, int how); int part{i + 1}(int n, int how);\n"
            f"static {COLD}int own(int n) {{ return n + {i}; }}\n"
            f"__attribute__((noinline)) int part{i}(int n, int how) "
            f"{{ return how == 3 ? own(n) + {following} : own(n) * 2; }}\n", *flags))
    objects.append(program.compile(
        "main.c", "#include <stdio.h>\nint part0(int, int); int main(void) { int s = 0;"
        " for (int i = 0; i < 100; i++) s += part0(i, 3); printf(\"%d\\n\", s); return 0; }\n", *flags))
    program.link(*objects, *flags)
    profile = program.record()
    found = profile.value("select sum(calls) from functions where name = 'own'")
    check(found == 100 * PARTS, f"own: {found}")
    counted(profile, {f"part{i}": 100 for i in range(PARTS)},
            {(f"part{i}", f"part{i + 1}"): 100 for i in range(PARTS - 1)})


if __name__ == "__main__":
    harness.main(files_of_all_ways, some_files_only, libraries_that_go, copies_of_a_library,
                 no_debug_information,
                 stripped_or_gone, versions_of_symbols, a_library_in_front, resolved_at_run_time,
                 instrumented_otherwise_too, profile_generated_and_used,
                 called_hooks_without_frame_pointers, folded_functions, copies_of_inline_functions, closed_libraries,
                 partitions_of_link_time)
