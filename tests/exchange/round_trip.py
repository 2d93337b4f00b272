#!/usr/bin/env python3
"""What is exported and imported again says the same: times, totals under recursion, calls."""

import exchange
import harness
from exchange import Report
from harness import ASCRIBE, check, must

DIRECTORY = harness.scratch("exchange-round-trip")


def back(path, form, *options):
    """The report of a profile that was a file of another format in between."""
    file = path.with_suffix(f".{form}")
    again = path.with_suffix(f".{form}.ascribe")
    must([ASCRIBE, "export", path, "--to", form, "-o", file])
    must([ASCRIBE, "import", "--from", form, "-o", again, *options, file])
    return again, Report(again)


def counts(report):
    return {name: calls for name, calls in report.calls.items()
            if calls and name != "<spontaneous>"}


def pprof():
    for kind in ("plain", "recursion", "no_lines"):
        path = harness.made(kind, DIRECTORY)
        again, report = back(path, "pprof")
        exchange.equal(f"{kind}, self", report.self_ns, Report(path).self_ns)
        exchange.equal(f"{kind}, total", report.total_ns, Report(path).total_ns)
        _, twice = back(again, "pprof")
        exchange.equal(f"{kind}, twice", twice.total_ns, report.total_ns)


def collapsed():
    for kind in ("plain", "recursion"):
        path = harness.made(kind, DIRECTORY)
        _, report = back(path, "collapsed", "--unit", "ns")
        exchange.equal(f"{kind}, self", report.self_ns, Report(path).self_ns)
        exchange.equal(f"{kind}, total", report.total_ns, Report(path).total_ns)


def whole_stacks():
    """Recursion stands as it was: of cycles that repeat more than twice, two are left."""
    text = {"main;a;b;a;c": 3, "main;a;b;a;c;b": 4, "main;f;f;g": 5, "main;a;c;a;c;a;c;a;c;d": 6}
    left = {"main;f;f;g": "main;f;g", "main;a;c;a;c;a;c;a;c;d": "main;a;c;a;c;d"}
    file, path, again = (DIRECTORY / name for name in ("whole.txt", "whole.ascribe", "again.txt"))
    file.write_text("".join(f"{names} {ns}\n" for names, ns in text.items()))
    must([ASCRIBE, "import", "--from", "collapsed", "--unit", "ns", "-o", path, file])
    must([ASCRIBE, "export", path, "--to", "collapsed", "-o", again])
    found = {names: int(ns) for names, ns in (line.rsplit(" ", 1) for line in again.read_text().splitlines())}
    check(found == {left.get(names, names): ns for names, ns in text.items()}, f"{found}")


def callgrind():
    for kind in ("plain", "recursion"):
        path = harness.made(kind, DIRECTORY)
        again, report = back(path, "callgrind")
        original = Report(path)
        exchange.equal(f"{kind}, self", report.self_ns, original.self_ns)
        check(counts(report) == counts(original), f"{kind}: {counts(report)} calls")
        # Without contexts, to callgrind again: the same figures.
        _, twice = back(again, "callgrind")
        exchange.equal(f"{kind}, self, twice", twice.self_ns, original.self_ns)
        check(counts(twice) == counts(original), f"{kind}, twice: {counts(twice)} calls")


def another_unit_than_time():
    path = harness.made("faults", DIRECTORY)
    for form in ("pprof", "callgrind"):
        _, report = back(path, form)
        exchange.equal(form, report.self_ns, Report(path).self_ns)


if __name__ == "__main__":
    harness.main(pprof, collapsed, whole_stacks, callgrind, another_unit_than_time)
