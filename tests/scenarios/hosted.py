#!/usr/bin/env python3
"""Functions of a language host's world are functions like others: counted, sampled, saved, shown with
their own source, compared and exported. hosted.c plays the host."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("hosted")
SOURCE = harness.SOURCE
PROGRAM = DIRECTORY / "hosted"
SCRIPT = DIRECTORY / "fib.scm"
TEXT = """(define (fib n)
  (if (< n 2) n
      (+ (fib (- n 1)) (fib (- n 2)))))
(define (script-main)
  (fib N)
  (for-each (lambda (f) (f)) lambdas))
"""
N = 36
CALLS = 48315633  # of fib


def build():
    SCRIPT.write_text(TEXT)
    SCRIPT.chmod(0o644)
    must([ASCRIBE, "cc", "--contexts", "-O2", "-g", "-I", SOURCE / "include", SOURCE / "tests/scenarios/hosted.c",
          "-o", PROGRAM])


def recorded(name, lambdas, ending, ended="status 0", script=SCRIPT, options=()):
    path = DIRECTORY / f"{name}.ascribe"
    result = run([ASCRIBE, "record", "-q", *options, "-o", path, "--", PROGRAM, script, N, lambdas, ending])
    check(result.ending == ended, f"{ending}: {result.ending} {result.errors}")
    check(result.output == "14930352\n", result.output)
    return Profile(path)


def counts(profile):
    """Exact, by function and by call site, with columns; the host's own functions in C among them."""
    calls = dict(profile.rows("select name, calls from functions where object = 'fib script'"
                              " and name in ('fib', 'script-main')"))
    check(calls == {"fib": CALLS, "script-main": 1}, calls)
    check(profile.rows("select line, source_column, file from functions where name = 'fib'")
          == [(1, 9, str(SCRIPT))], "where fib is defined")
    sites = profile.rows("select caller_name, line, source_column, calls from call_sites"
                         " where callee_name = 'fib' order by line, source_column")
    check(sites == [("fib", 3, 10, (CALLS - 1) // 2), ("fib", 3, 24, (CALLS - 1) // 2), ("script-main", 5, 3, 1)], sites)
    check(profile.rows("select caller_name, calls from arcs where calls > 0 and callee_name in"
                       " ('display', 'run_script') order by callee_name") == [("run_script", 1), ("main", 1)],
          "the host's own functions in C")
    check(profile.rows("select kind, build_id, message from objects where path = 'fib script'") == [("world", "", "")],
          "the world")


def lambdas(profile, count):
    """Defined while the script ran; half of them have no name."""
    found = profile.rows("select name, source_column, calls from functions where object = 'fib script' and line = 6"
                         " order by source_column")
    wanted = [("anonymous" if i % 2 else f"lambda-{i}", 100 + i, 1) for i in range(count)]
    check(found == wanted, f"{len(found)} lambdas: {found[:3]}")


def times(profile):
    """What the interpreter took while it ran them is the functions'."""
    check(profile.total_share("fib") > 0.8, f"fib has {profile.total_share('fib')} of the time")
    check(profile.rows("select count(*) from functions where total_ns > (select sum(self_ns) + count(*)"
                       " from functions)") == [(0,)],
          "more than all")


def reports(profile):
    said = must([ASCRIBE, "report", "--source", "fib", profile.path]).output
    check("(+ (fib (- n 1)) (fib (- n 2)))" in said and str(CALLS) in said, said)
    said = must([ASCRIBE, "report", "--calls", "fib", profile.path]).output
    check("fib.scm:3:10" in said and "fib.scm:3:24" in said, said)
    check("language host (its program's calls)" in must([ASCRIBE, "report", profile.path]).output, "the hooks")
    said = must([ASCRIBE, "report", "--static", profile.path])
    check("changed or gone" not in said.errors, said.errors)
    said = run([ASCRIBE, "report", "--asm", "fib", profile.path])
    check("fib script was run by a language host" in said.output + said.errors,
          said.output + said.errors)
    functions = json.loads(must([ASCRIBE, "report", "--json", profile.path]).output)["functions"]
    check([(f["line"], f["source_column"]) for f in functions if f["name"] == "fib"] == [(1, 9)], "JSON")


def exports(profile):
    def exported(form):
        path = DIRECTORY / form
        must([ASCRIBE, "export", "--to", form, "-o", path, profile.path])
        return path
    frames = json.loads(exported("speedscope").read_text())["shared"]["frames"]
    check({"name": "fib", "file": str(SCRIPT), "line": 1, "col": 9} in frames, "speedscope")
    text = exported("callgrind").read_text()
    check("fib script" in text and str(SCRIPT) in text, "callgrind")
    check(any("script-main;fib" in line for line in exported("collapsed").read_text().splitlines()), "collapsed")
    again = DIRECTORY / "again.ascribe"
    must([ASCRIBE, "import", "-o", again, exported("pprof")])
    check(Profile(again).rows("select object, file, line from functions where name = 'fib'")
          == [("fib script", str(SCRIPT), 1)], "pprof")
    must([ASCRIBE, "html", "-o", DIRECTORY / "page.html", profile.path])


def runs(first, second):
    """Two runs have their functions in common, and their sum is one profile."""
    compared = json.loads(must([ASCRIBE, "diff", "--json", "-n", 0, "--by", "a.calls + b.calls", first.path, second.path]).output)
    rows = {row["name"]: row for row in compared["functions"]}
    check(rows["fib"]["a"]["calls"] == rows["fib"]["b"]["calls"] == CALLS, compared["functions"][:2])
    sites = must([ASCRIBE, "diff", "--of", "sites", "--by", "a.calls + b.calls", first.path, second.path]).output
    check("fib.scm:3:10" in sites and "fib.scm:3:24" in sites, sites)
    path = DIRECTORY / "sum.ascribe"
    must([ASCRIBE, "merge", "-o", path, first.path, second.path])
    check(Profile(path).rows("select name, calls from functions where name in ('fib', 'lambda-0')"
                             " and object = 'fib script' order by name") == [("fib", 2 * CALLS), ("lambda-0", 2)],
          "merged")


def forked():
    profile = recorded("forked", 10, "fork")
    check(profile.rows("select name, calls from functions where object = 'fib script'"
                       " and name in ('script-main', 'of-the-child', 'lambda-0') order by name")
          == [("lambda-0", 1), ("of-the-child", 1), ("script-main", 2)], "the child's functions")


def sources(profile):
    """A host could name any file: only those that others may read are copied."""
    check(profile.rows("select text from sources where path = ?", str(SCRIPT)) == [(TEXT,)], "the script's text")
    closed = DIRECTORY / "closed.scm"
    closed.write_text(TEXT)
    closed.chmod(0o600)
    check(recorded("closed", 1, "exit", script=closed).rows("select * from sources where path = ?", str(closed)) == [],
          "a closed file was copied")


def main():
    build()
    bare = run([PROGRAM, SCRIPT, N, 10, "exit"], environment={"ASCRIBE_OUT": None})
    check(bare.output == "14930352\n" and bare.status == 0, f"without a recording: {bare.ending}")
    profile = recorded("exit", 5000, "exit")
    counts(profile)
    lambdas(profile, 5000)
    times(profile)
    reports(profile)
    exports(profile)
    sources(profile)
    killed = recorded("killed", 100, "kill", ended="signal KILL")
    counts(killed)
    lambdas(killed, 100)
    runs(profile, killed)
    forked()
    times(recorded("stacks", 10, "exit", options=["--stacks"]))


if __name__ == "__main__":
    main()
