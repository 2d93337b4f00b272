#!/usr/bin/env python3
"""Debian's own programs, compiled without frame pointers, and node, which makes its code at run time:
more than 99 % of their stacks reach the function that they began with."""

import collections
import math
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import Profile, check, must

DIRECTORY = harness.scratch("debian_programs")
TEXT = DIRECTORY / "text"
ENOUGH = 200  # ticks; fewer say little
MOST_CUT = 0.01

PYTHON = """
import json, re
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(31))
text = json.dumps([list(range(100))] * 1000)
print(len([json.loads(text) for _ in range(12)]), len(re.findall("1[0-9]", text)))
print(sorted(str(i) for i in range(600000))[5])
"""
SQL = """create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 400000)
  insert into t select x, x * 7919 % 100003 from c;
create index i on t(b);
select sum(a), count(distinct b) from t where b in (select b from t where a % 3 = 0);"""
PERL = """my %h; $h{$_ % 5003} .= chr(65 + $_ % 26) for 1 .. 2000000; my $n = 0;
for (keys %h) { $n++ while $h{$_} =~ /A.B|Z/g } print "$n\\n";
print scalar(sort map { $_ * 7 % 1001 } 1 .. 600000), "\\n";"""
BASH = """f() { local n=$1; if ((n < 2)); then r=$n; return; fi
  f $((n - 1)); local a=$r; f $((n - 2)); r=$((a + r)); }
f 20; echo $r; for i in {1..40000}; do x="a$i"; y=${x//a/b}; done"""

SCRIPT = """function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }
function outer() { let s = 0; for (let i = 0; i < 300; i++) s += inner(1e6); return s; }
console.log(outer(), [...Array(200000).keys()].map(String).sort((a, b) => a < b ? -1 : 1)[7]);"""


def stacks_are_whole(command, **options):
    """The last program of the command is the one to look at."""
    name = pathlib.Path(command[0]).name
    output = DIRECTORY / f"{name}.ascribe"
    result = harness.record(command[0], DIRECTORY, ["-q", "-r", "4000"], command[1:], output, **options)
    check(result.status == 0, f"{name}: {result.ending}\n{result.errors}")
    profile = Profile(output)
    cut = profile.value("select coalesce(sum(total_ticks), 0) from functions"
                        " where name = '(stack cut off)'")
    ticks = profile.all_ticks()
    print(f"        {name}: {cut} of {ticks} stacks cut off ({cut / max(1, ticks):.2%})")
    check(ticks >= ENOUGH, f"{name}: only {ticks} ticks")
    check(cut <= MOST_CUT * ticks + 3 * math.sqrt(MOST_CUT * ticks), f"{name}: {cut} of {ticks} stacks are cut off")
    return profile


def installed(name):
    path = shutil.which(name, path="/usr/bin:/bin")
    if not path:
        print(f"        (no {name})")
    return path


def test(name, *arguments):
    def run_it():
        path = installed(name)
        if path:
            stacks_are_whole([path, *arguments])
    run_it.__name__ = name
    return run_it


def git():
    path = installed("git")
    if not path:
        return
    repository = DIRECTORY / "repository"
    must([path, "init", "-q", repository])
    for round in range(6):
        for file in sorted((harness.SOURCE / "src").rglob("*.c")):
            lines = file.read_text().splitlines(keepends=True)
            (repository / file.name).write_text("".join(lines[round::1 + round % 3]))
        must([path, "-C", repository, "add", "."])
        must([path, "-C", repository, "-c", "user.name=T", "-c", "user.email=t@localhost", "commit", "-qm",
              str(round)])
    stacks_are_whole([path, "-C", repository, "log", "-p", "--stat", "--find-copies-harder"])


def node():
    """With the names that it writes for perf: a function made at run time has its caller."""
    path = shutil.which("node")
    if not path:
        print("        (no node)")
        return
    profile = stacks_are_whole([path, "--perf-basic-prof", "--interpreted-frames-native-stack", "-e",
                                SCRIPT])
    callers = collections.Counter()
    for caller, ticks in profile.rows("select caller_name, in_ticks from arcs where"
                                      " callee_name like 'JS:%inner %' and in_ticks > 0"):
        callers["outer" if "outer" in caller else "inner" if "inner" in caller else caller] += ticks
    check(callers["outer"] > 0.98 * callers.total(), f"inner was called by {callers}")


if __name__ == "__main__":
    source = "".join(file.read_text() for file in sorted((harness.SOURCE / "src").rglob("*.c")))
    TEXT.write_text(source * (1 + (8 << 20) // len(source)))
    harness.main(test("gzip", "-k", "-f", "-6", str(TEXT)), test("python3", "-c", PYTHON),
                 test("sqlite3", ":memory:", SQL), test("perl", "-e", PERL), test("bash", "-c", BASH), git, node)
