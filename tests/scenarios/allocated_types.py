#!/usr/bin/env python3
"""The types that the compiler plugins tell of allocated blocks: `new`, and what a pointer without type becomes
at once, however the program is built. What is ambiguous stays unknown."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("allocated_types")

# Each block has a size of its own. What is in LIBRARY allocates for others.
HEADER = """#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char text[92]; };
struct point { double x, y; };
typedef struct { int number; } named;
union both { int i; double d; };
extern void *keep[100];
void hold(void *block);
void *checked(size_t bytes);
void *chosen(size_t bytes);
void *larger(void *made, size_t bytes);
void *other_than_its_result(size_t bytes);
__attribute__((malloc)) void *marked(size_t bytes);
#define MAKE(type, bytes) ((type *)malloc(bytes))
static inline void *inlined(size_t bytes) { return calloc(1, bytes); }
static struct node *node_of(size_t bytes) { return malloc(bytes); }
"""
LIBRARY = """#include "types.h"
void *larger(void *made, size_t bytes) { made = realloc(made, bytes); if (!made) abort(); return made; }
void *checked(size_t bytes) { void *made = malloc(bytes); if (!made) abort(); return made; }
void *chosen(size_t bytes) { void *made; made = bytes ? checked(bytes) : NULL; if (!made) abort(); return made; }
void *marked(size_t bytes) { return malloc(bytes); }
void *other_than_its_result(size_t bytes) {
  void *other = malloc(bytes + 1), *made = malloc(bytes);
  hold(other);
  hold(made);
  return keep[0];
}
"""
IN_C = """#include "types.h"
void *keep[100];
static int kept;
__attribute__((noinline)) void hold(void *block) { keep[kept++] = block; __asm__ volatile("" ::: "memory"); }
static struct node *global;
int main(int count, char **arguments) {
  struct node *a = malloc(1001);
  hold(a);
  global = malloc(1002);
  hold(global);
  struct point *b;
  if (!(b = malloc(1003))) return 1;
  b = realloc(b, 1004);
  hold(b);
  struct point *c = (struct point *)calloc(1, 1005);
  hold(c);
  struct node *d = checked(1006);
  hold(d);
  struct point *e = count ? chosen(1007) : NULL;
  hold(e);
  struct node *f = inlined(1008), *g = MAKE(struct node, 1009);
  hold(f);
  hold(g);
  named *h = aligned_alloc(16, 1024);
  hold(h);
  union both *i = malloc(1010);
  hold(i);
  char **j = malloc(1011), *k = strdup(arguments[1]);
  hold(j);
  hold(k);
  hold(node_of(1012));
  struct node *l = marked(1013), *last = larger(NULL, 1016);
  hold(last);
  hold(l);
  hold(malloc(2001));
  void *m = malloc(2002);
  struct node *n = m;
  hold(n);
  struct node *o = other_than_its_result(2003);
  hold(o);
#define TWO(one, other, bytes) do { one *p = malloc(bytes); other *q = malloc(bytes + 1); hold(p); hold(q); } while (0)
  TWO(struct node, struct point, 2005);
  TWO(struct node, struct node, 1014);
  return 0;
}
"""
KINDS_IN_C = {**dict.fromkeys((1001, 1002, 1006, 1008, 1009, 1012, 1013, 1014, 1015, 1016), "struct node"),
              **dict.fromkeys((1003, 1004, 1005, 1007), "struct point"), 1024: "named", 1010: "union both",
              1011: "char *", 301: "char", **dict.fromkeys((2001, 2002, 2003, 2004, 2005, 2006))}

IN_CXX = """#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
template <int bytes> struct sized { char text[bytes]; };
struct point : sized<1001> { };
struct base { virtual ~base() {} long number; };
struct derived : sized<1002>, base { derived() : made(1) {} int made; };
struct plain : sized<2001> { char more; };
template <class T> static T *make() { return new T(); }
template <class T> struct holder { T *held; holder(int count) : held(new T[count]) {} };
namespace { struct hidden { char text[1003]; hidden() { text[0] = 0; } }; hidden *make_hidden() { return new hidden; } }
struct own { char text[1004]; static void *operator new(size_t bytes) { void *made = malloc(bytes); return made; } };
static void *keep[100];
static int kept;
template <class T> __attribute__((noinline)) void hold(T *made) { keep[kept++] = (void *)made; __asm__ volatile("" ::: "memory"); }
int main() {
  hold(new point);
  base *one = new derived;
  hold(one);
  sized<2001> *two = new plain;
  hold(two);
  hold(make_hidden());
  hold(new own);
  hold(make<sized<1005>>()); hold(make<sized<1006>>());
  hold(new (std::nothrow) sized<1007>);
  hold(std::make_unique<sized<1008>>().release());
  auto lambda = [](auto bytes) { hold(new char[bytes]); };
  lambda(1009);
  hold(holder<short>(505).held); hold(holder<char>(1011).held);
  hold(new base[64]);
  hold(static_cast<sized<1012> *>(std::malloc(1012)));
  hold(operator new(2003));
}
"""
KINDS_IN_CXX = {1001: "point", 1024: "derived", 1003: "(anonymous namespace)::hidden", 1004: "own",
                **{size: f"sized<{size}>" for size in (1005, 1006, 1007, 1008, 1012)}, 1009: "char", 1010: "short",
                1011: "char", 64 * 16 + 8: "base", 2002: None, 2003: None}

WAYS = {"unoptimised": ["-O0"], "optimised": ["-O2"], "inlined": ["-O3"], "contexts": ["-O2", "--contexts"],
        "link-time": ["-O2", "-flto"], "static": ["-O2", "-static", "--heap"], "no-pie": ["-O2", "-no-pie", "-fno-pie"],
        "expressions": ["-O1", "--expressions"], "compressed": ["-O2", "-gz"],
        "sections": ["-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]}


def source(name, text):
    (DIRECTORY / name).write_text(text)
    return DIRECTORY / name


def kinds(program):
    """Blocks and bytes by the kind's name; None: unknown, as of what libraries allocate for themselves."""
    profile = DIRECTORY / f"{program.name}.ascribe"
    must([ASCRIBE, "record", "-q", "--heap", "-o", profile, "--", program, "x" * 300])
    rows = Profile(profile).rows("select name, basis, allocations, allocated_bytes from heap_kinds")
    for name, basis, *_ in rows:
        check(basis == ("type" if name else "unknown"), f"{program.name}: {rows}")
    return {name: (count, size) for name, _, count, size in rows}


def sums(expected):
    """The same from what is expected: of each kind, how many blocks and bytes."""
    found = {}
    for size, name in expected.items():
        if name:
            count, total = found.get(name, (0, 0))
            found[name] = (count + 1, total + size)
    return found


def compiled(language, name, flags, *sources, environment=None):
    program = DIRECTORY / name
    must([ASCRIBE, language, "-g", *flags, *sources, "-o", program], directory=DIRECTORY, environment=environment)
    return program


def check_kinds(program, expected):
    found = kinds(program)
    unknown = found.pop(None, (0, 0))
    check(found == sums(expected), f"{program.name}: {found}, not {sums(expected)}")
    check(unknown[0] >= sum(name is None for name in expected.values()), f"{program.name}: {unknown} unknown")


def of_c():
    source("types.h", HEADER)
    main, library = source("main.c", IN_C), source("library.c", LIBRARY)
    for way, flags in WAYS.items():
        check_kinds(compiled("cc", f"c-{way}", flags, main, library), KINDS_IN_C)


def of_cxx():
    file = source("main.cc", IN_CXX)
    for way, flags in WAYS.items():
        check_kinds(compiled("c++", f"cxx-{way}", flags, file), KINDS_IN_CXX)


def in_libraries():
    source("types.h", HEADER)
    main, library = source("main.c", IN_C), source("library.c", LIBRARY)
    shared = compiled("cc", "liballocates.so", ["-O2", "-shared", "-fPIC"], library)
    # `marked` ends with a jump to malloc, and its caller says so.
    check_kinds(compiled("cc", "uses", ["-O2", f"-Wl,-rpath,{DIRECTORY}"], main, shared), KINDS_IN_C)
    # A library that says nothing leaves its blocks unknown.
    must(["gcc", "-g", "-O2", "-shared", "-fPIC", library, "-o", shared], directory=DIRECTORY)
    found = kinds(DIRECTORY / "uses")
    silent = {size: None if size in (1006, 1007, 1016) else name for size, name in KINDS_IN_C.items()}
    check({name: row for name, row in found.items() if name} == sums(silent), f"of a silent library: {found}")


def by_call_sites():
    """Clang 22 writes the types of `new` into the debug information itself: no plugin is needed."""
    program = DIRECTORY / "by_clang"
    must(["g++", harness.SOURCE / "tests/scenarios/allocated_by_clang.s", "-o", program])
    found = kinds(program)
    check(found["shapes::node"] == (100, 4800), found)


def without_debug_information():
    source("types.h", HEADER)
    program = DIRECTORY / "stripped"
    must([ASCRIBE, "cc", "-O2", "-g", source("main.c", IN_C), source("library.c", LIBRARY), "-o", program])
    must(["objcopy", "--only-keep-debug", program, DIRECTORY / "apart"])
    must(["strip", program])
    check(set(kinds(program)) == {None}, "stripped")
    must(["objcopy", "--add-gnu-debuglink=apart", program], directory=DIRECTORY)
    check_kinds(program, KINDS_IN_C)


if __name__ == "__main__":
    harness.main(of_c, of_cxx, in_libraries, by_call_sites, without_debug_information)
