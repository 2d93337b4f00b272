#!/usr/bin/env python3
"""`ascribe cc --centres`: functions are cost centres, with exact entries, however the program is built and
left; calls stay what they were; a run may leave some out."""

import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, HEADERS, Profile, check, must, run

DIRECTORY = harness.scratch("built_in_centres")
ASCRIBE_PARTS = pathlib.Path(ASCRIBE).resolve().parent.parent
MAIN = """#include <setjmp.h>
#include <stdio.h>
#ifdef SCOPES
#include <ascribe/ascribe.h>
#else
#define ASCRIBE_SCOPE(label)
#endif
int part(int n);
static jmp_buf back;
static volatile int sink;
__attribute__((noinline)) static void jumps(int n) { if (n == 2) longjmp(back, 1); sink = n; }
static int even(int n);
static int odd(int n) { return n ? even(n - 1) : 0; }
static int even(int n) { ASCRIBE_SCOPE("inner"); return n ? odd(n - 1) : 1; }
static void after(void) { sink++; }
static inline int tiny(int n) { return n + 1; }
int main(void) {
  for (volatile int i = 0; i < 5; i++) if (!setjmp(back)) jumps(i);
  after();
  for (int i = 0; i < 9; i++) sink = tiny(i);
  printf("%d %d\\n", even(6), part(3));
  return 0;
}
"""
PART = """static volatile int sink;
__attribute__((visibility("default"))) int part(int n) { sink = n; return n ? part(n - 1) + 1 : 0; }
"""
OUTPUT = "1 3\n"
CENTRES = "--centres=odd,e?en,part.c,jumps,tin*,after"
ENTRIES = {"even": 4, "odd": 3, "part": 4, "jumps": 5, "tiny": 9, "after": 1}
WAYS = {"plain": [], "unoptimised": ["-O0"], "scopes": ["-DSCOPES"], "contexts": ["--contexts"],
        "expressions": ["--expressions"], "link-time": ["-flto"], "link-time-scopes": ["-flto", "-DSCOPES"],
        "static": ["-static"], "no-pie": ["-no-pie", "-fno-pie"], "intel": ["-masm=intel"], "sections":
        ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]}
# clang's plugin has them without contexts and expressions, and without link-time optimisation.
OF_CLANG = {"ASCRIBE_CC": "clang", "ASCRIBE_CXX": "clang++"}
WAYS_OF_CLANG = [way for way in WAYS if way not in ("contexts", "expressions", "link-time", "link-time-scopes")]
WITH_CLASSES = """#include <cstdio>
#include <stdexcept>
static volatile int sink;
namespace app {
struct Parser {
  Parser() { sink = 0; }
  int parse(int n);
  int operator()(int n) { return n; }
};
template <class T> T twice(T x) { return x + x; }
int Parser::parse(int n) {
  if (n == 3) throw std::runtime_error("three");
  return n ? parse(n - 1) : twice(n);
}
}
static void caught() { sink = 1; }
int main() {
  app::Parser parser;
  for (int i = 0; i < 5; i++) {
    try { parser.parse(i); } catch (std::exception &) { caught(); }
    sink = parser(i);
  }
  std::printf("%d\\n", (int)app::twice(2.0));
}
"""
COROUTINE = """#include <ascribe/ascribe.h>
#include <coroutine>
struct task {
  struct promise_type : ascribe::carried_promise {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
static volatile int sink;
static void step() { sink = 1; }
static task steps() { step(); co_await std::suspend_always(); step(); }
static task begins() { return steps(); }
int main() {
  task some = begins();
  for (int i = 0; i < 2; i++) some.handle.resume();
  some.handle.destroy();
}
"""
FORTRAN = """program p
  print *, fact(5)
contains
  recursive integer function fact(n) result(r)
    integer, intent(in) :: n
    if (n == 0) then
      r = 1
      return
    end if
    r = n * fact(n - 1)
  end function
end program
"""


def compiled(language, name, flags, *sources, compiler=None):
    program = DIRECTORY / name
    must([ASCRIBE, language, "-O2", "-g", "-I", HEADERS, *flags, *sources, "-o", program], directory=DIRECTORY,
         environment=compiler)
    return program


def compilers():
    """gcc, and clang where its plugin is: as the environment that chooses each."""
    yield "gcc", {}
    version = re.search(r"clang version (\d+)\.(\d+)", run(["clang", "--version"]).output) if shutil.which("clang") else None
    built = ASCRIBE_PARTS / "instrument" / ("ascribe_llvm_plugin_{}_{}.so".format(*version.groups()) if version else "none")
    if built.exists():
        yield "clang", OF_CLANG
    else:
        print("        clang's plugin is not there: not asked")


def recorded(program, environment=None):
    profile = DIRECTORY / f"{program.name}.ascribe"
    result = run([ASCRIBE, "record", "-q", "-o", profile, "--", program], environment=environment)
    check(result.ending == "status 0", f"{program.name}: {result.ending} {result.errors}")
    return Profile(profile)


def entries(profile):
    return dict(profile.rows("select name, entries from cost_centres where entries"))


def inside(profile, outer, centre):
    return profile.value("select coalesce(sum(c.entries), 0) from centre_contexts c join centre_contexts p"
                         " on p.id = c.parent where c.centre_name = ? and p.centre_name = ?", centre, outer)


def source(name, text):
    (DIRECTORY / name).write_text(text)
    return DIRECTORY / name


def built(way, compiler):
    main, part, flags = source("main.c", MAIN), source("part.c", PART), WAYS[way]
    program = compiled("cc", way, [CENTRES, *flags], main, part, compiler=compiler)
    check(must([program]).output == OUTPUT, "alone")
    expected = {**ENTRIES, "inner": 4} if "-DSCOPES" in flags else ENTRIES
    profile = recorded(program)
    check(entries(profile) == expected, f"{entries(profile)}")
    without = recorded(compiled("cc", f"{way}-without", flags, main, part, compiler=compiler))
    check(entries(without) == ({"inner": 4} if "-DSCOPES" in flags else {}), "without")
    check(profile.arc("main", "jumps") == without.arc("main", "jumps") == 5, "calls")
    if "-DSCOPES" in flags:
        check(inside(profile, "even", "inner") == 1, "the first scope is inside its function")


def however_it_is_built():
    for name, compiler in compilers():
        for way in WAYS if name == "gcc" else WAYS_OF_CLANG:
            try:
                built(way, compiler)
            except harness.Failure as failure:
                raise harness.Failure(f"{name}, {way}: {failure}") from failure


ENDS = """#include <ascribe/ascribe.h>
#include <cstdarg>
#include <stdexcept>
static volatile int sink;
struct cleans { ~cleans() { sink = 1; } };
struct large_object { int items[64]; large_object(); };
large_object::large_object() { items[sink] = 1; }
static large_object global; // the compiler makes a function that calls its constructor
struct shape { virtual int sides() { return 0; } virtual ~shape() {} };
struct square : shape { int sides() override { return 4; } };
struct large { double items[9]; };
__attribute__((noinline)) static void throws(int n) { if (n) throw std::runtime_error("n"); }
__attribute__((noinline)) static void passes(int n) { cleans some; throws(n); }
__attribute__((noinline)) static int varied(int n, ...) {
  va_list list;
  va_start(list, n);
  int sum = 0;
  while (n--) sum += va_arg(list, int);
  va_end(list);
  return sum;
}
__attribute__((noinline)) static large returns(double x) { large all; for (double &each : all.items) each = x; return all; }
__attribute__((noinline)) static int room(int n) { char a[n]; a[n - 1] = 2; char *b = (char *)__builtin_alloca(n); b[n - 1] = 3; return a[n - 1] + b[n - 1]; }
static void catches() { try { passes(1); } catch (std::exception &) { ASCRIBE_SCOPE("caught"); sink = 1; } }
static void never() noexcept { passes(0); }
int main() {
  for (int i = 1; i <= 100; i++) {
    catches();
    never();
    shape *some = i % 2 ? new shape : new square;
    sink = some->sides() + global.items[0];
    delete some;
    if (varied(3, 1, 2, 3) != 6 || returns(i).items[8] != i || room(100 * i) != 5) return 1;
  }
}
"""


def however_it_is_left():
    for name, compiler in compilers():
        for level in ("-O0", "-O1", "-O3"):
            profile = recorded(compiled("c++", f"ends-{name}{level}", ["--centres=*", level], source("ends.cc", ENDS),
                                        compiler=compiler))
            found = {centre: count for centre, count in entries(profile).items() if not centre.startswith("std::")}
            check(found == {"main": 1, "passes": 200, "throws": 200, "cleans::~cleans": 200, "varied": 100, "returns": 100,
                            "room": 100, "catches": 100, "never": 100, "caught": 100,
                            "large_object::large_object": 1, "shape::~shape": 100, "shape::sides": 50, "square::sides": 50},
                  f"{name} {level}: {found}")
            check(inside(profile, "catches", "caught") == 100, f"{name} {level}: what was thrown through is left")


def in_libraries():
    main, part = source("main.c", MAIN), source("part.c", PART)
    library = compiled("cc", "libpart.so", [CENTRES, "-shared", "-fPIC"], part)
    check(entries(recorded(compiled("cc", "uses", [CENTRES], main, library))) == ENTRIES, "with a library")
    objects = []
    for file in (main, part):
        objects.append(file.with_suffix(".o"))
        must([ASCRIBE, "cc", CENTRES, "-O2", "-c", file, "-o", objects[-1]])
    must(["gcc", *objects, "-o", DIRECTORY / "linked"])
    check(must([DIRECTORY / "linked"]).output == OUTPUT, "linked by gcc, alone")
    check(entries(recorded(DIRECTORY / "linked")) == ENTRIES, "linked by gcc")


def of_classes():
    file = source("classes.cc", WITH_CLASSES)
    for name, compiler in compilers():
        for level in ("-O0", "-O2"):
            found = entries(recorded(compiled("c++", f"classes-{name}{level}", ["--centres=app::*,caught", level], file,
                                              compiler=compiler)))
            check(found == {"app::Parser::Parser": 1, "app::Parser::parse": 9, "caught": 2, "app::twice<int>": 3,
                            "app::Parser::operator()": 5, "app::twice<double>": 1}, f"{name} {level}: {found}")


def of_coroutines():
    profile = recorded(compiled("c++", "coroutine", ["-std=c++20", "--centres=steps,step,begins"],
                                source("coroutine.cc", COROUTINE)))
    check(entries(profile) == {"begins": 1, "steps": 1, "step": 2}, f"{entries(profile)}")


def of_fortran():
    if not shutil.which("gfortran"):
        print("gfortran is not installed: not asked")
        return
    found = entries(recorded(compiled("fc", "fortran", ["--centres=fact"], source("fact.f90", FORTRAN))))
    check(found == {"fact": 6}, f"{found}")


def a_run_leaves_some_out():
    for name, compiler in compilers():
        program = compiled("cc", f"chosen-{name}", [CENTRES], source("main.c", MAIN), source("part.c", PART), compiler=compiler)
        left_out_of(program)


def left_out_of(program):
    for patterns, names in {"": set(ENTRIES), "*": set(ENTRIES), "even": {"even"}, "nothing": set(), "?dd,p*rt": {"odd", "part"},
                            "*e*": {"even", "after"}, "part,": {"part"}, "par,pa": set(), "*****n": {"even"}}.items():
        found = entries(recorded(program, {"ASCRIBE_CENTRES": patterns}))
        check(found == {name: ENTRIES[name] for name in names}, f"{patterns!r}: {found}")


def a_name_that_chooses_nothing_is_told():
    program = DIRECTORY / "chosen-gcc"
    for patterns, names in {"*e*,odd": [], "par,pa,o?d,": ["par", "pa"], "evens*": ["evens*"], "": []}.items():
        result = run([ASCRIBE, "record", "-o", DIRECTORY / "told.ascribe", "--", program],
                     environment={"ASCRIBE_CENTRES": patterns})
        told = re.findall("ASCRIBE_CENTRES: the run entered no cost centre that is named (.*)", result.errors)
        check(told == names, f"{patterns!r}: {result.errors}")


def others_say_that_they_ignore_it():
    if not shutil.which("clang"):
        return
    told = run([ASCRIBE, "cc", "--centres=f", "-flto", "--ascribe-explain", "-c", source("main.c", MAIN)],
               environment=OF_CLANG)
    check("is ignored" in told.output + told.errors, told.output + told.errors)


if __name__ == "__main__":
    harness.main(however_it_is_built, however_it_is_left, in_libraries, of_classes, of_coroutines, of_fortran,
                 a_run_leaves_some_out, a_name_that_chooses_nothing_is_told, others_say_that_they_ignore_it)
