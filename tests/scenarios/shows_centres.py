#!/usr/bin/env python3
"""Cost centres from the program to the terminal: report --centres with its selections, JSON, several
processes, merged runs, and what is said of a program that has none."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, HEADERS, PROGRAMS, Profile, check, must

DIRECTORY = harness.scratch("shows_centres")
TEXT = """#include "program.h"
#include <ascribe/ascribe.h>
#include <sys/wait.h>
#include <unistd.h>
KEEP void quick(void) { burn(40000000); }
static volatile int times;
static KEEP void hidden(void) { burn(60000000); times++; }
KEEP void slow(void) { ASCRIBE_SCOPE("slow"); burn(60000000); hidden(); }
int main(void) {
  { ASCRIBE_SCOPE("first"); quick(); slow(); }
  if (fork() == 0) { ASCRIBE_SCOPE("child"); slow(); _exit(0); }
  wait(NULL);
  quick();
  return 0;
}
"""


ALLOCATES = """#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ascribe/ascribe.h>
static void *kept[1000];
static int count;
__attribute__((noinline)) static void *make(size_t bytes) {
  void *block = malloc(bytes);
  __asm__ volatile("" ::: "memory");
  return block;
}
static void parse(void) {
  ASCRIBE_SCOPE("parse");
  for (int i = 0; i < 100; i++) {
    void *block = make(100);
    if (i % 10) free(block); else kept[count++] = block;
  }
}
static void print(void) {
  ASCRIBE_SCOPE("print");
  for (int i = 0; i < 50; i++) free(make(1000));
  { ASCRIBE_SCOPE("inner"); free(make(5000)); }
}
static void *drop(void *unused) {
  ASCRIBE_SCOPE("drop");
  for (int i = 0; i < count; i += 2) free(kept[i]);
  return unused;
}
int main(void) {
  for (int round = 0; round < 10; round++) { parse(); print(); free(make(7)); }
  pthread_t thread;
  pthread_create(&thread, NULL, drop, NULL);
  pthread_join(thread, NULL);
  {
    ASCRIBE_SCOPE("forks");
    if (fork() == 0) { make(11); _exit(0); }
  }
  wait(NULL);
  return 0;
}
"""


def memory_belongs_to_its_centre():
    """In which it was allocated, whoever frees it; exact, and of samples within the intervals."""
    source = DIRECTORY / "allocates.c"
    source.write_text(ALLOCATES)
    must(["gcc", "-O1", "-g", "-pthread", "-I", HEADERS, source, "-o", DIRECTORY / "allocates"])
    expected = {"parse": (1000, 100000, 50, 5000, 100000), "print": (500, 500000, 0, 0, 550000),
                "inner": (10, 50000, 0, 0, 50000), "forks": (1, 11, 1, 11, 11), "drop": (0, 0, 0, 0, 0)}
    must([ASCRIBE, "record", "-q", "--heap", "-o", "heap.ascribe", "--", DIRECTORY / "allocates"], directory=DIRECTORY)
    profile = Profile(DIRECTORY / "heap.ascribe")
    found = {row[0]: row[1:] for row in profile.rows(
        "select name, allocations, allocated_bytes, live_blocks, live_bytes, total_allocated_bytes from cost_centres")}
    check(found == expected, f"{found}")
    for metric, column, place in (("allocated", "allocated_bytes", 1), ("live", "live_bytes", 3)):  # as the first, too
        told = json.loads(report("--centres", "--heap", "--json", "--metric", metric, profile="heap.ascribe"))
        rows = {row["name"]: row[column] for row in told["cost_centres"]}
        check(rows == {name: figures[place] for name, figures in expected.items()}, f"{metric}: {rows}")
        made = sum(row[column] for row in told["heap_functions"])
        check(made == profile.value(f"select {column} from heap"), f"{metric}: {made} in functions")
    peak = profile.value("select sum(peak_bytes) from cost_centres")
    check(10000 <= peak <= profile.value("select peak_bytes from heap"), f"{peak} bytes at the peak")
    text = report("--centres", "--metric", "allocated", profile="heap.ascribe")
    check(" 76." in text and "print" in text and "(in no cost centre)" in text, text)
    check("  drop" not in text, f"a centre without memory:\n{text}")
    series = report("--series", "--centres", "--metric", "allocated", profile="heap.ascribe")
    check("print" in series and "entries" not in series, series)
    leaks = report("--leaks", "--centres", profile="heap.ascribe")
    check(re.search("Cost centres, in .*bytes", leaks) and "not freed at the end" in leaks, leaks)
    shares = re.findall(r"^ +(\d+\.\d) +(?:\d+\.\d|-) .*(?:\d+|-)  \S", report("--centres", profile="heap.ascribe"), re.M)
    whole = 100 if profile.all_ticks() else 0  # the program may end before its first tick
    check(abs(sum(map(float, shares)) - whole) < 0.1 * len(shares), f"self shares do not add up: {shares}")
    must([ASCRIBE, "record", "-q", "--heap=1k", "-o", "samples.ascribe", "--", DIRECTORY / "allocates"],
         directory=DIRECTORY)
    rows = Profile(DIRECTORY / "samples.ascribe").rows(
        "select name, self, self_low, self_high from metric_centres where metric = 'allocated'")
    far = [row for row in rows if not 0.5 * row[2] <= expected[row[0]][1] <= 2 * row[3]]
    check(len(rows) >= 3 and not far, f"{rows}")


def build():
    source = DIRECTORY / "centres.c"
    source.write_text(TEXT)
    must(["gcc", "-O2", "-g", "-D_GNU_SOURCE", "-I", HEADERS, "-I", PROGRAMS, source, "-o", DIRECTORY / "centres"])


def recorded(name):
    must([ASCRIBE, "record", "-q", "-o", name, "--", DIRECTORY / "centres"], directory=DIRECTORY)
    return Profile(DIRECTORY / name)


def report(*options, profile="one.ascribe"):
    return must([ASCRIBE, "report", *options, profile], directory=DIRECTORY).output


def listed(text):
    """Centre: entries, as the report shows them."""
    lines = text[text.index("Cost centres"):].splitlines()[3:]
    return {line.split()[-2]: line.split()[-3] for line in lines if line.endswith("centres.c")}


def sums(profile):
    """Functions in centres and outside of them have all time; no centre has more than all."""
    whole = profile.value("select sum(self_ns) from functions")
    crossed = profile.value("select sum(self_ns) from centre_functions")
    rows = profile.value("select count(*) from centre_functions")
    check(abs(whole - crossed) <= rows + 100, f"{crossed} of {whole} ns")
    check(profile.value("select max(total_ns) from cost_centres") <= whole, "more than all")
    own = profile.value("select sum(self_ns) from cost_centres")
    inside = profile.value("select sum(self_ns) from centre_functions where centre is not null")
    check(abs(own - inside) <= rows + 100, f"{inside} of {own} ns in centres")


def expected(profile, centre_of):
    """Self and total of each centre, from the contexts' histories: the innermost function that has one
    is charged, and each that is active has the total."""
    own, total = {}, {}
    names = dict(profile.rows("select id, name from functions"))
    times = dict(profile.rows("select id, self_ns from contexts"))
    for context, history in profile.histories().items():
        centres = [centre for centre in (centre_of(abs(function), names) for function in history) if centre]
        if centres:
            own[centres[-1]] = own.get(centres[-1], 0) + times[context]
        for centre in set(centres):
            total[centre] = total.get(centre, 0) + times[context]
    return own, total


def follow_from_stacks():
    """--centres=RULE, of any program, beside what the stored contexts say."""
    profile = Profile(DIRECTORY / "one.ascribe")
    own_code = {row[0] for row in profile.rows("select id from functions where own")}
    objects = dict(profile.rows("select f.id, o.path from functions f join objects o on o.path = f.object"))
    files = dict(profile.rows("select id, file from functions where own"))
    rules = {"functions": lambda id, names: id in own_code and names[id],
             "objects": lambda id, names: id in objects and pathlib.Path(objects[id]).name,
             "files": lambda id, names: files.get(id) and pathlib.Path(files[id]).name,
             "busy=s*[wn]": lambda id, names: names[id] in ("slow", "burn_in") and "busy"}
    for rule, centre_of in rules.items():
        told = json.loads(report("--centres=" + rule, "--json"))
        own, total = expected(profile, centre_of)
        for row in told["cost_centres"]:
            name = row["name"]
            check(row["basis"] == "stacks" and row["entries"] is None, row)
            check(abs(row["self_ns"] - own.get(name, 0)) <= 100, f"{rule}: {row}, {own.get(name)}")
            check(abs(row["total_ns"] - total.get(name, 0)) <= 100, f"{rule}: {row}, {total.get(name)}")
        check(set(total) <= {row["name"] for row in told["cost_centres"]}, f"{rule}: {sorted(total)}")
    exported = {row["name"]: row for row in json.loads(report("--centres=exported", "--json"))["cost_centres"]}
    functions = {row["name"]: row for row in json.loads(report("--centres=functions", "--json"))["cost_centres"]}
    check("hidden" in functions and "hidden" not in exported, sorted(exported))
    check(exported["slow"]["self_ns"] >= functions["slow"]["self_ns"] + functions["hidden"]["self_ns"] - 100, exported)
    both = json.loads(report("--centres=parts=quick", "--centres=parts=slow", "--centres=functions", "--json"))
    names = {row["name"] for row in both["cost_centres"] if row["total_ns"]}
    check({"parts", "main"} <= names and not names & {"quick", "slow"}, names)
    memory = json.loads(report("--centres=functions", "--metric", "cpu", "--json"))
    check(memory["cost_centres"], "of a metric")
    for wrong, words in {"lines": "expected functions", "=a": "NAME=PATTERN", "a=": "NAME=PATTERN"}.items():
        result = harness.run([ASCRIBE, "report", "--centres=" + wrong, "one.ascribe"], DIRECTORY)
        check(result.status == 2 and words in result.errors, result.errors)
    result = harness.run([ASCRIBE, "report", "--centres=a=nothing*", "one.ascribe"], DIRECTORY)
    check(result.status == 1 and "no function is in any" in result.errors, result.errors)


def main():
    build()
    profile = recorded("one.ascribe")
    sums(profile)
    check(listed(report("--centres")) == {"first": "1", "slow": "2", "child": "1"}, report("--centres"))
    check("(in no cost centre)" in report("--centres"), "what is outside")
    focused = listed(report("--centres", "--focus", "slow"))
    check(focused == {"first": "-", "slow": "-", "child": "-"}, focused)
    pid = profile.value("select pid from processes where parent_pid in (select pid from processes)")
    check(listed(report("--centres", "--process", pid)) == {"slow": "1", "child": "1"}, "the child alone")
    told = json.loads(report("--centres", "--json"))
    check({row["name"]: row["entries"] for row in told["cost_centres"]} == {"first": 1, "slow": 2, "child": 1}, told)
    check(sum(row["entries"] for row in told["centre_contexts"]) == 4, "contexts")
    recorded("two.ascribe")
    must([ASCRIBE, "merge", "-o", "both.ascribe", "one.ascribe", "two.ascribe"], directory=DIRECTORY)
    check(listed(report("--centres", profile="both.ascribe")) == {"first": "2", "slow": "4", "child": "2"}, "merged")
    sums(Profile(DIRECTORY / "both.ascribe"))
    must([ASCRIBE, "record", "-q", "-o", "none.ascribe", "--", "true"], directory=DIRECTORY)
    check("the program entered none" in report("--centres", profile="none.ascribe"), "none")
    follow_from_stacks()
    memory_belongs_to_its_centre()


if __name__ == "__main__":
    main()
