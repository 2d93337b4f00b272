#!/usr/bin/env python3
"""ascribe merge: counts and times of several runs add up, each run's totals stay, differences are
shown; what does not add up is refused."""

import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, PROGRAMS, Profile, check, must, run

DIRECTORY = harness.scratch("merges")
CORPUS = harness.SOURCE / "tests" / "fuzz" / "corpus"
SOURCE = DIRECTORY / "varies.c"
VARIES = """
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) void work(void) { for (int i = 0; i < 5000000; i++) sink += i; }
__attribute__((noinline)) void steady(void) { for (int i = 0; i < 20; i++) work(); }
int main(int count, char **arguments) {
  steady();
  for (int i = atoi(arguments[1]); i > 0; i--) work();
  return sink == 7;
}
"""
RUNS = [10, 30, 50]


def path(name):
    return DIRECTORY / f"{name}.ascribe"


def merged(name, *profiles, options=()):
    must([ASCRIBE, "merge", "-q", *options, "-o", path(name), *profiles], directory=DIRECTORY)
    return Profile(path(name))


def refused(*profiles, part, status=1):
    path("refused").unlink(missing_ok=True)
    result = run([ASCRIBE, "merge", "-o", path("refused"), *profiles], DIRECTORY)
    check(result.status == status, f"{result.ending}: {result.errors}")
    check(part in result.errors, f"no {part!r} in {result.errors!r}")
    check(not path("refused").exists(), "a profile was saved")


def imported(name, file, *options):
    must([ASCRIBE, "import", "-q", "-o", path(name), *options, CORPUS / file])
    return path(name)


def record_runs():
    SOURCE.write_text(VARIES)
    program = harness.compile_program(SOURCE, DIRECTORY / "varies", ["-O1"])
    for number, extra in enumerate(RUNS):
        result = harness.record(program, DIRECTORY, ["-q"], [str(extra)], output=path(f"run{number}"))
        check(result.status == 0, result.errors)
    return [path(f"run{number}") for number in range(len(RUNS))]


def counts_and_times_add_up():
    profiles = record_runs()
    total = merged("all", *profiles)
    singles = [Profile(file) for file in profiles]
    check(total.calls("work") == sum(RUNS) + 20 * len(RUNS), f"{total.calls('work')} calls")
    check(total.arc("steady", "work") == 20 * len(RUNS), "calls of an arc")
    for query in ("select sum(ticks) from runs", "select sum(user_ns) from runs",
                  "select sum(user_ns) from processes", "select sum(self_ticks) from functions",
                  "select sum(self_ticks) from contexts", "select sum(self_ticks) from lines"):
        check(total.value(query) == sum(single.value(query) for single in singles), query)
    # Where the kernel was met is chance.
    own = "select count(*) from contexts where function_name not like '%(%)'"
    check(total.value(own) == max(single.value(own) for single in singles),
          "contexts with one history are not one")
    check(total.rows("select id, command from runs order by id")
          == [(i + 1, f"{DIRECTORY / 'varies'} {extra}") for i, extra in enumerate(RUNS)],
          str(total.rows("select id, command from runs")))
    check(total.rows("select run, calls from run_functions where function_name = 'work'"
                     " order by run") == [(i + 1, 20 + extra) for i, extra in enumerate(RUNS)],
          "calls of each run")
    both = merged("both", path("all"), path("run0"))
    check(both.value("select count(*) from runs") == 4, "runs of merged profiles stay runs")


def repeated_runs():
    """record --repeat: as many runs, whose sum is the profile; the first status that is not 0 stays."""
    result = run([ASCRIBE, "record", "--repeat", "3", "-o", path("repeated"), "--", DIRECTORY / "varies", "2"], DIRECTORY)
    check(result.status == 0 and "3 runs: " in result.errors, result.errors)
    total = Profile(path("repeated"))
    check(total.calls("work") == 3 * 22 and total.value("select count(*) from runs") == 3, "three runs")
    check(total.rows("select run, calls from run_functions where function_name = 'work' order by run")
          == [(1, 22), (2, 22), (3, 22)], "each run's calls")
    script = DIRECTORY / "fails.sh"
    script.write_text(f"#!/bin/sh\n{DIRECTORY}/varies 1\nexit 3\n")
    script.chmod(0o755)
    result = run([ASCRIBE, "record", "--repeat", "2", "-q", "-o", path("fails"), script], DIRECTORY)
    check(result.status == 3 and Profile(path("fails")).value("select count(*) from runs") == 2, result.ending)
    result = run([ASCRIBE, "record", "--repeat", "2", "--pid", "1"], DIRECTORY)
    check(result.status == 125 and "--pid" in result.errors, result.errors)


def the_report_shows_runs():
    report = must([ASCRIBE, "report", "--runs", path("all")]).output
    check("3, from 20" in report and "How functions vary over 3 runs" in report, report)
    line = [line for line in report.splitlines() if " steady [" in line][0].split()
    check(line[-3] == "1", f"one call a run: {line}")
    work = [line for line in report.splitlines() if " work [" in line][0]
    check("50*" in work and work.count("*") >= 2, f"different runs are not marked: {work}")
    one = must([ASCRIBE, "report", "--runs", path("run0")]).output
    check("Runs: one" in one, one)
    data = json.loads(must([ASCRIBE, "report", "--runs", "--json", path("all")]).output)
    spread = {entry["name"]: entry for entry in data["run_functions"]}
    check(len(data["runs"]) == 3 and spread["work"]["calls"] == {
        "mean": 50, "least": 30, "most": 70, "most_run": 3, "imbalance": 1.4}, str(spread["work"]))
    check(spread["work"]["self"]["beyond_sampling"], "a difference of 1 to 2 is real")


def itself_doubles():
    once, twice = Profile(path("run1")), merged("twice", path("run1"), path("run1"))
    query = ("select name, {0} * calls, {0} * self_ticks, {0} * total_ticks from functions"
             " order by name")
    check(once.rows(query.format(2)) == twice.rows(query.format(1)), "not everything is doubled")
    uncertainty = "select total_uncertainty_ns from functions where name = 'steady'"
    growth = twice.value(uncertainty) / once.value(uncertainty)
    check(1.3 < growth < 1.5, f"uncertainty grows by {growth}, not by the root of two")


def source_text_stays():
    SOURCE.rename(SOURCE.with_suffix(".moved"))
    kept = merged("kept", path("run0"), path("run1"))
    check(kept.value("select count(*) from sources where path like '%varies.c'") == 1,
          "the text that the profiles keep is lost")
    check("sink += i" in must([ASCRIBE, "report", "--source", "work", path("kept")]).output,
          "it is not shown")


def imports_merge():
    callgrind = imported("callgrind", "import_callgrind/plain")
    double = merged("callgrinds", callgrind, callgrind)
    check(double.rows("select name, self_ns, total_ns from functions order by name")
          == [("f", 200, 400), ("g", 200, None), ("main", 800, 1200)], "given figures")
    check(double.value("select sum(calls) from call_sites") == 18, "given call sites")
    stacks = imported("stacks", "import_collapsed/stacks")
    check(merged("stacks2", stacks, stacks).value(
        "select total_ns from functions where name = 'main'") == 40, "stacks")


def what_does_not_add_up():
    other = harness.compile_program(PROGRAMS / "nested.c", DIRECTORY / "nested")
    harness.record(other, DIRECTORY, ["-q"], output=path("nested"))
    refused(path("run0"), path("nested"), part="--force merges them")
    forced = merged("forced", path("run0"), path("nested"), options=["--force"])
    check(forced.value("select count(*) from functions where name = 'main'") == 2,
          "two programs have one main")
    stacks, pprof = path("stacks"), imported("pprof", "import_pprof/two_types")
    refused(path("run0"), stacks, part="samples, but")
    refused(path("run0"), pprof, part="is from pprof, but")
    refused(stacks, imported("widgets", "import_collapsed/stacks", "--unit", "widgets"),
            part="counts widgets, but")
    refused(path("run0"), DIRECTORY / "missing", part="cannot be read")
    refused(path("run0"), SOURCE.with_suffix(".moved"), part="is not an Ascribe profile")
    refused(path("run0"), part="two profiles are needed", status=2)


def fifty_runs():
    many = merged("many", *[path(f"run{i % 3}") for i in range(50)])
    check(many.value("select count(*) from runs") == 50, "50 runs")
    check(many.value("select count(*) from contexts")
          <= Profile(path("all")).value("select count(*) from contexts"), "contexts pile up")
    check(path("many").stat().st_size < 5 * path("all").stat().st_size, "the file is large")


if __name__ == "__main__":
    os.chdir(DIRECTORY)
    harness.main(counts_and_times_add_up, repeated_runs, the_report_shows_runs, itself_doubles, source_text_stays,
                 imports_merge, what_does_not_add_up, fifty_runs)
