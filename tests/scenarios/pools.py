#!/usr/bin/env python3
"""Memory beside the heap: what pools give out, and what the program maps, is counted exactly and apart, by
stack and by time, whatever the program does with it."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, HEADERS, Profile, check, must, run

HERE = pathlib.Path(__file__).resolve().parent
DIRECTORY = harness.scratch("pools")
PROGRAM = DIRECTORY / "pools"
PAGE = 4096
FLAGS = ["-g", "-O1", "-w", "-pthread", "-I", HEADERS, HERE / "pools.c"]
POOLS = "select name, allocations, allocated_bytes, peak_bytes, live_blocks, live_bytes from heap_pools order by name"
MAPPED = "select name, mappings, mapped_bytes, live_mappings, live_bytes from mappings order by name"


def adds_up(profile):
    """Lines, contexts and slices of each metric have what the views have; the last moment is the end."""
    for view, live, peak in (("heap_pools", "pool-live", "pool-peak"), ("mappings", "mapped-live", "mapped-peak")):
        whole = profile.rows(f"select coalesce(sum(live_bytes), 0), coalesce(sum(peak_bytes), 0) from {view}")[0]
        for metric, expected in zip((live, peak), whole):
            for rows in ("metric_lines", "metric_contexts"):
                found = profile.value(f"select coalesce(sum(self), 0) from {rows} where metric = ?", metric)
                check(found == expected, f"{metric} in {rows}: {found}, not {expected}")
        last = profile.value("select coalesce(sum(self), 0) from (select self, max(slice) from series where metric = ?"
                             " group by place)", live)
        check(last == whole[0], f"{live} by time ends with {last}, not {whole[0]}")
        check(not profile.value("select count(*) from series where metric = ? and self < 0", live), f"{live} below 0")


def record(what, *options, program=PROGRAM, status=0, adds=True, dropped=0):
    path = DIRECTORY / f"{what}.ascribe"
    path.unlink(missing_ok=True)
    options = options or ("--heap",)
    result = run([ASCRIBE, "record", "-q", *options, "-o", path, "--", program, what], DIRECTORY)
    check(result.status == status, f"{what}: {result.ending}: {result.errors}")
    profile = Profile(path)
    if adds:
        adds_up(profile)
    expect(f"{what}: dropped", profile.value("select dropped + mappings_dropped from heap"), dropped)
    return profile, result.output


def expect(what, found, expected):
    check(found == expected, f"{what}: {found}\nnot {expected}")


def pools_are_apart():
    for options in ((), ("--heap=512k",)):
        profile, output = record("pools", *options)
        expect("output", output, "done\n")
        # The peak is that of all pools: after the first thousand of each.
        expect("pools", profile.rows(POOLS), [("arena", 1010, 3050, 3000, 10, 50), ("inner", 1, 8, 0, 1, 8),
                                              ("nodes", 1001, 40044, 40000, 400, 400 * 40 + 4)])
        expect("stacks", dict(profile.rows("select name, self from metric_functions where metric = 'pool-allocated'"
                                           " and self")), {"arena_take": 3050, "node_new": 40000, "pools": 52})
        expect("heap_kinds", profile.value("select count(*) from heap_kinds where basis not in"
                                           " ('named', 'type', 'unknown')"), 0)
        if not options:
            expect("heap", profile.value("select sum(allocations) from allocation_sites"
                                         " where function_name = 'node_new'"), 1000)
    report = must([ASCRIBE, "report", "--heap", profile.path]).output
    shown = json.loads(must([ASCRIBE, "report", "--json", "--heap", profile.path]).output)
    expect("JSON", [[row["name"] for row in shown[key]] for key in ("heap_pools", "mappings")],
           [["nodes", "arena", "inner"], []])
    check("Pools, which lie in other memory (counted)" in report and "  arena\n" in report, report)
    half = must([ASCRIBE, "report", "--metric", "pool-live", f"{profile.path}@0-0.03"]).output
    check("node_new" in half, half)


def empty_blocks_are_blocks():
    source = "#include <ascribe/ascribe.h>\nint main(void) { ascribe_pool_allocated(\"empty\", &main, 0); }\n"
    (DIRECTORY / "empty.c").write_text(source)
    must(["gcc", "-w", "-I", HEADERS, "empty.c", "-o", "empty"], directory=DIRECTORY)
    profile, _ = record("empty", program=DIRECTORY / "empty")
    expect("empty", profile.rows(POOLS), [("empty", 1, 0, 0, 1, 0)])
    report = must([ASCRIBE, "report", "--heap", profile.path]).output
    check("  empty\n" in report, report)


def threads_give_back_each_others():
    profile, _ = record("threads")
    name, count, given, peak, blocks, live = profile.rows(POOLS)[0]
    expect("shared", (name, count, given, blocks, live), ("shared", 160000, 2560000, 80000, 1280000))
    check(0 <= given - peak <= 9 * 65536, f"shared, at the peak: {peak} of {given}")  # what threads had under way
    expect("functions", profile.rows("select name, self from metric_functions where metric = 'pool-live' and self"),
           [("give_out", 1280000)])


def children_have_their_own():
    profile, _ = record("child")
    expect("nodes", profile.rows(POOLS)[0][:3] + profile.rows(POOLS)[0][4:], ("nodes", 3, 120, 2, 80))


def a_kill_loses_nothing():
    profile, _ = record("killed", status=-9)
    expect("arena", profile.rows(POOLS), [("arena", 5000, 35000, 35000, 5000, 35000)])
    expect("mappings", profile.rows(MAPPED), [("anonymous memory", 5000, 5000 * PAGE, 5000, 5000 * PAGE)])


def mappings_are_those_of_the_kernel():
    profile, output = record("random")
    count, mapped, live, most = (int(word) for word in output.split())
    found = profile.rows("select mappings, mapped_bytes, live_bytes, peak_bytes from mappings")
    expect("at random", found, [(count, mapped, live, most)])
    expect("heap", profile.rows("select mapped_bytes, mapped_peak_bytes from heap"), [(live, most)])
    profile, _ = record("others")
    expect("others", profile.rows(MAPPED), [("anonymous memory", 2, 4 * PAGE, 1, 3 * PAGE), ("brk", 1, 2 * PAGE, 1, PAGE),
                                            ("file", 1, 100, 1, 100), ("shared memory", 1, 2 * PAGE, 1, 2 * PAGE)])
    expect("stack of mremap", profile.rows("select name, self from metric_functions where metric = 'mapped-live'"
                                           " and name = 'grow'"), [("grow", 3 * PAGE)])
    profile, _ = record("libc")
    expect("libc itself", profile.rows(MAPPED), [])


def odd_uses_are_counted():
    profile, _ = record("edges", dropped=1)
    expect("edges", profile.rows(POOLS), [("edges", 300001, 2100009, 21, 1, 9)])
    expect("edges", profile.rows(MAPPED), [("anonymous memory", 1003, 1004 * PAGE, 502, 502 * PAGE)])
    profile, _ = record("emptied")
    expect("emptied by several", profile.rows("select name, allocations, allocated_bytes, live_blocks, live_bytes"
                                              " from heap_pools"), [("shared", 4000000, 64000000, 0, 0)])


def linked_programs_tell_the_same():
    for way in ([], ["-static"]):
        program = DIRECTORY / f"linked{len(way)}"
        must([ASCRIBE, "cc", "--heap", *way, *FLAGS, "-o", program])
        profile, output = record("random", program=program)
        count, mapped, live, most = (int(word) for word in output.split())
        expect(f"linked {way}", profile.rows("select mappings, mapped_bytes, live_bytes, peak_bytes from mappings"),
               [(count, mapped, live, most)])
        expect(f"linked {way}", record("pools", program=program)[0].rows(POOLS)[0],
               ("arena", 1010, 3050, 3000, 10, 50))


def nothing_is_recorded_otherwise():
    path = DIRECTORY / "bare.ascribe"
    must([ASCRIBE, "record", "-q", "-o", path, "--", PROGRAM, "pools"])
    expect("without --heap", Profile(path).rows("select name from metrics"), [("cpu",)])


if __name__ == "__main__":
    must(["gcc", *FLAGS, "-o", PROGRAM])
    harness.main(pools_are_apart, empty_blocks_are_blocks, threads_give_back_each_others, children_have_their_own,
                 a_kill_loses_nothing, mappings_are_those_of_the_kernel, odd_uses_are_counted, linked_programs_tell_the_same, nothing_is_recorded_otherwise)
