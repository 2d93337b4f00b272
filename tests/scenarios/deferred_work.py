#!/usr/bin/env python3
"""The examples of deferred work in docs/examples: each cost belongs to the centre in which the work was
made, whoever ran it, and entries are exact. Where GHC is installed with its profiling libraries, the lazy
stream is compared with the same program in Haskell."""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, HEADERS, Profile, check, must, run

DIRECTORY = harness.scratch("deferred_work")
EXAMPLES = harness.SOURCE / "docs" / "examples"
NEAR = 0.06  # of all time: a few hundred ticks, on a machine that may be busy


def recorded(source, *flags):
    program, profile = DIRECTORY / source.replace(".", "_"), DIRECTORY / f"{source}.ascribe"
    must(["g++" if source.endswith(".cc") else "gcc", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I", HEADERS,
          EXAMPLES / source, "-o", program, *flags])
    must([ASCRIBE, "record", "-q", "--rate", "4000", "-o", profile, "--", program])
    return Profile(profile)


def entries_of(profile):
    """Entries of each stack of centres, outermost first."""
    rows = {row[0]: row[1:] for row in profile.rows("select id, parent, centre_name, entries from centre_contexts")}
    found = {}
    for id, (_, _, entries) in rows.items():
        stack = []
        while id is not None:
            id, name, _ = rows[id]
            stack = [name, *stack] if name else stack
        if entries:
            found[tuple(stack)] = found.get(tuple(stack), 0) + entries
    return found


def shares_of(profile):
    whole = profile.value("select sum(self_ns) from functions")
    return {name: ns / whole for name, ns in profile.rows("select name, self_ns from cost_centres where self_ns")}


def near(what, found, expected):
    far = {name: (found.get(name, 0), expected.get(name, 0)) for name in {*found, *expected}
           if abs(found.get(name, 0) - expected.get(name, 0)) > NEAR}
    check(not far, f"{what}: (found, expected) {far}")


def holds(name, profile, entries, shares):
    check(entries_of(profile) == entries, f"{name}: {entries_of(profile)}")
    near(name, shares_of(profile), shares)


def thread_pool():
    profile = recorded("thread_pool.c", "-pthread")
    holds("thread_pool.c", profile, {("backup",): 1, ("upload",): 1, ("help",): 1, ("pool",): 2},
          {"backup": 2 / 3, "upload": 1 / 3})
    check(profile.value("select centre_name from centre_functions where function_name = 'compress'"
                        " order by self_ns desc") == "backup", "who made what a function did")
    for runner, made in {"run_jobs": {"backup": 250 / 600, "upload": 200 / 600}, "help_out": {"backup": 0.25}}.items():
        told = json.loads(must([ASCRIBE, "report", "--centres", "--json", "--focus", runner, profile.path]).output)
        whole = profile.value("select sum(self_ns) from functions")
        near(runner, {row["name"]: row["self_ns"] / whole for row in told["cost_centres"]}, made)
        crossed = profile.rows(
            "select made.centre_name, sum(self) from series s join centre_contexts made on made.id = s.centre_context"
            " join contexts c on c.id = s.context join functions ran"
            " on exists (select * from json_each(c.history) where abs(value) = ran.id) where ran.name = ? group by 1",
            runner)
        near(f"series of {runner}", {name: ns / whole for name, ns in crossed}, made)


def work_queue():
    holds("work_queue.cc", recorded("work_queue.cc"),
          {("request",): 200, ("request", "answer"): 200, ("clean up",): 100, ("loop",): 1},
          {"request": 0.4, "answer": 0.4, "clean up": 0.2})


def event_loop():
    if run(["gcc", "-E", "-x", "c", "-include", "uv.h", "/dev/null"]).status != 0:
        print("libuv is not installed: not asked")
        return
    holds("event_loop.c", recorded("event_loop.c", "-luv"),
          {("start",): 1, ("loop",): 1, ("loop", "timer"): 1, ("start", "answer"): 200, ("loop", "timer", "answer"): 100},
          {"start": 1 / 3, "timer": 1 / 6, "answer": 1 / 2})


LAZY_ENTRIES = {("builder",): 1, ("foo",): 101, ("foo", "bar"): 101, ("foo", "f"): 2000, ("spine",): 2,
                ("spine", "element"): 1000, ("spine", "element", "f"): 1000}
LAZY_SHARES = {"builder": 4 / 15, "bar": 2 / 15, "f": 6 / 15, "element": 3 / 15}


def said_by_ghc(file):
    """Entries of each stack of the program's own centres, and each centre's share of the ticks."""
    document = json.loads(file.read_text())
    labels = {c["id"]: c["label"] for c in document["cost_centres"] if not c["is_caf"] and c["module"] == "Main"}
    entries, ticks = {}, {}

    def walk(node, above):
        label = labels.get(node["id"])
        stack = (*above, label) if label else above
        if label and node["entries"]:
            entries[stack] = entries.get(stack, 0) + node["entries"]
        ticks[label] = ticks.get(label, 0) + node["ticks"]
        for child in node["children"]:
            walk(child, stack)
    walk(document["profile"], ())
    return entries, {label: count / sum(ticks.values()) for label, count in ticks.items()}


def lazy_stream():
    profile = recorded("lazy_stream.c")
    holds("lazy_stream.c", profile, LAZY_ENTRIES, LAZY_SHARES)
    if not shutil.which("ghc"):
        print("GHC is not installed: not asked")
        return
    program = DIRECTORY / "lazy"
    built = run(["ghc", "-v0", "-prof", "-fno-prof-auto", "-O1", "-rtsopts", "-outputdir", DIRECTORY,
                 EXAMPLES / "lazy_stream.hs", "-o", program])
    if built.status != 0:
        print(f"GHC cannot compile for profiling: not asked: {built.errors[:200]}")
        return
    output = must([program, "+RTS", "-pj", "-V0.001"], directory=DIRECTORY).output
    check(output.split() == must([DIRECTORY / "lazy_stream_c"]).output.split(), f"other values: {output}")
    entries, shares = said_by_ghc(DIRECTORY / "lazy.prof")
    check(entries == entries_of(profile), f"GHC: {entries}")
    near("GHC", shares_of(profile), shares)


if __name__ == "__main__":
    harness.main(thread_pool, work_queue, event_loop, lazy_stream)
