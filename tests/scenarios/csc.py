#!/usr/bin/env python3
"""CHICKEN programs of `ascribe csc`: each procedure's calls, in its context, whichever way control
goes; what the source executes; units, libraries and modules. The programs' arithmetic is the judge,
and what they count themselves."""

import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("csc")
SOURCES = harness.SOURCE / "tests" / "scheme"


def built(name, *options):
    shutil.copy(SOURCES / f"{name}.scm", DIRECTORY)
    must([ASCRIBE, "csc", "-O2", *options, f"{name}.scm", "-o", name], directory=DIRECTORY)
    return DIRECTORY / name


def recorded(program, *options):
    """What it says alone it says when it is recorded, too."""
    path = program.with_suffix(".ascribe")
    alone = run([program], directory=DIRECTORY, environment={"ASCRIBE_OUT": None})
    result = run([ASCRIBE, "record", "-q", *options, "-o", path, "--", program], directory=DIRECTORY)
    check((result.output, result.ending) == (alone.output, alone.ending), f"{result.output}{result.errors} not {alone.output}")
    return Profile(path), result.output


def calls_are(profile, expected):
    for name, calls in expected.items():
        check(profile.calls(name) == calls, f"{name}: {profile.calls(name)} calls, not {calls}")


def arcs_are(profile, expected):
    for (caller, callee), calls in expected.items():
        found = profile.value("select coalesce(sum(calls), 0) from arcs where callee_name = ? and coalesce(caller_name, '') = ?",
                              callee, caller)
        check(found == calls, f"{caller} -> {callee}: {found}, not {calls}")


def procedures():
    profile, output = recorded(built("procedures"))
    compared = int(output.splitlines()[-3])
    calls_are(profile, {"again": 1, "reenter": 1, "find-first": 7, "big?": 21, "make-generator": 1, "drain": 1, "safe": 10, "risky": 10,
                        "use": 3, "two": 3, "add": 3, "less": compared, "even2?": 500001, "odd2?": 500001, "bounce": 501,
                        "bounce-back": 500, "winding": 2, "before": 2, "behind": 2, "out": 1,
                        "leaf": 10 + 5 + 2 * compared + 1, "fill": 2002})
    arcs_are(profile, {("sorted", "less"): compared, ("less", "leaf"): 2 * compared, ("less", "less"): 0, ("by-text", "by-text"): 0,
                       ("(top level)", "even2?"): 1, ("even2?", "odd2?"): 500001, ("odd2?", "even2?"): 500000,
                       ("again", "leaf"): 10, ("numbers", "fill"): 2, ("reenter", "again"): 1,
                       ("(top level)", "sorted"): 1})
    check(profile.arc("fill", "fill") == 2000, "rounds of a named let are recursive calls")
    check(profile.value("select sum(calls) from functions where name = 'by-text'")
          == profile.value("select sum(calls) from arcs where callee_name = 'by-text' and caller_name = 'sorted-by-text'"),
          "who is called by the library's sort is called by who called that")
    places = dict(profile.rows("select name, line from functions where object = 'CHICKEN' and name in ('fill', 'less', 'go', 'loop', 'leaf')"
                               " order by line desc"))
    check(places == {"fill": 45, "less": 43, "go": 21, "loop": 29, "leaf": 5}, places)
    check(profile.rows("select distinct line from call_sites where caller_name = 'even2?' and callee_name = 'odd2?'") == [(60,)], "site")
    flat = must([ASCRIBE, "report", "--flat", "--limit", "all", profile.path]).output
    check(re.search(r"anonymous \(procedures\.scm:\d+:\d+\)", flat) and "in CHICKEN" not in flat, flat)
    sites = must([ASCRIBE, "report", "--calls", "leaf", profile.path]).output
    check("No times of call sites: the ticks know the callers (report --graph)" in sites and "--stacks" not in sites, sites)


def counted():
    """Without contexts callers follow from counts, which are those of the contexts; where not, they are bounded."""
    profile, output = recorded(built("procedures", "--counts", "--expressions"))
    compared = int(output.splitlines()[-3])
    calls_are(profile, {"again": 1, "reenter": 1, "find-first": 7, "big?": 21, "less": compared, "even2?": 500001, "odd2?": 500001,
                        "bounce": 501, "bounce-back": 500, "winding": 2, "leaf": 10 + 5 + 2 * compared + 1, "fill": 2002})
    arcs = {tuple(row[:2]): row[2] for row in profile.rows("select caller_name, callee_name, sum(calls) from call_sites group by 1, 2")}
    for arc, calls in {("less", "leaf"): 2 * compared, ("even2?", "odd2?"): 500001, ("odd2?", "even2?"): 500000, ("(top level)", "bounce"): 1,
                       ("numbers", "fill"): 2, ("fill", "fill"): 2000, ("<spontaneous>", "less"): compared}.items():
        check(arcs.get(arc) == calls, f"{arc}: {arcs.get(arc)}, not {calls}")
    for least, most in profile.rows("select least_calls, most_calls from call_sites where caller_name like 'bounce%'"):
        check(least <= 250 <= most, f"each of the two calls each 250 times: {least}..{most}")
    spans = profile.rows("select name, calls from functions f where calls and object = 'CHICKEN' and calls <> "
                         "(select coalesce(sum(calls), 0) from call_sites where callee = f.id)")
    check(not spans, f"callers do not add up: {spans}")
    # Other code may use what a unit defines.
    (DIRECTORY / "open.scm").write_text("(define (twice n) (* 2 n)) (define (start) (print (twice 1)) (print (eval '(+ 1 2)))) (start)")
    must([ASCRIBE, "csc", "--counts", "-O2", "open.scm", "-o", "open"], directory=DIRECTORY)
    profile, _ = recorded(DIRECTORY / "open")
    bounds = dict(profile.rows("select coalesce(caller_name, ''), most_calls from call_sites where callee_name = 'twice'"))
    check(bounds == {"start": 1, "<spontaneous>": 1}, f"eval may call it: {bounds}")


def executions():
    profile, _ = recorded(built("executions", "--expressions"))
    lines = (SOURCES / "executions.scm").read_text().splitlines()
    counts = {}
    for line, column, end_line, end_column, count in profile.rows(
            "select line, source_column, end_line, end_column, count from expressions where kind = 'code' and file like '%executions.scm'"):
        check(line == end_line, f"an expression from {line} to {end_line}")
        counts[line, lines[line - 1][column - 1:end_column - 1]] = count
    for place, count in {(5, "(call/cc (lambda (c) (set! k c) 1))"): 1, (6, "(number->string rounds)"): 4, (8, "(k (+ rounds 1))"): 3,
                         (13, "(= n 0)"): 1001, (13, "(list 'zero n)"): 1, (14, "(even? n)"): 1000, (14, "(list 'even n)"): 500,
                         (15, "(quotient n 2)"): 500, (20, "(print (all 1001))"): 1, (22, "(vector x x)"): 0,
                         (27, "(vector x text character)"): 1, (27, "(late 1)"): 1}.items():
        check(counts.get(place) == count, f"{place}: {counts.get(place)}, not {count} of {counts}")
    ways = dict(profile.rows("select line || '/' || way, count from expressions where kind = 'branch'"))
    for place, count in {"7/0": 3, "7/1": 1, "13/0": 1, "13/1": 1000, "14/0": 500, "14/1": 500, "19/0": 1, "19/1": 1001}.items():
        check(ways.get(place) == count, f"way {place}: {ways.get(place)}, not {count} of {ways}")
    told = must([ASCRIBE, "report", "--source", "executions.scm", profile.path], directory=DIRECTORY).output
    check("executed   12 of 13 lines with code" in told, told)


def interrupted():
    profile, output = recorded_with_own_ending("interrupted")
    rounds, handled = map(int, output.split())
    fib = {3: 5, 5: 15, 10: 177, 12: 465}
    calls_are(profile, {"fib": 300 * fib[12] + 600 * fib[10] + handled * fib[5] + (rounds + 1) * fib[3], "handle": handled,
                        "wait": rounds + 1, "second": 601, "first": 1})
    arcs_are(profile, {("fib", "wait"): 0, ("fib", "handle"): 0, ("wait", "fib"): rounds + 1, ("handle", "fib"): handled,
                       ("second", "fib"): 600, ("loop", "fib"): 300, ("wait", "second"): 0, ("fib", "second"): 0})


def recorded_with_own_ending(name):
    """How often it waits differs between runs."""
    program = built(name)
    must([program], directory=DIRECTORY)
    path = program.with_suffix(".ascribe")
    output = must([ASCRIBE, "record", "-q", "-o", path, "--", program], directory=DIRECTORY).output
    return Profile(path), output


def parts():
    """A unit that is linked, a library that is loaded, and a module; one of them plain, one with -profile."""
    texts = {
        "unit": "(declare (unit counted) (export in-unit)) (define (in-unit f n) (if (= n 0) 0 (+ (f n) (in-unit f (- n 1)))))",
        "loaded": "(define (in-loaded f l) (map f l))",
        "plain": "(declare (unit plain)) (define (in-plain f n) (if (= n 0) '() (cons (f n) (in-plain f (- n 1)))))",
        "main": """(declare (uses counted plain))
(module main () (import scheme (chicken base) (chicken load))
  (define (global name) (##sys#slot name 0))
  (define (twice n) (* 2 n))
  (define (start)
    (print ((global 'in-unit) twice 10))
    (print ((global 'in-plain) twice 5))
    (load "./loaded.so")
    (print ((global 'in-loaded) twice '(1 2 3))))
  (start))""",
    }
    for name, text in texts.items():
        (DIRECTORY / f"{name}.scm").write_text(text)
    must([ASCRIBE, "csc", "-O2", "-c", "unit.scm"], directory=DIRECTORY)
    must(["csc", "-O2", "-c", "plain.scm"], directory=DIRECTORY)
    must([ASCRIBE, "csc", "-O2", "-s", "loaded.scm"], directory=DIRECTORY)
    must([ASCRIBE, "csc", "-O2", "-profile", "-profile-name", "main.profile", "main.scm", "unit.o", "plain.o", "-o", "main"],
         directory=DIRECTORY)
    profile, _ = recorded(DIRECTORY / "main")
    calls_are(profile, {"twice": 18, "in-unit": 11, "in-loaded": 1, "start": 1, "in-plain": 0})
    arcs_are(profile, {("in-unit", "twice"): 10, ("in-loaded", "twice"): 3, ("start", "twice"): 5, ("twice", "twice"): 0,
                       ("(top level)", "start"): 1})
    check(profile.value("select dropped_points from runs") == 0, "a unit is called before the file that uses it begins")
    told = must(["chicken-profile", "main.profile"], directory=DIRECTORY).output
    check(re.search(r"twice +18 ", told) and re.search(r"start +1 ", told), f"CHICKEN's own profiler beside us: {told}")


def linked():
    """CHICKEN's own code is in the program, and with -L -static all libraries are. Collections are told apart."""
    for options in (["-static"], ["-static", "-L", "-static"]):
        profile, said = recorded(built("procedures", "-C", "-O0", *options))
        calls_are(profile, {"even2?": 500001, "find-first": 7, "fill": 2002})
        check("linked into it" not in said, said)
        check(profile.value("select calls from functions where name = '(minor collection)'"), "no collections")


def misread():
    """A program that does not compile: csc's own message, without calls of the extension."""
    (DIRECTORY / "open.scm").write_text("(define (f x) (+ x 1)\n")
    told = [run([*command, "-t", "open.scm"], directory=DIRECTORY).errors.partition("Error: shell command")[0]
            for command in (["csc"], [ASCRIBE, "csc"])]
    check(told[0] == told[1] and "unterminated list" in told[0], f"{told}")


def called_from_c():
    """It is a procedure like others, and arguments that it does not use come from C all the same."""
    for options in ([], ["--expressions"]):
        profile, output = recorded(built("external", *options))
        check(output == "6\n", output)
        arcs_are(profile, {("(top level)", "last_of"): 1, ("(top level)", "run"): 1})


def conditions_and_included_files():
    """A variable is a condition at the form that asks for it, unless that could be another's. Included text has
    its columns."""
    (DIRECTORY / "included.scm").write_text("(define (chosen x)\n  (if (odd? x) (list x) (vector x)))\n")
    (DIRECTORY / "conditions.scm").write_text("""(include "included.scm")
(define (ways a b x)
  (if a
      (chosen x)
      (list x))
  (when b (vector x))
  (if a
      (and b (chosen x))
      (list x)))
(do ((i 0 (+ i 1))) ((= i 12)) (ways (odd? i) (= 0 (modulo i 3)) i))
""")
    must([ASCRIBE, "csc", "-O2", "--expressions", "conditions.scm", "-o", "conditions"], directory=DIRECTORY)
    profile, _ = recorded(DIRECTORY / "conditions")
    ways = profile.rows("select line, way, count from expressions where kind = 'branch' and file like '%conditions.scm'"
                        " and line < 10 order by 1, 2")
    check(ways == [(3, 0, 6), (3, 1, 6), (6, 0, 4), (6, 1, 8)], f"ways {ways}")
    code = profile.rows("select line, source_column, end_column, count from expressions where kind = 'code'"
                        " and file like '%included.scm' and line = 2 order by 2")
    check(code == [(2, 7, 15, 8), (2, 16, 24, 8), (2, 25, 35, 0)], f"included: {code}")


def main():
    if not shutil.which("csc") or "CHICKEN" not in run(["csc", "-version"]).output:
        harness.skip("CHICKEN's csc is not installed")
    procedures()
    counted()
    executions()
    interrupted()
    parts()
    linked()
    misread()
    called_from_c()
    conditions_and_included_files()


if __name__ == "__main__":
    main()
