#!/usr/bin/env python3
"""Call sites have the time of what they called: by the line, of programs with counters and without."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("calls_in_lines")
SOURCE = harness.SOURCE / "tests/scenarios/calls_in_lines.c"
LINES = {found[1]: number for number, text in enumerate(SOURCE.read_text().splitlines(), 1)
         if (found := re.search(r"/\* ([A-Z]+) \*/", text))}


def recorded(name, *command):
    program = DIRECTORY / name
    must([*command, "-O2", "-I", harness.PROGRAMS, SOURCE, "-o", program])
    path = DIRECTORY / f"{name}.ascribe"
    truth = json.loads(must([ASCRIBE, "record", "-q", "-o", path, "--", program]).output)
    return Profile(path), truth


def time_of(profile, place, callee):
    return profile.rows("select total_ns, total_uncertainty_ns from call_lines where line = ?"
                        " and callee_name = ? and file like '%calls_in_lines.c'", LINES[place],
                        callee)


def about(profile, rows, truth, told):
    """Within three standard errors; the share is of what the program has measured."""
    check(len(rows) == 1, f"{told}: {rows}")
    found, uncertainty = rows[0]
    whole = profile.value("select sum(self_ns) from functions")
    check(abs(found - truth) <= 1.6 * uncertainty + 0.02 * whole,
          f"{told}: {found} +- {uncertainty} ns, not {truth}")


def times(profile, truth):
    for place, callee in (("SHORT", "work"), ("LONG", "work"), ("INLINED", "work"),
                          ("DOWN", "down"), ("DEEP", "work")):
        known = truth["DOWN" if place == "DEEP" else place]
        about(profile, time_of(profile, place, callee), known, f"{place} {callee}")
    whole = profile.value("select sampled_ns from runs")
    check(profile.value("select max(total_ns) from call_lines") <= whole + 1, "above the whole")


def listed(profile, *options):
    text = must([ASCRIBE, "report", "--calls", "work", *options, profile.path]).output
    rows = text.partition("called from")[2].partition("\ncalls\n")[0].splitlines()
    return [(int(found[1]), row) for row in rows
            if "inlined:" not in row and (found := re.search(r"calls_in_lines\.c:(\d+)", row))]


def without_counters():
    profile, truth = recorded("sampled", "gcc", "-g")
    times(profile, truth)
    rows = listed(profile)
    expected = sorted((place for place in ("SHORT", "LONG", "INLINED", "DEEP")),
                      key=lambda place: -truth["DOWN" if place == "DEEP" else place])
    check(rows[0][0] == LINES[expected[0]] and len(rows) == 4, f"{rows}")
    check(all(row.split()[0] == "-" for _, row in rows), "calls that nobody has counted")


def begins_with_main(profile):
    """What starts main is not in stacks: its total is not known, rather than none."""
    check(profile.value("select total_ns from functions where name = 'main'") > 0, "main")
    check(profile.rows("select total_ns, total_ticks from functions where name = '_start'")
          == [(None, None)], "_start")
    check(profile.rows("select distinct total_ns, total_ticks from lines"
                       " where function_name = '_start'") == [(None, None)], "line of _start")


def with_counters():
    profile, truth = recorded("counted", ASCRIBE, "cc", "-g")
    times(profile, truth)
    begins_with_main(profile)
    for place in ("SHORT", "LONG", "INLINED", "DEEP"):
        rows = profile.rows("select calls, total_ns from call_sites where line = ?"
                            " and callee_name = 'work'", LINES[place])
        check(len(rows) == 1 and rows[0][0] == 100, f"{place}: {rows}")
        check(rows[0][1] == time_of(profile, place, "work")[0][0], f"{place}: {rows}")
    by_time = listed(profile, "--sort", "total")
    check(by_time[0][0] == LINES["LONG"] and len(by_time) == 4, f"{by_time}")
    check({row.split()[0] for _, row in by_time} == {"100"}, f"{by_time}")
    told = json.loads(must([ASCRIBE, "report", "--json", "--graph", profile.path]).output)
    lines = {line["id"]: line for line in told["call_lines"]}
    site = next(site for site in told["call_sites"]
                if site["line"] == LINES["LONG"] and site["calls"] == 100)
    check(lines[site["call_line"]]["total_ns"] == time_of(profile, "LONG", "work")[0][0], str(site))


def without_debug_information():
    """Nothing is known by lines, and nothing is said."""
    profile, _ = recorded("bare", ASCRIBE, "cc", "-g0")
    check(profile.value("select count(*) from call_lines where file is not null"
                        " and caller_name = 'caller'") == 0, "lines without -g")
    text = must([ASCRIBE, "report", "--calls", "work", profile.path]).output
    check("line not known" in text, text)


def without_stacks():
    """Ticks of programs with hooks find no call sites: that is said in place of the times."""
    profile, _ = recorded("contexts", ASCRIBE, "cc", "--contexts", "-g")
    text = must([ASCRIBE, "report", "--calls", "work", profile.path]).output
    check("No times of call sites: the ticks sampled no stacks (record --stacks)" in text, text)


if __name__ == "__main__":
    harness.main(without_counters, with_counters, without_debug_information, without_stacks)
