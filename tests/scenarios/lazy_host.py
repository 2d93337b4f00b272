#!/usr/bin/env python3
"""examples/lazy: costs by centre in its own steps, by either rule for functions; what it allocates and has live; its errors."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("lazy_host")
EXAMPLE = harness.SOURCE / "examples/lazy"
PROGRAM = DIRECTORY / "lazy"
FAULTS = {
    "(def main (print x Unit))": "1:18: x is not defined",
    "(def main\n  (case 1 (2 3)))": "2:3: no alternative for a number",
    "(def main (let ((f (lam (x) x))) (+ f 1)))": "1:34: + of a function",
    "(def main (let ((x 3))\n (x 4)))": "2:2: a number is applied to arguments",
    "(def main (case (Pair 1 2) ((Pair x) x)))": "1:11: no alternative for Pair",
    "(def main (letrec ((x (+ x 1))) x))": "1:26: <<loop>>",
    "(def f (x) (+ 1 (f x)))(def main (print (f 1) Unit))": "1:15: stack exhausted",
    "(def f (x) (case (f x) (y y)))(def main (f 1))": "1:12: stack exhausted",
    "(def from (n) (Cons n (from n)))(def last (l) (case l ((Cons x xs) (last xs))))\n(def all (from 1))(def main (last all))":
        "heap exhausted",
    "(def main (div 1 0))": "1:11: div by 0",
    "(def main (print 1": "1:11: this ( has no )",
    "(def main 1))": "1:13: a ) too many",
    "(def main (let (x) x))": "1:17: expected (NAME EXPRESSION)",
    "(def main (scc a))": "1:11: expected (scc LABEL EXPRESSION)",
    "(def main 1)\n(def main 2)": "2:1: main is defined twice",
    "(def f 1)": "main is not defined",
    "(def main 99999999999999999999)": "1:11: 99999999999999999999 is not a number",
    "(" * 5000: "nested more than 1000 deep",
    "(def main ())": "1:11: expected an expression",
    "(def main (lam (x) x))": "1:11: lam can only be bound by let",
    "()": "1:1: expected (def",
}


def centres(path):
    """Label to entries and own steps."""
    return {name: (entries, own) for name, entries, own in Profile(path).rows(
        "select name, sum(entries), sum(self_ns) from cost_centres where name <> '(collector)' group by 1")}


def recorded(source, *options):
    path = DIRECTORY / f"{source.stem}.ascribe"
    result = must([ASCRIBE, "record", "-q", "--clock", "host", "-o", path, "--", PROGRAM, *options, source])
    return result.output, path


def rules():
    """A function that an scc returned, called from outside: its work goes to its caller, or where it was built."""
    for options, least, most, words in (([], 0, 10, "their caller's cost centre"),
                                        (["--lexical"], 40000, 50000, "the cost centre that built them")):
        output, path = recorded(EXAMPLE / "returned.stg", *options)
        check(output == "2\n3\n0\n", output)
        found = centres(path)
        check(least <= found["lamf"][1] <= most and found["lamf"][0] == 1, f"{options}: {found}")
        check(found["once"] == (1, 6304), f"a single-entry thunk's steps: {found}")
        check(words in must([ASCRIBE, "report", path]).output, f"the report names the rule {options}")
        check(words in json.loads(must([ASCRIBE, "report", "--json", path]).output)["run"]["hooks"], "so does JSON")
    _, path = recorded(EXAMPLE / "nested.stg")
    found = centres(path)
    check(found["bar"][0] == 1000 and found["foo"][0] == 2 and "never" not in found, f"nested: {found}")
    _, path = recorded(EXAMPLE / "instances.stg")
    check(centres(path)["row"][0] == 100, "instances that are demanded twice are entered once")
    _, path = recorded(EXAMPLE / "arguments.stg")
    found = centres(path)
    check(found["builder"][1] > 200000 > 10 > found["user"][1] - 5 and 80000 < found["inner"][1] < 100000, f"arguments: {found}")


def kept(path):
    """Closures, and those that were live in the last census, by centre, kind and description."""
    rows = list(Profile(path).rows("select coalesce(centre_name, '-'), kind, description, bytes, closures, allocated_bytes,"
                                   " live_closures, live_bytes, peak_bytes from closures"))
    check(all(row[5] == row[3] * row[4] and row[7] == row[3] * row[6] for row in rows), f"bytes are of all closures: {rows}")
    found = {}
    for row in rows:
        before = found.get(row[:3], (0, 0, 0))
        found[row[:3]] = tuple(a + b for a, b in zip(before, (row[4], row[6], row[8])))
    return found


def closures():
    """Allocation and censuses: the same in each run, whatever the clock; the metrics, and what time they are of."""
    _, stepped = recorded(EXAMPLE / "sieve.stg")
    sampled = DIRECTORY / "sampled.ascribe"
    must([ASCRIBE, "record", "-q", "-o", sampled, "--", PROGRAM, EXAMPLE / "sieve.stg"])
    found = kept(sampled)
    check(found == kept(stepped), "counted in line and by calls")
    check(found["filter", "constructor", "Cons"][0] == found["filter", "thunk", "filter"][0] == 82875, f"sieve: {found}")
    check(found["divides", "partial application", "PAP"][0] == 400, f"each prime's test is built once: {found}")
    text = must([ASCRIBE, "report", "--heap", sampled]).output
    check("thunk filter" in text and "partial application PAP" in text, text)
    for metric, of in (("closures-allocated", "sum(allocated_bytes)"), ("closures-live", "sum(live_bytes)")):
        whole, = Profile(sampled).rows(f"select {of} from closures")
        series, = Profile(sampled).rows("select sum(self) from (select place, self, row_number() over (partition by place order by slice"
                                        f" desc) last from series where metric = '{metric}') where last = 1 or '{metric}' not like '%live'")
        check(series[0] == whole[0], f"{metric} by time: {series}, {whole}")
    centres = json.loads(must([ASCRIBE, "report", "--json", "--heap", "--limit", "all", sampled]).output)["closures"]
    check(sum(row["closures"] for row in centres) == sum(counts[0] for counts in found.values()), "JSON has them")
    differ = json.loads(must([ASCRIBE, "diff", "--of", "kinds", "--metric", "closures-allocated", "--json", sampled,
                              DIRECTORY / "nested.ascribe"]).output)["kinds"]
    side = {row["name"]: row["a"] for row in differ}["thunk filter"]
    check((side["calls"], side["self"]) == (82875, 82875 * 40), f"compared by kinds: {differ}")
    text = must([ASCRIBE, "report", "--centres", "--metric", "closures-allocated", sampled]).output
    check("filter" in text and "(collector)" not in text, text)


def compiled(name):
    program = DIRECTORY / name
    must(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", harness.SOURCE / "include",
          harness.SOURCE / f"tests/scenarios/{name}.c", "-o", program])
    return program, program.with_suffix(".ascribe")


def census_of_many_kinds():
    """What was counted before the thread's table of transitions grew is in it, too."""
    program, path = compiled("host_census")
    must([ASCRIBE, "record", "-q", "-o", path, "--", program])
    found = {key: live for key, (_, live, _) in kept(path).items() if live}
    check(found == {("foo", "thunk", f"kind {i}"): 10 for i in range(120)}, f"{found}")


def wrong_closures():
    """Every misuse is counted, and spoils nothing else."""
    program, path = compiled("host_closures")
    check(must([program]).output == "right\n", "not recorded")
    check(must([ASCRIBE, "record", "-q", "-o", path, "--", program]).output == "right\n", "recorded")
    found = {key: counts for key, counts in kept(path).items() if any(counts)}
    expected = {("foo", "constructor", "Cons"): (1000, 100, 7200), ("bar", "thunk", "map"): (2500, 2, 160),
                ("bar", "partial application", "PAP"): (20, 0, 0), ("-", "thunk", "UNKNOWN"): (3, 1, 0),
                ("-", "function", "map"): (1, 0, 0), ("foo", "function", "map"): (0, 100, 0),
                ("-", "constructor", "Cons"): (7, 0, 0), ("-", "partial application", "PAP"): (0, 3, 120)}
    check(found == expected, f"{found}, expected {expected}")
    dropped = Profile(path).rows("select sum(dropped_censuses), sum(dropped_points), sum(dropped_functions) from runs")
    check(list(dropped) == [(4, 11, 2)], f"dropped {list(dropped)}")
    check("4 censuses of a language host's heap that never ended or that a pause cut" in must([ASCRIBE, "report", path]).output, "the report says so")


def faults():
    for text, words in FAULTS.items():
        source = DIRECTORY / "fault.stg"
        source.write_text(text)
        result = run([PROGRAM, "--heap", "8", source])
        check(result.status == 1 and words in result.errors, f"{text[:60]}: {result.ending} {result.errors}, expected {words}")


def build():
    must(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-I", harness.SOURCE / "include", EXAMPLE / "lazy.c", "-o", PROGRAM])
    included = [line for line in (EXAMPLE / "lazy.c").read_text().splitlines() if line.startswith("#include <ascribe/")]
    check(len(included) == 1, f"the machine includes nothing of Ascribe's but one header: {included}")


if __name__ == "__main__":
    harness.main(build, rules, closures, census_of_many_kinds, wrong_closures, faults)
