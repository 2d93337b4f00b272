#!/usr/bin/env python3
"""Chez Scheme programs under `ascribe scheme`: counts of expressions, which Chez's own profile-dump judges,
entries of procedures and their callers; the program's output, status and messages."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "view")]
import harness
from harness import ASCRIBE, Profile, check, must, run
from viewer import Viewer

DIRECTORY = harness.scratch("chez")
SOURCES = harness.SOURCE / "tests" / "scheme" / "chez"
os.environ["XDG_CACHE_HOME"] = str(DIRECTORY)


def version():
    """Of the Chez Scheme that is installed, which says it on either stream."""
    if not shutil.which("scheme"):
        return ""
    said = subprocess.run(["scheme", "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return said.stdout + said.stderr


def recorded(name, *options, arguments=()):
    """What it says alone it says when it is recorded, too."""
    shutil.copy(SOURCES / f"{name}.ss", DIRECTORY)
    path = DIRECTORY / f"{name}{''.join(options)}.ascribe"
    words = ["--script", f"{name}.ss", *arguments]
    alone = run(["scheme", *words], directory=DIRECTORY)
    result = run([ASCRIBE, "record", "-q", "-o", path, "--", ASCRIBE, "scheme", *options, *words], directory=DIRECTORY)
    check((result.output, result.errors, result.ending) == (alone.output, alone.errors, alone.ending),
          f"{name}: {result.output}{result.errors} not {alone.output}{alone.errors}")
    return Profile(path)


def dumped(name):
    """The sums of what Chez counts: several copies of code are several entries."""
    run(["scheme", "--script", SOURCES / "dump.ss", f"{name}.ss", "counts"], directory=DIRECTORY)
    counts = {}
    for line in (DIRECTORY / "counts").read_text().splitlines():
        *place, count = map(int, line.split())
        counts[tuple(place)] = counts.get(tuple(place), 0) + count
    return counts


def expressions(profile):
    rows = profile.rows("select line, source_column, end_line, end_column, sum(count) from expressions where kind = 'code'"
                        " and file like '%.ss' group by 1, 2, 3, 4")
    return {tuple(row[:4]): row[4] for row in rows}


def differ(ours, theirs):
    return sorted(set(ours.items()) ^ set(theirs.items()))[:8]


def cache_of_ones_own():
    """Where others may replace the cache, there is none."""
    cache = DIRECTORY / "cache"
    cache.mkdir()
    for mode, used in ((0o777, False), (0o700, True)):
        cache.chmod(mode)
        must([ASCRIBE, "record", "-q", "-o", "cache.ascribe", "--", ASCRIBE, "scheme", "--script", "queens.ss"],
             directory=DIRECTORY, environment={"XDG_CACHE_HOME": cache})
        check((cache / "ascribe").exists() == used, f"a directory of mode {mode:o}: used {not used}")


def queens():
    profile = recorded("queens")
    ours, theirs = expressions(profile), dumped("queens")
    check(ours == theirs, f"expressions: {differ(ours, theirs)}")
    entries = dict(profile.rows("select name, sum(calls) from functions where object = 'Chez Scheme' group by name"))
    expected = {"queens": 1, "try": 2057, "loop": 17685, "ok?": 15720, "on-diag": 42338, "compose": 1, "main": 1, "anonymous": 2}
    check({name: entries.get(name) for name in expected} == expected, f"entries: {entries}")
    places = dict(profile.rows("select name, line from functions where name in ('try', 'loop', 'ok?', 'on-diag')"))
    check(places == {"try": 3, "loop": 6, "ok?": 14, "on-diag": 15}, f"places: {places}")
    # Figures 4 and 5 of the paper: one solution.
    arcs = profile.rows("select caller_name, callee_name, calls, least_calls, most_calls from call_sites where file like '%queens.ss'")
    check(all(calls == least == most for _, _, calls, least, most in arcs), f"not determined: {arcs}")
    found = {tuple(row[:3]) for row in arcs}
    check(found == {("(top level)", "main", 1), ("main", "compose", 1), ("main", "anonymous", 1), ("anonymous", "queens", 1),
                    ("anonymous", "anonymous", 1), ("queens", "try", 1), ("try", "loop", 1965), ("loop", "loop", 15720),
                    ("loop", "ok?", 15720), ("loop", "try", 2056), ("ok?", "on-diag", 15720), ("on-diag", "on-diag", 26618)},
          f"arcs: {found}")
    # Section 4: time by ratio. Callers of `try` have all that ran below it, recursion being merged where it is entered.
    (own,) = profile.rows("select sum(self_ns) from functions where name in ('try', 'loop', 'ok?', 'on-diag')")[0]
    callers = profile.rows("select name, ratio_total_ns from functions where name in ('main', 'queens')"
                           " and object = 'Chez Scheme'")
    calls = profile.rows("select callee_name, ratio_total_ns from call_sites"
                         " where (caller_name, callee_name) in (('queens', 'try'), ('(top level)', 'main'))")
    check(len(callers) == len(calls) == 2, f"by ratio: {callers}, {calls}")
    for name, ratio in callers + (calls if own else []):  # a call without any time has none
        check(ratio is not None and abs(ratio - own) < 20, f"{name}: {ratio} ns by ratio, not {own}")
    source = must([ASCRIBE, "report", "--source", "queens.ss", profile.path]).output
    check(re.search(r" 17685 +7 +\(if \(= col n\)", source), source)


def control():
    profile = recorded("control")
    ours, theirs = expressions(profile), dumped("control")
    lines = (SOURCES / "control.ss").read_text().splitlines()
    as_often_as_it_must = r"condition-wait|thread-tc|\(run engine\)"
    missing = [(place, count, ours.get(place)) for place, count in theirs.items()
               if ours.get(place) != count and not re.search(as_often_as_it_must, lines[place[0] - 1])]
    check(not missing, f"expressions: {missing}")
    check(not any(count for place, count in ours.items() if count and place not in theirs), f"more than Chez counts: {differ(ours, theirs)}")
    line = next(i for i, text in enumerate(lines, 1) if text.startswith("(define (after-re)"))
    counts = {lines[line - 1][place[1] - 1:place[3] - 1]: count for place, count in ours.items() if place[0] == line == place[2]}
    check(counts["(re)"] == 1 and counts["(set! n (+ n 1))"] == 10, f"entered again: {counts}")
    contexts = recorded("control", "--contexts")
    found = {tuple(row) for row in contexts.rows(
        "select coalesce(caller_name, ''), callee_name, sum(calls) from call_sites group by 1, 2")}
    expected = {("after-re", "re", 1), ("(top level)", "after-re", 1), ("(top level)", "bar", 1), ("work", "work", 1000),
                ("(top level)", "my-car", 1), ("down", "down", 500)}
    check(expected <= found, f"arcs: {sorted(found)}")


def sums(profile, column):
    """By the lines of caller and callee, whose names may be none: NULL where nobody is known to have called."""
    return {tuple(row[:2]): row[2] for row in profile.rows(
        f"select c.line * 1000 + c.source_column, e.line * 1000 + e.source_column, sum(s.{column}) from call_sites s"
        " left join functions c on c.id = s.caller join functions e on e.id = s.callee where e.line is not null group by 1, 2")}


def flow():
    """The graph has every arc that is measured, and each measured count is between least and most."""
    solved, measured = recorded("procedures"), recorded("procedures", "--contexts")
    least, most = sums(solved, "least_calls"), sums(solved, "most_calls")
    calls = sums(measured, "calls")
    for (caller, callee), count in calls.items():
        unseen = most.get((None, callee), 0)
        check((caller, callee) in most or (None, callee) in most, f"{caller} -> {callee} is not in the graph: {most}")
        check(least.get((caller, callee), 0) <= count <= most.get((caller, callee), 0) + unseen,
              f"{caller} -> {callee}: {count}, not {least.get((caller, callee))} to {most.get((caller, callee))} and {unseen}")
    into = [{}, {}]
    for way, sums_of in enumerate((sums(solved, "calls"), calls)):
        for (_, callee), count in sums_of.items():
            into[way][callee] = into[way].get(callee, 0) + count
    check(into[0] == into[1], f"entries: {into}")
    arcs = dict(((row[0], row[1]), row[2]) for row in measured.rows(
        "select coalesce(caller_name, ''), callee_name, sum(calls) from call_sites group by 1, 2"))
    for arc, count in {("sum-squares", "square"): 4, ("even2?", "odd2?"): 501, ("odd2?", "even2?"): 500, ("repeat", "loop"): 1,
                       ("twice", "compose"): 2, ("fold", "fold"): 6, ("tree", "tree"): 510, ("opt", "opt"): 2}.items():
        check(arcs.get(arc) == count, f"{arc}: {arcs.get(arc)}, not {count}")


def counted():
    """Small programs: what they count themselves when they are rewritten is what is measured, and what the
    equations allow."""
    solved, measured = recorded("counted"), recorded("counted", "--contexts")
    counting = must(["scheme", "--script", SOURCES / "counting.ss", "counted.ss", "counted"], directory=DIRECTORY)
    check(counting.output == must(["scheme", "--script", "counted.ss"], directory=DIRECTORY).output, counting.output)
    entries, arcs = {}, {}
    for line in (DIRECTORY / "counted").read_text().splitlines():
        *places, count = line.split()
        places = [int(place) for place in places if place != "-"]
        (arcs if len(places) == 4 else entries)[tuple(places)] = int(count)
    check(len(entries) > 90 and len(arcs) > 140, f"{len(entries)} procedures, {len(arcs)} arcs")
    for profile in (solved, measured):
        found = {tuple(row[:2]): row[2] for row in profile.rows(
            "select line, source_column, sum(calls) from functions where file like '%counted.ss' and line is not null"
            " group by 1, 2 having sum(calls) > 0")}
        check(found == entries, f"entries: {differ(found, entries)}")

    def between(profile, column):  # -1: nobody that is known, 0: the top level
        return {tuple(row[:4]): row[4] for row in profile.rows(
            "select case when c.name = '(top level)' then 0 else coalesce(c.line, -1) end,"
            " case when c.name = '(top level)' then 0 else coalesce(c.source_column, -1) end, e.line, e.source_column,"
            f" sum(s.{column}) from call_sites s left join functions c on c.id = s.caller join functions e on e.id = s.callee"
            " where e.line is not null group by 1, 2, 3, 4")}
    found = between(measured, "calls")
    check(found == arcs, f"arcs: {differ(found, arcs)}")
    least, most = between(solved, "least_calls"), between(solved, "most_calls")
    for arc, count in arcs.items():
        unseen = most.get((-1, -1, *arc[2:]), 0)
        check(least.get(arc, 0) <= count <= most.get(arc, 0) + unseen,
              f"{arc}: {count}, not {least.get(arc)} to {most.get(arc)} and {unseen}")


FAILURES = {  # and how often f is called
    "raises": (1, """(define (f x) (car x))
(display "hello\n")
(f 5)
(display "never")
"""),
    "leaves": (11, """(define (f x) (if (= x 0) (exit 3) (+ 1 (f (- x 1)))))
(dynamic-wind (lambda () (display 1)) (lambda () (f 10)) (lambda () (display 2)))
"""),
    "handles": (1, """(define (f k) (parameterize ([current-exception-state (create-exception-state (lambda (x) (k x)))]) (raise 'oops)))
(display (call/cc f))
"""),
    "exits": (4, """(define (f x) (if (= x 0) (exit 5) (+ 1 (f (- x 1)))))
(define expanded 0)
(current-expand (lambda (x . rest) (set! expanded (+ expanded 1)) (apply sc-expand x rest)))
(abort-handler (let ([plain (abort-handler)]) (lambda code (display "aborts\n") (apply plain code))))
(exit-handler (lambda (code) (display (list "exits" expanded)) (abort (+ 2 code))))
(dynamic-wind (lambda () (display 1)) (lambda () (f 3)) (lambda () (display 2)))
"""),
    "miscalls": (1, """(define-syntax outcome (syntax-rules () [(_ e) (call/cc (lambda (k)
  (with-exception-handler (lambda (c) (display-condition c) (newline) (k 1)) (lambda () e #f))))]))
(define-record-type point (fields x y))
(define-syntax wrong (syntax-rules () [(_ a) (car a a)]))
(define (f x)
  (outcome ((letrec ([y (lambda (z) z)]) y) (display "argument ") x))
  (outcome (letrec ([y (case-lambda [(z) z] [(a b c) b])]) (y (display "argument ") 4)))
  (outcome (let ([g (lambda (a) (list a a))]) (g)))
  (outcome ((lambda (x) x)))
  (outcome (wrong x))
  (outcome (apply))
  (outcome (make-point 1)))
(f 2)
"""),
    "hooks": (3, """(define times 0)
(define (collects) (set! times (+ times 1)) (collect))
(define before (collect-request-handler))
(collect-request-handler collects)
(define (fill n) (let loop ([i 0] [l '()]) (if (= i n) (length l) (loop (+ i 1) (cons i l)))))
(display (list (fill 2000000) (> times 0) (eq? (collect-request-handler) collects)))
(collect-request-handler before)
(define (f x) (* x 2))
(define (expander x . rest) (apply sc-expand x rest))
(parameterize ([current-expand expander]) (display (list (eval '(f 1)) (eq? (current-expand) expander))))
(display (list (interpret '(f 2)) ((top-level-value 'f) 3)))
(define place (interpret '(lambda () (virtual-register 15))))
(define (spin n) (let loop ([i n]) (if (= i 0) (list (place)) (loop (- i 1)))))
(define (ticks) (set! times 'ticked))
(timer-interrupt-handler ticks)
(define (disturbed n) (set-timer 100) (spin n))
(display (list (equal? (spin 1000) (disturbed 1000)) times (eq? (timer-interrupt-handler) ticks)))
"""),
}


def dial():
    """A call that is not determined is chosen, and the others follow."""
    with Viewer(recorded("procedures").path) as view:
        before, _ = view.rows("possible")
        call = next(row for row in before if row["caller_name"] and row["least_calls"] < row["most_calls"])
        answer = view.request(f"{view.path}api/dial?site={call['id']}&value={call['most_calls']}", method="PUT")
        check(answer.json["value"] == call["most_calls"], answer.text)
        after, _ = view.rows("possible")
        chosen = next(row for row in after if row["id"] == call["id"])
        check(chosen["calls"] == call["most_calls"], f"{call} not chosen: {chosen}")
        sums = [sum(row["calls"] for row in rows if row["callee_name"] == call["callee_name"])
                for rows in (before, after)]
        check(sums[0] >= sums[1] > 0, f"calls of {call['callee_name']}: {sums}")


def failures():
    for name, (calls, text) in FAILURES.items():
        (DIRECTORY / f"{name}.ss").write_text(text)
        ways = []
        for command in (["scheme"], [ASCRIBE, "scheme"], [ASCRIBE, "record", "-q", "-o", f"{name}.ascribe", "--", ASCRIBE, "scheme"]):
            result = run([*command, "--script", f"{name}.ss"], directory=DIRECTORY)
            ways.append((result.output, result.errors, result.ending))
        check(ways[0] == ways[1] == ways[2], f"{name}: {ways}")
        profile = Profile(DIRECTORY / f"{name}.ascribe")
        check(profile.value("select calls from functions where name = 'f'") == calls, name)
    # What is reached by name alone is called by nobody that is known.
    most = dict(profile.rows("select caller_name, most_calls from call_sites where callee_name = 'f'"))
    check(most.get("<spontaneous>") == 3, f"by name: {most}")


def killed():
    """No count is more than what was executed, and the report says what they are."""
    (DIRECTORY / "killed.ss").write_text("""(load-shared-object #f)
(define kill (foreign-procedure "kill" (int int) int))
(define (f n) (make-vector 1000 n))
(define end (+ (real-time) 300))
(define n (let loop ([n 1]) (f n) (if (< (real-time) end) (loop (+ n 1)) n)))
(display n)
(flush-output-port)
(kill (get-process-id) 9)
""")
    result = run([ASCRIBE, "record", "-q", "-o", "killed.ascribe", "--", ASCRIBE, "scheme", "--script", "killed.ss"], directory=DIRECTORY)
    profile = Profile(DIRECTORY / "killed.ascribe")
    calls = profile.value("select calls from functions where name = 'f'")
    check(0 <= calls <= int(result.output), f"{calls} of {result.output} calls")
    report = must([ASCRIBE, "report", profile.path]).output
    check("it was killed: counts are those of its last collection" in report, report)


def unknown_expander():
    """A Scheme whose expander makes other records: expressions are counted, and that is all."""
    support = DIRECTORY / "support"
    support.mkdir()
    for path in pathlib.Path(ASCRIBE).parent.parent.glob("instrument/ascribe-chez*.ss"):
        shutil.copy(path, support)
    records = support / "ascribe-chez-records.ss"
    records.write_text(records.read_text().replace("(has-fields? profiled 'e0 'e1)", "(has-fields? profiled 'first)"))
    shutil.copy(SOURCES / "queens.ss", DIRECTORY)
    said = []
    for options in ((), ("--contexts",)):
        said.append(run([ASCRIBE, "record", "-q", "-o", "unknown.ascribe", "--", "env", f"ASCRIBE_SUPPORT_DIR={support}", ASCRIBE,
                         "scheme", *options, "--script", "queens.ss"], directory=DIRECTORY))
        profile = Profile(DIRECTORY / "unknown.ascribe")
        ours, theirs = expressions(profile), dumped("queens")
        check(ours == theirs, f"expressions: {differ(ours, theirs)}")
        check(not profile.value("select count(*) from functions where name = 'try'"), "a procedure is known")
    for result in said:
        check((result.output, result.ending) == ("93\n", "status 0"), f"{result.output}{result.ending}")
        check(result.errors == "ascribe: this Scheme's expander is not known: expressions are counted, but procedures have no times\n",
              result.errors)


def crowded():
    """Calls are counted once while the table of transitions is replaced, since many contexts crowd it."""
    count = 10
    steps = [f"(define (s{i} depth n) (set! calls (+ calls 1)) (each depth n))" for i in range(count)]
    (DIRECTORY / "crowded.ss").write_text("\n".join(["(define calls 0)", *steps, f"""
(define steps (vector {" ".join(f"s{i}" for i in range(count))}))
(define (each depth n)
  (unless (= depth 0)
    (do ([i 0 (+ i 1)]) ((= i n)) ((vector-ref steps i) (- depth 1) n))))
(do ([n 1 (+ n 1)]) ((> n {count}))
  (do ([i 0 (+ i 1)]) ((= i 400)) (each 3 n)))
(display calls)
"""]))
    result = must([ASCRIBE, "record", "-q", "--", ASCRIBE, "scheme", "--contexts", "--script", "crowded.ss"],
                  directory=DIRECTORY)
    calls = Profile(DIRECTORY / "scheme.ascribe").rows(
        "select calls from functions where file like '%crowded.ss' and name glob 's[0-9]'")
    check(sum(row[0] for row in calls) == int(result.output), f"{calls}, not {result.output}")


def forked():
    """A child counts from its beginning, and its callers follow from its parent's program and its own."""
    (DIRECTORY / "forks.ss").write_text("""(load-shared-object #f)
(define fork (foreign-procedure "fork" () int))
(define waitpid (foreign-procedure "waitpid" (int uptr int) int))
(define (work n) (if (= n 0) 0 (+ 1 (work (- n 1)))))
(define (late n) (work n))
(work 9)
(let ([pid (fork)])
  (if (= pid 0)
      (begin (eval '(define (in-child n) (late (* 2 n)))) (eval '(in-child 5)) (late 19) (exit 0))
      (begin (waitpid pid 0 0) (late 29))))
""")
    must([ASCRIBE, "record", "-q", "-o", "forks.ascribe", "--", ASCRIBE, "scheme", "--script", "forks.ss"], directory=DIRECTORY)
    profile = Profile(DIRECTORY / "forks.ascribe")
    calls = dict(profile.rows("select name, sum(calls) from functions where name in ('work', 'late', 'in-child') group by name"))
    check(calls == {"work": 10 + 30 + 11 + 20, "late": 3, "in-child": 1}, f"entries: {calls}")
    arcs = {tuple(row[:2]): row[2] for row in profile.rows(
        "select caller_name, callee_name, sum(calls) from call_sites where callee_name in ('work', 'late') group by 1, 2")}
    check(arcs == {("work", "work"): 67, ("late", "work"): 3, ("(top level)", "work"): 1, ("(top level)", "late"): 2,
                   ("in-child", "late"): 1}, f"arcs: {arcs}")


def ahead():
    """A library is counted that was compiled ahead; object files are for other processes."""
    (DIRECTORY / "stack.sls").write_text("(library (stack) (export total) (import (chezscheme))\n"
                                         "(define (total s) (if (null? s) 0 (+ (car s) (total (cdr s))))))\n")
    (DIRECTORY / "compile.ss").write_text('(compile-library "stack.sls")\n')
    (DIRECTORY / "ahead.ss").write_text("(import (chezscheme) (stack))\n(display (total (iota 100)))\n")
    record = [ASCRIBE, "record", "-q", "-o", "ahead.ascribe", "--", ASCRIBE]
    must([*record, "scheme", "--script", "compile.ss"], directory=DIRECTORY)
    for command in (["scheme"], [*record, "scheme", "--compile-imported-libraries"], ["scheme"]):
        check(must([*command, "--program", "ahead.ss"], directory=DIRECTORY).output == "4950", f"{command}")
    calls = Profile(DIRECTORY / "ahead.ascribe").value("select calls from functions where name = 'total'")
    check(calls == 101, f"total: {calls}")
    # Compiled by Ascribe, a program is what it is from its source; plain Scheme runs it, too.
    must([ASCRIBE, "scheme", "--compile", "stack.sls", "ahead.ss"], directory=DIRECTORY)
    (DIRECTORY / "stack.sls").rename(DIRECTORY / "stack.txt")
    check(must(["scheme", "--program", "ahead.so"], directory=DIRECTORY).output == "4950", "plain")
    for options in ((), ("--contexts",)):
        result = must([*record, "scheme", *options, "--program", "ahead.so"], directory=DIRECTORY)
        check((result.output, result.errors) == ("4950", ""), f"{options}: {result.output}{result.errors}")
        profile = Profile(DIRECTORY / "ahead.ascribe")
        calls = {tuple(row[:2]): row[2] for row in profile.rows(
            "select caller_name, callee_name, calls from call_sites where callee_name <> '(collection)'")}
        check(calls == {("(top level)", "total"): 1, ("total", "total"): 100}, f"compiled ahead: {calls}")
        check(tuple(profile.rows("select calls, line from functions where name = 'total'")[0]) == (101, 2), "compiled ahead")
    (DIRECTORY / "stack.txt").rename(DIRECTORY / "stack.sls")
    (DIRECTORY / "stack.so").unlink()
    # What is loaded as an object file may call any global procedure; what a build script compiles under
    # Ascribe is known.
    (DIRECTORY / "uses.ss").write_text("(define (caller n) (if (= n 0) 0 (+ (helper n) (caller (- n 1)))))\n")
    (DIRECTORY / "loads.ss").write_text('(define (helper n) (* n 2))\n(load "uses.so")\n(display (caller 10))\n(display (helper 3))\n')
    (DIRECTORY / "compile.ss").write_text('(compile-file "uses.ss")\n')
    for command, expected in ((["scheme"], {"(top level)": 1, "<spontaneous>": 11}),
                              ([ASCRIBE, "scheme", "--compile"], {"(top level)": 1, "caller": 10})):
        must([*command, "--script", "compile.ss"], directory=DIRECTORY)
        must([*record, "scheme", "--script", "loads.ss"], directory=DIRECTORY)
        most = dict(Profile(DIRECTORY / "ahead.ascribe").rows(
            "select caller_name, most_calls from call_sites where callee_name = 'helper'"))
        check(most == expected, f"loaded: {most}")


if not version().startswith(("9.5", "10.")):
    print("Chez Scheme 9.5 or 10 is not installed")
    sys.exit(harness.SKIP_STATUS)
harness.main(queens, cache_of_ones_own, control, flow, counted, dial, failures, killed, unknown_expander, crowded,
             forked, ahead)
