#!/usr/bin/env python3
"""CHICKEN Scheme's programs as csc makes them: each trace point and how often it was met, the same
output, and collections apart. CHICKEN's own profilers and the programs' arithmetic are the judges."""

import math
import pathlib
import re
import shlex
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("chicken")
QUICKLY = ["-C", "-O0"]  # gcc would take most of the time
BENCHMARKS = harness.SOURCE / "bench" / "chicken"
NFA = """(define (recursive-nfa input)
  (define (state0 input)
    (or (state1 input) (state3 input) #f))
  (define (state1 input)
    (and (not (null? input))
         (or (and (char=? (car input) #\\a)
                  (state1 (cdr input)))
             (state2 input))))
  (define (state2 input)
    (and (not (null? input))
         (char=? (car input) #\\b)
         'state2))
  (define (state3 input)
    (and (not (null? input))
         (or (and (char=? (car input) #\\a)
                  (state3 (cdr input)))
             'state4)))
  (state0 input))
(define input (string->list (make-string 100 #\\a)))
(do ((i 0 (+ i 1))) ((= i 1000)) (recursive-nfa input))
(write (recursive-nfa input))
"""
# Each call of k re-enters or escapes: counts are those of the calls, whatever the continuations do.
GENERATOR = """(define count 0)
(define saved #f)
(define (visit x) (set! count (+ count x)) count)
(define (again)
  (let ((n (call-with-current-continuation (lambda (k) (set! saved k) 0))))
    (visit 1)
    (if (< n 1000) (saved (+ n 1)) n)))
(write (again))
(write (dynamic-wind (lambda () (visit 0)) (lambda () (call/cc (lambda (k) (k (visit 0))))) (lambda () (visit 0))))
(write (handle-exceptions e 'caught (visit 'no-number)))
"""
ALLOCATOR = """(define (make n) (make-vector n 0))
(define kept (let loop ((i 0) (l '())) (if (= i 300) l (loop (+ i 1) (cons (make 10000) l)))))
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(write (fib 30))
(write (length kept))
"""


def compiled(name, text, *options):
    source = DIRECTORY / f"{name}.scm"
    source.write_text(text)
    must(["csc", "-O2", *options, source.name, "-o", name], directory=DIRECTORY)
    return DIRECTORY / name


def recorded(program, *options):
    path = program.with_suffix(".ascribe")
    bare = run([program], directory=DIRECTORY, environment={"ASCRIBE_OUT": None})
    result = run([ASCRIBE, "record", "-q", *options, "-o", path, "--", program], directory=DIRECTORY)
    check((result.output, result.ending) == (bare.output, bare.ending), f"{result.output}{result.errors} not {bare.output}")
    return Profile(path)


def points(profile):
    """Calls by line and callee, as CHICKEN names them."""
    found = {}
    for name, line, calls in profile.rows("select name, line, calls from functions where object = 'CHICKEN' and file is not null"):
        check(re.match(r"[^:]+:\d+: ", name) and int(name.split(":")[1]) == line, f"{name} in line {line}")
        found[line, name.split(": ")[1]] = calls
    return found


def nfa():
    profile = recorded(compiled("nfa", NFA))
    nfa_points(points(profile))


def nfa_points(found):
    """The counts of NFA are those of its arithmetic."""
    for line, callee, calls in ((3, "state1", 1001), (3, "state3", 1001), (6, "state1", 100100)):
        near = [count for (at, name), count in found.items() if name == callee and abs(at - line) <= 1]
        check(near == [calls], f"{callee} in line {line}: {near} of {found}")


def linked():
    """CHICKEN's own code is in the program: record prints the command that makes its points seen."""
    for name, options in (("linked", []), ("static", ["-L", "-static"])):
        program = compiled(name, NFA, *QUICKLY, "-static", *options)
        told = run([ASCRIBE, "record", "-o", program.with_suffix(".ascribe"), "--", program], directory=DIRECTORY)
        advice = re.search(r"ascribe: .* has CHICKEN linked into it, .* after csc (.*)", told.errors)
        check(advice, told.errors)
        profile = recorded(compiled(name, NFA, *QUICKLY, *shlex.split(advice[1])))
        nfa_points(points(profile))
        at = {symbol: int(address, 16) for address, symbol in
              re.findall(r"(\w+) . (C_toplevel|end_of_code|CHICKEN_run)\n", must(["nm", program]).output)}
        check(at["C_toplevel"] < at["end_of_code"] < at["CHICKEN_run"], f"not apart from CHICKEN's code: {at}")
        quiet = run([ASCRIBE, "record", "-o", program.with_suffix(".ascribe"), "--", program], directory=DIRECTORY).errors
        check("linked into it" not in quiet, quiet)


def of_both(name, arguments, *options):
    """One run that a profiler of CHICKEN's and Ascribe record: {name: (calls, seconds)} of CHICKEN's, the profile."""
    program, output = DIRECTORY / name, DIRECTORY / f"{name}.ascribe"
    must(["csc", "-O3", *options, BENCHMARKS / f"{name}.scm", "-o", program], directory=DIRECTORY)
    for old in DIRECTORY.glob("PROFILE.*"):
        old.unlink()
    must([ASCRIBE, "record", "-q", "-o", output, "--", program, *arguments], directory=DIRECTORY)
    (path,) = DIRECTORY.glob("PROFILE.*")
    table = must(["chicken-profile", path.name], directory=DIRECTORY).output
    rows = re.findall(r"^(\S.*?) +(\d+) +([\d.]+) +[\d.]+ +[\d.]+$", table, re.M)
    check(rows, table)
    return {name: (int(calls), float(seconds)) for name, calls, seconds in rows}, Profile(output)


def counts_agree():
    """csc -profile counts the calls of procedures at top level, a trace point those of one place.  `search` is inlined."""
    for name, arguments, least in (("nfa-lifted", ["300"], 6), ("tak", ["2"], 1), ("kernwyk-array", ["10", "1000"], 4)):
        table, profile = of_both(name, arguments, "-profile", *QUICKLY)
        table.pop("search", None)
        check(len(table) >= least, table)
        for procedure, (calls, _) in table.items():
            ours = profile.value("select sum(calls) from functions where object = 'CHICKEN' and name like ?", f"%: {procedure}")
            check(ours == calls, f"{name}: {procedure} was called {calls} times, not {ours}")


def shares_agree():
    """CHICKEN's samples (-:p) find the same trace points as often; they are on their way at the same time as ours."""
    for name, arguments, points_of_it in (("nfa", ["20000"], ("state1", "state3")), ("kernwyk-array", ["20"], ("scheme#make-vector",))):
        table, profile = of_both(name, [*arguments, "-:P4000"])
        all_theirs, all_ours = sum(seconds for _, seconds in table.values()), profile.value("select sum(self_ns) from functions")
        samples, ticks = all_theirs / 0.004, profile.all_ticks()
        check(samples > 20 and ticks > 50, f"{name}: {samples} samples and {ticks} ticks")
        rows = [row for row in profile.rows("select name, total_ns from functions where object = 'CHICKEN' and total_ns > 0")
                if row[0].split(": ")[-1] in points_of_it]
        check(len(rows) >= 2, f"{name}: {rows}")
        for point, total in rows:
            theirs, ours = table.get(point, (0, 0))[1] / all_theirs, total / all_ours
            sigma = math.sqrt(max(ours, 0.01) * max(1 - ours, 0.01) * (1 / samples + 1 / ticks))
            check(abs(theirs - ours) < 5 * sigma + 0.02, f"{name}: {point} has {ours:.1%}, CHICKEN says {theirs:.1%}")


def continuations():
    found = points(recorded(compiled("generator", GENERATOR)))
    by_name = {}
    for (_, callee), calls in found.items():
        by_name[callee] = by_name.get(callee, 0) + calls
    check(by_name["visit"] == 1001 + 3 + 1 and by_name["again"] == 1, by_name)


def collections():
    profile = recorded(compiled("allocator", ALLOCATOR), "--rate", "2000")
    kinds = dict(profile.rows("select name, calls from functions where object = 'CHICKEN' and name like '(%'"))
    check(kinds["(minor collection)"] > 0 and kinds["(collection that resizes the heap)"] > 0, kinds)
    check(points(profile)[3, "fib"] == 2692537 - 1, points(profile))
    told = must([ASCRIBE, "report", profile.path]).output
    check("a trace point has the time until the next one" in told, told)
    check(profile.value("select count(*) from functions where total_ns > (select sum(self_ns) + 1 from functions)") == 0,
          "more than all")
    lines = dict(profile.rows("select line, self_ns from lines where file like '%allocator.scm'"))
    check(lines.get(3, 0) > 0, f"the line of fib: {lines}")


def without_points():
    profile = recorded(compiled("untraced", ALLOCATOR, "-no-trace"))
    told = must([ASCRIBE, "report", profile.path]).output
    check("no trace points: " in told, told)
    deepest = profile.value("with recursive depths(context, depth) as (select id, 0 from contexts where parent is null union all"
                            " select c.id, d.depth + 1 from contexts c join depths d on c.parent = d.context)"
                            " select max(depths.depth) from depths")
    check(deepest < 10, f"contexts {deepest} deep")


def main():
    if not shutil.which("csc") or "CHICKEN" not in run(["csc", "-version"]).output:
        harness.skip("CHICKEN's csc is not installed")
    nfa()
    linked()
    counts_agree()
    shares_agree()
    continuations()
    collections()
    without_points()


if __name__ == "__main__":
    main()
