#!/usr/bin/env python3
"""Exports to folded stacks, read as flamegraph.pl reads them, say what the report says."""

import re

import exchange
import harness
from exchange import Report, Stacks, export, same_as_report
from harness import ASCRIBE, check, run

DIRECTORY = harness.scratch("exchange-collapsed")


def read(data, threads=False):
    """Source: flamegraph.pl takes what stands before the last blank for the stack."""
    stacks, seen = Stacks(), set()
    text = data.decode()
    check(not text or text.endswith("\n"), "the last line has no end")
    for line in text.split("\n")[:-1]:
        match = re.match(r"(.*) (\d+)$", line)
        check(match and not re.search(r"[\x00-\x1f\x7f-\x9f]", line), f"no stack: {line!r}")
        names = match[1].split(";")
        check(match[1] not in seen, f"twice: {match[1]}")
        seen.add(match[1])
        if threads:
            check(names[0].startswith("thread "), f"no thread: {line}")
            stacks.add(names[:1], int(match[2]))
        else:
            stacks.add(names, int(match[2]))
    return stacks


def equals_the_report():
    for kind in exchange.COMPARED:
        path = harness.made(kind, DIRECTORY)
        same_as_report(read(export(path, "collapsed")), Report(path), kind)


def equals_the_report_of_a_run():
    for path in exchange.runs(DIRECTORY):
        same_as_report(read(export(path, "collapsed")), Report(path), path.name)


def threads():
    path = harness.made("recursion", DIRECTORY)
    found = read(export(path, "collapsed", "--threads"), threads=True).self
    expected = {f"thread {t['name']} ({t['tid']})": t["self_ns"] for t in Report(path).threads}
    exchange.equal("threads", found, expected)


def selections():
    path = harness.made("recursion", DIRECTORY)
    for options in (["--focus", "parse"], ["--thread", "2"], ["-t", "second", "-f", "odd"]):
        same_as_report(read(export(path, "collapsed", *options)), Report(path, *options),
                       f"{options}")


def names():
    found = read(export(harness.made("names", DIRECTORY), "collapsed")).self
    expected = {name.replace(";", ":"): ns for name, ns in exchange.NAMES_NS.items()}
    exchange.equal("names", found, expected, 0)


def metrics():
    """Each metric, by function and by cost centre."""
    path = exchange.measured(DIRECTORY)
    exchange.same_in_all_metrics(path, "collapsed", read)
    threads = read(export(path, "collapsed", "--metric", "live", "--centres", "--threads"), threads=True)
    check(sorted(threads.self.values()) == [40007, 100000], f"{threads.self}")
    rule = read(export(path, "collapsed", "--metric", "allocated", "--centres=all=[fp]*"))
    check(rule.self == {"all": 60000, "(in no cost centre)": 100007}, f"{rule.self}")
    for options, part in ((["--to", "pprof", "--centres"], "--to pprof has no cost centres"),
                          (["--to", "collapsed", "--centres=f=nothing"], "no function is in any"),
                          (["--to", "collapsed", "--centres=words"], "expected functions, exported")):
        result = run([ASCRIBE, "export", *options, path], DIRECTORY)
        check(result.status in (1, 2) and part in result.errors, result.errors)
    none = run([ASCRIBE, "export", "--to", "collapsed", "--centres", harness.made("plain", DIRECTORY)], DIRECTORY)
    check(none.status == 1 and "the program entered none" in none.errors, none.errors)


if __name__ == "__main__":
    harness.main(equals_the_report, equals_the_report_of_a_run, threads, selections, names, metrics)
