#!/usr/bin/env python3
"""Profiles of CHICKEN Scheme's own profilers: what chicken-profile prints of a file is what the report of its import
says; exports are read by chicken-profile; the same programs, recorded, agree."""

import re

import exchange
import harness
from exchange import Report, export, judge
from harness import ASCRIBE, check, must, run

DIRECTORY = harness.scratch("exchange-chicken")
CORPUS = harness.SOURCE / "tests" / "fuzz" / "corpus" / "import_chicken"
OWN_TIMES = "(own times are not in the file)"
PROGRAM = """(define (light n) (if (= n 0) 0 (+ 1 (light (- n 1)))))
(define (heavy n) (if (= n 0) 0 (+ 1 (heavy (- n 1)))))
(define (|a\\|b c| n) (heavy n))
(define (go i)
  (if (> i 0)
      (begin (light 1000) (|a\\|b c| 3000) (go (- i 1)))))
(go 6000)
"""


def imported(file):
    output = DIRECTORY / f"{file.parent.name}.{file.name}.ascribe"
    must([ASCRIBE, "import", "-q", "-o", output, file])
    return output


def written(name, data):
    file = DIRECTORY / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return file


def in_table(file):
    """What chicken-profile prints: calls (null: none), seconds, percent by procedure. It cuts digits off."""
    text = must(["chicken-profile", "-decimals", "666", file.name], directory=file.parent).output
    rows = {}
    for name, calls, seconds, percent in re.findall(r"^(\S.*?) +(\d+|overflow) +([\d.]+) +[\d.]+ +([\d.]+)$", text, re.M):
        rows[name] = (None if calls in ("overflow", "0") and float(seconds) else int(calls), float(seconds), float(percent))
    check(rows, text)
    return rows


def in_report(path, *options):
    """The same of report --table."""
    text = must([ASCRIBE, "report", "--table", "--limit", "all", *options, path]).output.split("\nFunctions")[1]
    head, *lines = text.split("\n", 3)[1:]
    ms = {"s": 1, "ms": 1e-3, "us": 1e-6}[lines[0].split()[0]]
    uncertain, average = "+-" in head, "average" in head
    rows = {}
    for line in lines[1].splitlines():
        pattern = r" *(\S+) +([\d.]+)" + (r" +(\S+)" if uncertain else "()") + (
            r" +(-|\S+ [num]?s|\S+)" * (1 + uncertain) if average else "") + r" +([\d.]+)  (.*)"
        match = re.fullmatch(pattern, line)
        check(match, f"no entry: {line}")
        calls, seconds, *_, percent, name = match.groups()
        rows[name] = (None if calls == "-" else int(calls), float(seconds) * ms, float(percent))
    return rows


def same(found, expected, what, calls=True, seconds=0.0006, percent=0.06):
    check(found.keys() == expected.keys(), f"{what}: {sorted(found)}, not {sorted(expected)}")
    for name, (count, time, share) in expected.items():
        check((not calls or found[name][0] == count) and abs(found[name][1] - time) <= seconds
              and abs(found[name][2] - share) <= percent, f"{what}: {name}: {found[name]}, not {expected[name]}")


def without_own(rows):
    return {name: row for name, row in rows.items() if not name.startswith(OWN_TIMES)}


def figures_of_files():
    """By hand, also where CHICKEN is not installed."""
    statistical = in_report(imported(CORPUS / "statistical"))
    check(statistical["nfa.scm:8: state1"][0] is None, f"{statistical}")
    check(sum(row[2] for row in statistical.values()) > 99.7, f"{statistical}")
    ticks = harness.Profile(imported(CORPUS / "statistical")).value(
        "select self_ticks from functions where name = 'nfa.scm:8: state1'")
    check(ticks == round(statistical["nfa.scm:8: state1"][1] * 100), f"{ticks} samples")
    old = in_report(imported(CORPUS / "old"))
    check(old == {"b": (None, 0.02, 100.0), "a": (7, 0.011, 55.0), "c": (2, 0.005, 25.0),
                  f"{OWN_TIMES} (self)": (None, 0.02, 100.0)}, f"{old}")
    profile = harness.Profile(imported(CORPUS / "names"))
    names = dict(profile.rows("select name, file || ':' || line from functions"))
    check(names == {"a|b\\cλλA\n:3: z": "a|b\\cλλA\n:3", "λ": None, "a b": None, "(no name)": None,
                    "b.scm:12:f": "b.scm:12"}, f"{names}")


def periods():
    """Samples are known where all times are multiples of a period that a timer may have."""
    for rows, samples in (("(a 3 30) (b 1 10)", 4), ("(a 3 7.000000) (b 1 2.000000)", 9), ("(a 2 10.5) (b 1 1e1)", 41),
                          ("(a 3 7.000001) (b 1 2)", 0), ("(a 50 30) (b 1 10)", 0)):
        profile = harness.Profile(imported(written("period", f"statistical\n{rows}")))
        found = profile.value("select sum(self_ticks) from functions") or 0
        check(found == samples, f"{rows}: {found} samples")


def refused_files():
    for text, part in (("statistical\n", "no procedures in it"), ("statistical\n(a 1", "expected milliseconds"),
                       ("instrumented\n\n(a b 2)", ":3: expected a count"), ("statistical (a 1 2) b", "expected (NAME"),
                       ("instrumented (a 1 2 3)", "expected )"), ("instrumented (a -1 2)", "expected a count"),
                       ("instrumented (a 1 nan)", "expected milliseconds"), ("instrumented (a 1 1e99)", "expected milli"),
                       ("statistical (a 1 500000000000)(a 1 500000000000)", "too large"),
                       ("instrumented (a 99999999999999999999 2)", "expected a count"),
                       ("instrumented ((a) 1 2)", "expected the name"), ("statistical (|a\0| 1 2)", "expected the name"),
                       ("statistical (|a\\x0;| 1 2)", "expected the name"), ("(" * 100000, "expected the name")):
        result = run([ASCRIBE, "import", "--from", "chicken", written("refused", text)], DIRECTORY)
        check(result.status == 1 and part in result.errors, f"{text[:60]!r}: {result.errors}")


def comes_back():
    """An import is exported as it was; chicken-profile's readers of bars and escapes agree."""
    for name in ("statistical", "instrumented", "old", "names"):
        path = imported(CORPUS / name)
        file = written(f"{name}.PROFILE", export(path, "chicken"))
        kind = file.read_text().split("\n")[0]
        check(kind == ("statistical" if name in ("statistical", "names") else "instrumented"), f"{name}: {kind}")
        again = imported(file)
        clean = lambda rows: {key.replace("\n", "?"): row for key, row in rows.items()}
        same(in_report(again), clean(in_report(path)), name)
        if judge("chicken-profile"):
            same(in_table(file), clean(without_own(in_report(path))), f"{name} in chicken-profile")
            if name in ("statistical", "instrumented"):
                same(without_own(in_report(path)), in_table(CORPUS / name), f"{name}, as CHICKEN has it",
                     calls=name == "instrumented")


def self_times(rows, report, what):
    exchange.equal(what, {name: row[1] * 1e9 for name, row in rows.items()}, report.self_ns, 2000)
    check(abs(sum(row[2] for row in rows.values()) - 100) < 0.01, f"{what}: {rows}")


def names():
    """Blanks, bars, backslashes and letters beyond ASCII, as CHICKEN reads them."""
    path = harness.made("names", DIRECTORY)
    file = written("clean.PROFILE", export(path, "chicken"))
    again = harness.Profile(imported(file))
    found = {name for (name,) in again.rows("select name from functions")}
    check(found >= set(exchange.CLEAN_NAMES), file.read_text())
    if judge("chicken-profile"):
        rows = in_table(file)
        check(all(abs(rows[name][1] * 1e9 - exchange.NAMES_NS[name]) < 2000 for name in exchange.CLEAN_NAMES), f"{rows}")


def other_metrics():
    """Times only: bytes are no milliseconds."""
    result = run([ASCRIBE, "export", "--to", "chicken", "--metric", "allocated", "-o", "-",
                  exchange.measured(DIRECTORY)], DIRECTORY)
    check(result.status == 1 and "--to chicken has times only" in result.errors, result.errors)


def of_recordings():
    """Calls, times and shares of a recorded program: main's total is the whole, or times are self times."""
    for path in exchange.runs(DIRECTORY):
        file = written(f"{path.stem}.PROFILE", export(path, "chicken"))
        if not judge("chicken-profile"):
            return
        rows, report = in_table(file), in_report(path)
        whole = file.read_text().startswith("instrumented")
        if whole:
            expected = {name: row for name, row in report.items() if not name.endswith(" (self)")}
            same(rows, expected, path.name)
        else:
            self_times(rows, Report(path), path.name)


def made_by(options, *arguments):
    """The file that a program compiled with these options writes, and the program."""
    name = "go" + "".join(options).replace("-", "")
    (DIRECTORY / f"{name}.scm").write_text(PROGRAM, encoding="utf-8")
    must(["csc", "-O1", *options, f"{name}.scm", "-o", name], directory=DIRECTORY)
    before = set(DIRECTORY.glob("PROFILE.*"))
    must([f"./{name}", *arguments], directory=DIRECTORY)
    (file,) = set(DIRECTORY.glob("PROFILE.*")) - before
    return file, DIRECTORY / name


def recorded(program):
    path = program.with_suffix(".ascribe")
    must([ASCRIBE, "record", "-q", "-o", path, "--", program], directory=DIRECTORY)
    return path


def by_instrumenting():
    """csc -profile."""
    file, program = made_by(["-profile"])
    theirs, ours = in_table(file), in_report(imported(file))
    same(without_own(ours), theirs, "csc -profile")
    check(ours["go"][0] == 6001 and ours["light"][0] == 6000 * 1001 and ours["a|b c"][0] == 6000, f"{ours}")
    file.unlink()


def by_sampling():
    """-:p, and the same program recorded: shares agree as well as both can, and calls are exact only in ours."""
    file, program = made_by([], "-:p")
    theirs, ours = in_table(file), in_report(imported(file))
    same(ours, theirs, "-:p", calls=False)
    table = in_report(recorded(program))
    points = {name: row for name, row in table.items() if re.match(r"go\.scm:\d+: ", name)}
    samples = sum(row[1] for row in theirs.values()) * 100
    for name, (_, _, share) in theirs.items():
        if share < 10:
            continue
        found = points[name][2] / sum(row[2] for row in points.values()) * 100
        slack = 4 * 100 * (share / 100 * (1 - share / 100) / samples) ** 0.5 + 4
        check(abs(found - share) <= slack, f"{name}: {share} % in {samples} samples of CHICKEN's, {found} % in ours")
    calls = {re.sub(r".*: ", "", name) + name.split(":")[1]: row[0] for name, row in points.items()}
    check(calls["heavy2"] == 6000 * 3000 and calls["light1"] == 6000 * 1000, f"{calls}")
    file.unlink()


def with_chicken():
    if not judge("csc") or "CHICKEN" not in run(["csc", "-version"]).output:
        harness.skip("CHICKEN's csc is not installed")
    by_instrumenting()
    by_sampling()


if __name__ == "__main__":
    harness.main(figures_of_files, periods, refused_files, comes_back, names, other_metrics, of_recordings, with_chicken)
