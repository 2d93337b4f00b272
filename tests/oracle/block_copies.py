#!/usr/bin/env python3
"""Copies that optimisation makes within a function (unrolled, vectorized, unswitched, threaded) are
told apart by where they are: their counts are those that the source says, they add up to the
expression's, and they are those of a build with a counter at every edge."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("oracle-block-copies")
SOURCE = """#include <stdio.h>
#include <stdlib.h>
#define APART __attribute__((noipa))
APART void add(int *to, const int *from, int n) {
  for (int i = 0; i < n; i++)
    to[i] += from[i] * 3;
}
APART void either(unsigned *p, int n, int flag) {
  for (int i = 0; i < n; i++) {
    if (flag)
      p[i] = p[i] / (i + 7u) + 3;
    else
      p[i] = p[i] % (i + 5u) + 9;
  }
}
APART int find(const int *p, int key) {
  for (int i = 0; i < 4; i++)
    if (p[i] == key)
      return i;
  return -1;
}
APART int rounds(volatile const int *p, int limit) {
  int sum = 0;
  for (int k = 0; k < limit; k++)
    sum += p[k];
  return sum;
}
APART void note(int n) {
  __asm__ volatile("" : : "r"(n));
}
APART int two_states(int n) {
  int state, sum = 0;
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0)
      state = 1;
    else
      state = 2;
    note(i);
    if (state == 1)
      sum ^= i;
    else
      sum += 9;
  }
  return sum;
}
static __attribute__((noinline)) long cloned(volatile const int *p, int n, int step) {
  long sum = 0;
  for (int i = 0; i < n; i += step)
    sum += p[i];
  return sum;
}
static int a[1003], b[1003];
static unsigned u[1003];
int main(int argc, char **argv) {
  long sum = 0;
  int once = argc;
  for (int i = 0; i < 1003; i++)
    b[i] = i * once, u[i] = i + 1000000;
  for (int k = 0; k < 10; k++)
    add(a, b, 1003);
  for (int k = 0; k < 10; k++)
    either(u, 1000, k < 9);
  for (int k = 0; k < 10; k++)
    sum += find(b, b[k % 5]);
  for (int k = 0; k < 5; k++)
    sum += rounds(b, k);
  sum += two_states(30);
  for (int k = 0; k < 20; k++)
    sum += cloned(b, 100 * once, 1);
  sum += cloned(b, 100 * once, 1 + once);
  printf("%ld %d\\n", sum, a[7]);
  return 0;
}
"""


def line(text):
    return next(i + 1 for i, one in enumerate(SOURCE.splitlines()) if text in one)


def recorded(name, flags):
    (DIRECTORY / "c.c").write_text(SOURCE)
    must([ASCRIBE, "cc", "--expressions", *flags, "c.c", "-o", name], directory=DIRECTORY)
    result = harness.record(f"./{name}", DIRECTORY, ["--quiet", "--rate", "0"],
                            output=f"{name}.ascribe")
    check(result.status == 0, result.errors)
    return Profile(DIRECTORY / f"{name}.ascribe")


def blocks(profile, text, kind="code"):
    """Of a line: how often each of its copies ran, the most of its ranges, with what is known of
    the copy's block."""
    return profile.rows(
        "select max(c.count), b.loop is not null, b.vectors, b.copied_by, b.condition, c.within_name"
        f" from copies c join blocks b on b.id = c.block where c.kind = '{kind}' and c.line ="
        f" {line(text)} group by c.block order by 1 desc")


def they_add_up(profile):
    wrong = profile.rows("select e.id, e.count, sum(c.count) from expressions e"
                         " left join copies c on c.expression = e.id where e.kind <> 'gone'"
                         " group by e.id having e.count is not sum(c.count)")
    check(not wrong, f"copies do not add up: {wrong}")


def vector_and_rest():
    """1003 = 250 * 4 + 3: the vector loop, what is left for narrower ones, and for none."""
    profile = recorded("wide", ["-O3", "-g"])
    they_add_up(profile)
    found = blocks(profile, "to[i] += from[i] * 3;")
    vector = [count for count, loop, vectors, *_ in found if vectors == "4" and loop]
    rest = [(count, vectors) for count, loop, vectors, by, *_ in found
            if by and "vectorization" in by and count]
    check(vector == [2500], f"the vectors' loop: {found}")
    elements = sum(count * (int(vectors) if vectors else 1) for count, vectors in rest)
    check(elements == 30, f"3 elements of 10 times: {found}")
    check(not [row for row in blocks(recorded("narrow", ["-O3", "-g", "-fno-tree-vectorize"]),
                                     "to[i] += from[i] * 3;") if row[2]], "vectors without any")


def unswitched():
    profile = recorded("unswitched", ["-O3", "-g"])
    for text, condition, count in (("/ (i + 7u)", "flag != 0", 9000),
                                   ("% (i + 5u)", "flag == 0", 1000)):
        found = [row for row in blocks(profile, text) if row[4] == condition]
        check(len(found) == 1 and found[0][:2] == (count, 1), f"{text}: {blocks(profile, text)}")
    trips = profile.rows("select b.condition, group_concat(c.count) from (select * from copies order"
                         " by way) c join blocks b on b.id = c.block where c.kind = 'loop' and"
                         " c.within_name = 'either' group by b.id order by 1")
    check(trips == [("flag != 0", "9,9000"), ("flag == 0", "1,1000")], f"loops: {trips}")


def unrolled():
    """find() looks at the first element ten times; two of ten times that is it, and so on."""
    found = blocks(recorded("unrolled", ["-O3", "-g"]), "if (p[i] == key)")
    check([row[0] for row in found] == [10, 8, 6, 4], f"unrolled: {found}")
    check(all(not row[1] and row[3] == "unrolling or peeling" for row in found), f"{found}")


def tested_once_before():
    """A loop's condition stands before it, once for each call, and at its end."""
    profile = recorded("headed", ["-O2", "-g"])
    found = [row for row in blocks(profile, "k < limit; k++") if row[5] == "rounds"]
    check([(row[0], row[1], row[3]) for row in found] == [(10, 1, None), (5, 0, "loop header copying")],
          f"the condition: {found}")
    they_add_up(profile)


def threaded():
    found = blocks(recorded("threaded", ["-O2", "-g"]), "note(i);")
    check([row[0] for row in found] == [20, 10], f"threaded: {found}")
    check(all(row[3] == "jump threading" for row in found), f"{found}")


def clones():
    profile = recorded("cloned", ["-O3", "-g", "-fno-inline", "-fno-tree-vectorize"])
    they_add_up(profile)
    found = dict(profile.rows("select coalesce(clone, ''), sum(count) from (select clone, block,"
                              " max(count) as count from copies where kind = 'code' and within_name"
                              f" = 'cloned' and line = {line('i += step)') + 1} group by 1, 2)"
                              " group by 1"))
    check(sum(found.values()) == 2050, f"clones: {found}")


def all_counters_say_the_same():
    """Each copy, by all that is known of it."""
    query = ("select c.line, c.source_column, c.kind, c.way, c.within_name, c.clone, c.through,"
             " c.place, sum(c.count) from copies c group by 1, 2, 3, 4, 5, 6, 7, 8 order by"
             " 1, 2, 3, 4, 5, 6, 7, 8")
    for flags in ["-O2"], ["-O3"]:
        few = recorded("few", [*flags, "-g"]).rows(query)
        every = recorded("every", [*flags, "-g", "--ascribe-placement=all"]).rows(query)
        check(few == every, f"{flags}: {set(few) ^ set(every)}")
        check(any(row[7] for row in few), "no copies")


def reported():
    recorded("shown", ["-O3", "-g"])
    command = [ASCRIBE, "report", "--source", "either", "--copies", "shown.ascribe"]
    text = must(command, directory=DIRECTORY).output
    check(any("9000" in one and "where flag != 0" in one for one in text.splitlines()), text)
    source, = json.loads(must([*command, "--json"], directory=DIRECTORY).output)["source"]
    at, = [one for one in source["lines"] if one["line"] == line("/ (i + 7u)")]
    conditions = {copy["block"]["condition"]: copy["executed"] for copy in at["copies"]}
    check(conditions.get("flag != 0") == 9000, f"{at}")


def merged():
    once = recorded("one", ["-O3", "-g"])
    must([ASCRIBE, "merge", "-o", "sum.ascribe", "one.ascribe", "one.ascribe"],
         directory=DIRECTORY)
    query = ("select line, source_column, kind, way, within_name, coalesce(place, ''), sum(count)"
             " from copies group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6")
    one, two = once.rows(query), Profile(DIRECTORY / "sum.ascribe").rows(query)
    check(two == [(*row[:-1], 2 * row[-1]) for row in one], "merged copies")


def plain_code_has_none():
    for flags in ["-O0", "-g"], ["-O3", "-g0"]:
        profile = recorded("plain", flags)
        check(profile.value("select count(*) from blocks") == 0, f"blocks with {flags}")


if __name__ == "__main__":
    harness.main(vector_and_rest, unswitched, unrolled, tested_once_before, threaded, clones,
                 all_counters_say_the_same, reported, merged, plain_code_has_none)
