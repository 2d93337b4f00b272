#!/usr/bin/env python3
"""A function is one entry of a profile, however the compiler names it where it was inlined, and two
profiles of one program have the same counts."""

import collections
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must, run

DIRECTORY = harness.scratch("one_function")
HEADER = """
#include <stdexcept>
#include <string>
#include <vector>
extern volatile long sink;
struct Base { virtual ~Base() { sink = sink + 1; } };
struct Held : Base { std::string text; Held(const std::string &t) : text(t) { for (int i = 0; i < 300; i++) sink = sink + i; }
  ~Held() override { for (int i = 0; i < 300; i++) sink = sink + i; } };
template <class T> struct Box { std::vector<T> items; void put(const T &item) { items.push_back(item); sink = sink + 1; } };
long library(int n);
"""
LIBRARY = """
#include "one.hpp"
volatile long sink;
namespace { inline long helper(const std::string &s, long n) { for (int i = 0; i < 300; i++) sink = sink + s.size(); return n; } }
long library(int n) {
  Held held("library"); Box<std::string> box; box.put(held.text);
  if (n % 3 == 0) throw std::runtime_error("three");
  return helper(held.text, n);
}
"""
PROGRAM = """
#include "one.hpp"
#include <algorithm>
#include <cstdio>
namespace {
struct Item { int price; std::string name; };
inline long helper(const std::string &s, long n) { for (int i = 0; i < 300; i++) sink = sink + s.size(); return n; }
template <class F> inline long each(int n, F f) { long sum = 0; for (int i = 0; i < n; i++) sum += f(i); return sum; }
struct Local { int n; Local(int n) : n(n) { for (int i = 0; i < 20000; i++) sink = sink + i; } ~Local() { sink = sink + n; } };
struct C1 {}; struct C2 {};
inline long takes(C1) { return sink; } inline long takes(C2) { return sink; }
long guarded(int n) { try { return library(n); } catch (const std::exception &) { return helper("caught", n); } }
}
int main() {
  long sum = 0;
  std::vector<Item> items;
  for (int round = 0; round < 2000; round++) {
    Local local(round);
    Held held("main");
    Box<Item> box;
    box.put({round, held.text});
    items.push_back({round * 7 % 100, "item"});
    sum += guarded(round) + helper(held.text, round);
    sum += takes(C1()) + takes(C2()) + takes(C2());
    sum += each(3, [](int i) { sink = sink + i; return (long)i; });
  }
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) { sink = sink + 1; return a.price < b.price; });
  std::printf("%ld\\n", sum);
}
"""


def build(options, directory):
    directory.mkdir()
    for name, text in (("one.hpp", HEADER), ("library.cc", LIBRARY), ("program.cc", PROGRAM)):
        (directory / name).write_text(text)
    compiler = [ASCRIBE, "c++", *options, "-g", "-O2"]
    must([*compiler, "-shared", "-fPIC", "library.cc", "-o", "libone.so"], directory=directory)
    must([*compiler, "program.cc", "-o", "program", "-L.", "-lone", f"-Wl,-rpath,{directory}"],
         directory=directory)
    return directory / "program"


def functions(profile):
    report = must([ASCRIBE, "report", "--json", "--flat", "-n", "all", str(profile)])
    return json.loads(report.output)["functions"]


NAMES = ("helper", "guarded", "Local::Local", "Local::~Local", "Held::Held", "Held::~Held",
         "library", "main")


def one_entry_each(profile):
    """Those of the program, by name; a deleting destructor is another function."""
    entries = collections.defaultdict(list)
    for function in functions(profile):
        name = function["name"].replace("(anonymous namespace)::", "").split("(")[0]
        if name in NAMES and "D0Ev" not in (function["linkage"] or ""):
            entries[function["object"], name].append(function)
    for place, found in entries.items():
        check(len(found) == 1, f"{place}: {[(f['name'], f['linkage'], f['calls']) for f in found]}")
    return {name: found[0] for (file, name), found in entries.items() if file.endswith("program")}


def calls_of(profile, name):
    return sorted(function["calls"] for function in functions(profile)
                  if f"{name}(" in function["name"])


def same_counts(first, second, kinds):
    for kind in kinds:
        result = run([ASCRIBE, "diff", "--of", kind, "--fail-if", "b.calls != a.calls", str(first),
                      str(second)])
        check(result.status == 0, f"{kind}: {result.output}{result.errors}")
        pairs = json.loads(must([ASCRIBE, "diff", "--json", "--of", kind, "--by",
                                 "b.calls - a.calls", "--limit", "0", str(first),
                                 str(second)]).output)[kind]
        check(not pairs, f"{kind}: {pairs}")


def compared(options, name, kinds):
    directory = DIRECTORY / name
    program = build(options, directory)
    profiles = [directory / f"{run_number}.ascribe" for run_number in (1, 2)]
    for profile in profiles:
        result = harness.record(program, directory, ["-q", "-r", "2000"], output=profile)
        check(result.status == 0, result.errors)
    same_counts(*profiles, kinds)
    found = [one_entry_each(profile) for profile in profiles]
    return profiles, found


def as_of_source():
    profiles, found = compared(["--expressions"], "source",
                               ["functions", "arcs", "sites", "lines", "expressions"])
    for entries in found:
        calls = {name: entries[name]["calls"] for name in ("helper", "guarded", "Local::Local",
                                                           "Local::~Local", "Held::Held", "main")}
        check(calls == {"helper": 2667, "guarded": 2000, "Local::Local": 2000,
                        "Local::~Local": 2000, "Held::Held": 2000, "main": 1}, str(calls))
        check(calls_of(profiles[0], "takes") == [2000, 4000], "two functions of types C1 and C2")
        check(entries["helper"]["name"] == "(anonymous namespace)::helper(std::string const&, long)",
              entries["helper"]["name"])
    # Most of the program's time.
    check(any(entries["Local::Local"]["self_ticks"] for entries in found), "its time is elsewhere")
    for spelling in ("helper(std::string const&, long)", "helper", "Box<(anonymous namespace)::Item>::put"):
        must([ASCRIBE, "report", "--calls", spelling, str(profiles[0])])


def fortran():
    if not shutil.which("gfortran"):
        return
    source = DIRECTORY / "heat.f90"
    source.write_text("module heat\ncontains\nrecursive integer function ack(m, n) result(r)\n"
                      "  integer, intent(in) :: m, n\n  if (m == 0) then\n    r = n + 1\n"
                      "  else if (n == 0) then\n    r = ack(m - 1, 1)\n  else\n"
                      "    r = ack(m - 1, ack(m, n - 1))\n  end if\nend function\nend module\n"
                      "subroutine outside(n)\n  integer, intent(out) :: n\n  n = 2\nend subroutine\n"
                      "program main\n  use heat\n  integer :: n\n  call outside(n)\n"
                      "  print *, ack(n, 3)\nend program\n")
    must([ASCRIBE, harness.INSTRUMENTED[".f90"], "-g", "-O0", str(source), "-o", str(DIRECTORY / "heat")],
         directory=DIRECTORY)
    profile = DIRECTORY / "heat.ascribe"
    check(harness.record(DIRECTORY / "heat", DIRECTORY, ["-q"], output=profile).status == 0, "record")
    ack = [function for function in functions(profile) if function["linkage"] == "__heat_MOD_ack"]
    check(len(ack) == 1 and ack[0]["name"] == "heat::ack", str(ack))
    for spelling in ("ack", "heat::ack", "__heat_MOD_ack", "outside", "outside_"):
        must([ASCRIBE, "report", "--calls", spelling, str(profile)])


def scenario():
    as_of_source()
    compared([], "plain", ["functions", "arcs", "sites"])
    fortran()


if __name__ == "__main__":
    harness.main(scenario)
