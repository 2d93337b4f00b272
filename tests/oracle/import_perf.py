#!/usr/bin/env python3
"""Imported recordings of perf give the shares that perf reports; where functions recurse, none is
above the whole; every variant of `perf script` gives the same profile."""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("import-perf")
SHARES = re.compile(r"^\s*([\d.]+)%\s*,\s*([\d.]+)%\s*,\s*\[.\] (.*\S)\s*$")
ROUNDING = 0.006  # per cent; perf prints two digits


def record(program, name, *options):
    data = DIRECTORY / f"{name}.data"
    result = run(["perf", "record", "-q", "-o", data, "-e", "task-clock:u", *options, program],
                 DIRECTORY)
    if result.status != 0 or not data.exists():
        harness.skip("perf may not record here: " + (result.errors.splitlines() or [""])[0])
    return data


def imported(file, *options):
    output = pathlib.Path(f"{file}.ascribe")
    must([ASCRIBE, "import", "--quiet", *options, "-o", output, file])
    return Profile(output)


def build(source, name):
    return harness.compile_program(source, DIRECTORY / name, ["-O1", "-fno-omit-frame-pointer"],
                                   instrumented=False)


def perf_shares(data):
    """Name -> (total, self) in per cent; names without the suffixes of clones."""
    text = must(["perf", "report", "-i", data, "--children", "--stdio", "-g", "none", "--sort",
                 "sym", "-t", ","]).output
    shares = {}
    for line in text.splitlines():
        match = SHARES.match(line)
        if match and not match[3].startswith("0"):
            name = re.sub(r"(\.(constprop|part|isra)\.\d+|@@.*)$", "", match[3])
            shares[name] = (float(match[1]), float(match[2]))
    return shares


def our_shares(profile):
    return {name: (total, own) for name, total, own in profile.rows(
        "select name, 100.0 * total_ns / sampled_ns, 100.0 * self_ns / sampled_ns"
        " from functions, runs")}


def shares_are_those_of_perf():
    data = record(build(harness.PROGRAMS / "easy_hard.c", "easy_hard"), "easy_hard", "-g")
    theirs, ours = perf_shares(data), our_shares(imported(data))
    wrong = [f"{name}: {ours.get(name)}, perf has {theirs[name]}" for name in theirs
             if name not in ours or any(abs(a - b) > ROUNDING
                                        for a, b in zip(ours[name], theirs[name]))]
    check(len(theirs) > 4, "perf reports hardly anything")
    check(not wrong, "\n    ".join(wrong))


def recursion_stays_below_the_whole():
    for source in ("mutual_time.c", "recursion_kinds.c"):
        name = pathlib.Path(source).stem
        profile = imported(record(build(harness.PROGRAMS / source, name), name, "-F", "5000", "-g"))
        check(profile.value("select sum(self_ticks) from functions") > 100, f"{source}: hardly any samples")
        above = profile.rows("select name, total_ns from functions, runs"
                             " where total_ns > sampled_ns")
        check(not above, f"{source}: {above}")
        check(profile.value("select sum(self_ns) = sampled_ns from functions, runs"),
              "self times do not sum to the whole")


def text(data, *options):
    file = pathlib.Path(f"{data}{''.join(options)}.txt")
    with open(file, "wb") as out:
        subprocess.run(["perf", "script", "-i", data, *options], stdout=out, check=True,
                       stderr=subprocess.DEVNULL)
    return file


def functions(profile):
    return sorted(profile.rows("select name, self_ns, total_ns, self_ticks from functions"))


def variants_of_the_text():
    program = build(harness.PROGRAMS / "easy_hard.c", "variants")
    for name, options in (("pointers", ["-g"]), ("none", []),
                          ("dwarf", ["-F", "200", "--call-graph", "dwarf,8192"])):
        data = record(program, name, *options)
        known = functions(imported(data))
        for fields in ([], ["-F", "+pid"], ["-F", "+insn"], ["--header"], ["-F", "-time"],
                       ["-F", "comm,pid,tid,time,event,period,ip,sym,dso"],
                       ["--show-mmap-events", "--show-task-events"]):
            found = functions(imported(text(data, *fields), "--from", "perf-script"))
            check(found == known, f"{name}, perf script {' '.join(fields)}: {found}\n  not {known}")


def lines_where_perf_tells_them():
    data = record(build(harness.PROGRAMS / "easy_hard.c", "lines"), "lines", "-F", "200", "-g")
    profile = imported(text(data, "-F", "+srcline"))
    known = profile.rows("select distinct function_name from lines where line > 0"
                         " and (file like '%easy_hard.c' or file like '%program.h') and total_ns > 0")
    check({("burn",), ("hard",), ("main",)} <= set(known), f"lines of {known} only")


def main():
    if not shutil.which("perf"):
        harness.skip("perf is not installed")
    harness.main(shares_are_those_of_perf, recursion_stays_below_the_whole, variants_of_the_text,
                 lines_where_perf_tells_them)


if __name__ == "__main__":
    main()
