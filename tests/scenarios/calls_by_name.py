#!/usr/bin/env python3
"""`report --calls NAME` where several functions have the name: each has call sites of its own, under its
own headline, in text and in JSON."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must

DIRECTORY = harness.scratch("calls_by_name")

TEMPLATES = """template <int N> struct Polygon {
  double side;
  __attribute__((noipa)) double area() const { return side * N; }
};
struct Add { __attribute__((noipa)) int operator()(int n) const { return n + 1; } };
struct Twice { __attribute__((noipa)) int operator()(int n) const { return 2 * n; } };
static volatile double sink;
static __attribute__((noipa)) void triangles(int n) {
  Polygon<3> p{1.0};
  for (int i = 0; i < n; i++) sink = p.area();
}
static __attribute__((noipa)) void squares(int n) {
  Polygon<4> p{1.0};
  for (int i = 0; i < n; i++) sink = p.area();
}
static __attribute__((noipa)) void sums(int n) {
  for (int i = 0; i < n; i++) sink = Twice()(i);
  sink = Add()(n);
}
int main() {
  triangles(10);
  squares(30);
  triangles(5);
  sums(7);
  return 0;
}
"""

# Files of one name each have a static function; that of the second also calls something.
FIRST = """int second(int n);
static __attribute__((noipa)) int step(int n) { return n + 1; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 20; i++) sum += step(i);
  return second(sum) == 0;
}
"""
SECOND = """__attribute__((noipa)) int leaf(int n) { return n - 1; }
static __attribute__((noipa)) int step(int n) { return leaf(n) + leaf(n - 1); }
int second(int n) { return step(n) + step(1) + step(2); }
"""


def recorded(name, compiler, *sources):
    program, profile = DIRECTORY / name, DIRECTORY / f"{name}.ascribe"
    must([ASCRIBE, compiler, "-O1", "-g", *sources, "-o", program], directory=DIRECTORY)
    must([ASCRIBE, "record", "-q", "--rate", "0", "-o", profile, program])
    return profile


def shown(profile, name, *options):
    """Of each function, in order: its name, the rows of calls of it, those of calls that it makes."""
    text = must([ASCRIBE, "report", "--calls", name, *options, profile]).output
    functions = []
    for part in text.split("\nCall sites of ")[1:]:
        headline, _, rest = part.partition("\n")
        lists = [[(int(calls), function) for calls, function in
                  re.findall(r"^ +(\d+) +[\d.]+  \S+:\d+  (.*)$", rows, re.M)]
                 for rows in rest.split("\ncalls\n")]
        functions.append((headline, *lists))
    return functions, text


def told(profile, name):
    report = json.loads(must([ASCRIBE, "report", "--json", "--calls", name, profile]).output)
    for entry in report["calls"]:
        check(all(row["callee"] == entry["function"] and row["callee_name"] == entry["name"]
                  for row in entry["from"]), f"{entry}")
        check(all(row["caller"] == entry["function"] and row["caller_name"] == entry["name"]
                  for row in entry["to"]), f"{entry}")
    return [(entry["name"], [(row["calls"], row["caller_name"]) for row in entry["from"]],
             [(row["calls"], row["callee_name"]) for row in entry["to"]])
            for entry in report["calls"]]


def templates():
    (DIRECTORY / "p.cc").write_text(TEMPLATES)
    profile = recorded("p", "c++", "p.cc")
    for name, expected in (
            ("area", [("Polygon<4>::area() const", [(30, "squares(int)")], []),
                      ("Polygon<3>::area() const", [(15, "triangles(int)")], [])]),
            ("operator()", [("Twice::operator()(int) const", [(7, "sums(int)")], []),
                            ("Add::operator()(int) const", [(1, "sums(int)")], [])]),
            ("triangles", [("triangles(int)", [(1, "main"), (1, "main")],
                            [(15, "Polygon<3>::area() const")])])):
        check(shown(profile, name)[0] == expected, f"{shown(profile, name)}")
        check(told(profile, name) == expected, f"{told(profile, name)}")
    functions, text = shown(profile, "area", "--limit", "1")
    check(len(functions) == 1 and "1 more function of that name (--limit all)" in text, text)


def static_functions():
    (DIRECTORY / "first.c").write_text(FIRST)
    (DIRECTORY / "second.c").write_text(SECOND)
    profile = recorded("s", "cc", "first.c", "second.c")
    expected = [("step", [(20, "main")], []),
                ("step", [(1, "second")] * 3, [(3, "leaf")] * 2)]
    check(told(profile, "step") == expected, f"{told(profile, 'step')}")
    functions, text = shown(profile, "step")
    check([function[1:] for function in functions] == [function[1:] for function in expected], text)
    for function, file in zip(functions, ("first.c", "second.c")):
        check(function[0].startswith("step ") and file in function[0], f"which one: {function[0]}")


if __name__ == "__main__":
    harness.main(templates, static_functions)
