#!/usr/bin/env python3
"""Exports to callgrind: callgrind_annotate's self and inclusive figures are the report's, under
recursion too."""

import re

import exchange
import harness
from exchange import Report, export, judge
from harness import check, must, run

DIRECTORY = harness.scratch("exchange-callgrind")
ROW = re.compile(r"^ *([\d,]+) \( *[\d.]+%\) +(\S.*)$")


def annotated(path, data, *options, event="ns"):
    """(whole, {function: ns}) as callgrind_annotate prints them."""
    file = path.with_suffix(".callgrind")
    file.write_bytes(data)
    # From another directory: names of files in the current one are cut on one side only.
    result = run(["callgrind_annotate", "--threshold=100", "--auto=no", f"--show={event}", *options, file],
                 directory="/")
    check(result.status == 0 and not result.errors, f"{result.ending}: {result.errors}")
    whole, found, whole_functions, parts = None, {}, set(), {}
    for line in result.output.splitlines():
        row = ROW.match(line)
        if not row:
            continue
        ns = int(row[1].replace(",", ""))
        if row[2] == "PROGRAM TOTALS":
            whole = ns
        else:
            name = re.sub(r" \[[^]]*\]$", "", row[2])
            found[name] = found.get(name, 0) + ns
            if name == row[2]:
                parts[name] = ns
            else:
                whole_functions.add(name.partition(":")[2])
    # Code of another file, inlined, is listed apart, without an object, and is in the function's
    # inclusive cost already.
    if "--inclusive=yes" in options:
        for name, ns in parts.items():
            if name.partition(":")[2] in whole_functions:
                found[name] -= ns
    return whole, found


def without_file(found):
    """file:function -> function; what starts threads is no function of the report."""
    table = {}
    for name, ns in found.items():
        name = name.partition(":")[2]
        if name != "<spontaneous>":
            table[name] = table.get(name, 0) + ns
    return table


def compare(path, *options):
    report, data = Report(path, *options), export(path, "callgrind", *options)
    whole, own = annotated(path, data)
    check(abs((whole or 0) - report.whole_ns) <= 1000,
          f"{path.name}: {whole} ns in all, the report has {report.whole_ns}")
    exchange.equal(f"{path.name}, self", without_file(own), report.self_ns)
    _, inclusive = annotated(path, data, "--inclusive=yes")
    exchange.equal(f"{path.name}, inclusive", report.told(without_file(inclusive)), report.total_ns)
    check(all(ns <= (whole or 0) for ns in inclusive.values()), "above 100 %")
    return data.decode(), report


class File:
    """The calls in the file itself: {(caller, callee): count}, {(caller, callee, line): ns}."""

    def __init__(self, text):
        names, caller, callee, count = {}, None, None, None
        self.calls, self.cost = {}, {}
        for line in text.splitlines():
            function = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
            if function:
                check((function[3] is None) == (function[2] in names), f"compression: {line}")
                names.setdefault(function[2], function[3])
                if function[1] == "fn":
                    caller = names[function[2]]
                else:
                    callee = names[function[2]]
            elif line.startswith("calls="):
                count = int(line[6:].split()[0])
            elif count is not None:
                number, ns, _ = map(int, line.split())
                arc = caller, callee
                self.calls[arc] = self.calls.get(arc, 0) + count
                self.cost[arc + (number,)] = self.cost.get(arc + (number,), 0) + ns
                count = None


def equals_the_report():
    for kind in exchange.COMPARED:
        compare(harness.made(kind, DIRECTORY))


def equals_the_report_of_a_run():
    for path in exchange.runs(DIRECTORY):
        compare(path)


def counts_of_calls():
    text, report = compare(harness.made("recursion", DIRECTORY))
    found = {}
    for (_, callee), count in File(text).calls.items():
        found[callee] = found.get(callee, 0) + count
    expected = {name: calls for name, calls in report.calls.items() if calls}
    check(found == expected, f"{found}, the report has {expected}")


CALLED = re.compile(r"([\w<>]+) \(([\d,]+)x\)")


def listed_calls(path, data):
    """{(caller, callee): count} as callgrind_annotate lists them."""
    file = path.with_suffix(".callgrind")
    file.write_bytes(data)
    text = must(["callgrind_annotate", "--threshold=100", "--auto=no", "--tree=calling", file], directory="/").output
    found, caller = {}, None
    for line in text.splitlines():
        called = CALLED.search(line)
        if called:
            found[caller, called[1]] = found.get((caller, called[1]), 0) + int(called[2].replace(",", ""))
        elif "  *  " in line:
            caller = re.sub(r" \[[^]]*\]$", "", line).rpartition(":")[2]
    return found


def counts_of_counters():
    """Calls that were counted without their contexts, whether a tick met them or not."""
    for way in ([], ["--expressions"]):
        for rate in (0, 5000):
            path = exchange.counted_by_counters(DIRECTORY, *way, rate=rate)
            profile = harness.Profile(path)
            expected = {(caller, callee): calls for caller, callee, calls in profile.rows(
                "SELECT caller_name, callee_name, calls FROM arcs WHERE calls > 0")}
            expected |= {(name, name): calls for name, calls in profile.rows(
                "SELECT name, recursive_calls FROM functions WHERE recursive_calls > 0")}
            for arc, calls in {("main", "leaf"): 20000, ("leaf", "scaled"): 20050, ("main", "rare"): 3,
                               ("down", "down"): 50, ("even", "odd"): 51}.items():
                check(expected.get(arc) == calls, f"{way}: the profile has {expected.get(arc)} of {arc}")
            data = export(path, "callgrind")
            functions = {name for arc in expected for name in arc}
            # Of what was not counted, and of its calls of what was: 1, 0.
            counted = {callee for _, callee in expected}
            found = {arc: calls for arc, calls in File(data.decode()).calls.items() if arc[1] in counted and calls}
            check(found == expected, f"{way}, {rate}: {found}, the profile has {expected}")
            listed = {arc: calls for arc, calls in listed_calls(path, data).items()
                      if arc[1] in counted and arc[0] in functions and calls}
            check(listed == expected, f"{way}, {rate}: callgrind_annotate has {listed}, the profile {expected}")


def counts_of_a_focus_are_not_known():
    path = exchange.counted_by_counters(DIRECTORY, rate=5000)
    for options in (["--focus", "leaf"], ["--thread", "1"]):
        text = export(path, "callgrind", *options).decode()
        check("calls of a thread or below a focus are unknown" in text, text)
        # One for each line that has costs below it; page faults may come on several.
        told = {calls for (_, callee), calls in File(text).calls.items() if not callee.startswith("(")}
        check(told <= {1}, f"{File(text).calls}")


def lines():
    file = File(export(harness.made("plain", DIRECTORY), "callgrind").decode())
    check(file.cost["work", "burn", 35] == 1003000000, f"{file.cost}")
    check(file.cost["main", "hard", 15] == 909000000, f"{file.cost}")


def code_of_other_files():
    """callgrind_annotate shows it as a function of that file, as for callgrind's own output."""
    _, own = annotated(DIRECTORY / "inlined", export(harness.made("inlined", DIRECTORY),
                                                     "callgrind"))
    check(own["header.h:work"] == 7000000 and own["fixture.c:burn"] == 1003000000, f"{own}")
    text = export(harness.made("inlined", DIRECTORY), "callgrind").decode()
    number = re.search(r"cfn=\((\d+)\) work\n", text)[1]
    work = text.split(f"\nfn=({number})\n", 1)[1].split("\n\n")[0] + "\n"
    check(re.search(r"fi=\(\d+\)\n7 7000000 7\n", work), work)
    check("\n8 1003000000 1003" in work, work)
    main = text.split("\nfn=(1) main\n", 1)[1].split("\n\n")[0]
    check(re.search(r"\n7 3000000 3\nfe=\(1\)\n(.*\n)+15 909000000 909$", main), main)


def selections():
    path = harness.made("recursion", DIRECTORY)
    for options in (["--focus", "parse"], ["--thread", "2"], ["-t", "second", "-f", "odd"]):
        compare(path, *options)


def another_unit_than_time():
    path = harness.made("faults", DIRECTORY)
    _, own = annotated(path, export(path, "callgrind"), event="page_faults")
    check(without_file(own)["burn"] == 1003000000, f"{own}")


def costs_of_arcs_only():
    path = harness.made("arcs_only", DIRECTORY)
    data = export(path, "callgrind")
    whole, inclusive = annotated(path, data, "--inclusive=yes", event="Ir")
    check(whole == 1000 and without_file(inclusive) == {"main": 1000, "f": 700}, f"{inclusive}")
    check(File(data.decode()).calls["main", "f"] == 3, "calls")


def names():
    path = harness.made("names", DIRECTORY)
    data = export(path, "callgrind")
    _, own = annotated(path, data)
    exchange.equal("names", without_file(own), exchange.NAMES_NS, 0)
    check(set(exchange.CLEAN_NAMES) <= {callee for _, callee in File(data.decode()).calls}, "names")


def same_names_stay_apart():
    path = harness.made("same_names", DIRECTORY)
    _, own = annotated(path, export(path, "callgrind"))
    check(sorted(own.values())[-3:] == [20000000, 50000000, 80000000], f"{own}")


if __name__ == "__main__":
    if not judge("callgrind_annotate"):
        harness.skip("callgrind_annotate (package valgrind) is not installed")
    harness.main(equals_the_report, equals_the_report_of_a_run, counts_of_calls, counts_of_counters,
                 counts_of_a_focus_are_not_known, lines, code_of_other_files,
                 selections, another_unit_than_time,
                 costs_of_arcs_only, names, same_names_stay_apart)
