#!/usr/bin/env python3
"""FILE@FROM-TO is a profile of what was measured from one second of the run to another: parts that
follow each other add up, and the whole as an interval is the run.  report --series shows what was
when."""

import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("intervals")
CLOCK = """
#include <time.h>
static volatile unsigned long sum;
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}
"""
# It writes when each of its phases began, in seconds since it did.
PHASES = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void spin(double seconds) { for (double end = now() + seconds; now() < end;) sum++; }
__attribute__((noinline)) void early(void) { spin(0.6); sum++; }
__attribute__((noinline)) void late(void) { spin(0.6); sum++; }
__attribute__((noinline)) void of_child(void) { spin(0.4); sum++; }
int main(void) {
  double start = now();
  early();
  usleep(300000);
  printf("%.3f ", now() - start);
  late();
  printf("%.3f ", now() - start);
  fflush(stdout);
  if (fork() == 0) {
    of_child();
    _exit(0);
  }
  wait(NULL);
  printf("%.3f\\n", now() - start);
  return 0;
}
"""
MARGIN = 0.1  # seconds: the program begins after its process was started


def build(name, *flags):
    source = DIRECTORY / "phases.c"
    source.write_text(CLOCK + PHASES)
    compiler = [ASCRIBE, "cc", *flags] if flags else ["gcc"]
    must([*compiler, "-O1", "-g", "-w", source, "-o", name], directory=DIRECTORY)


def recorded(name):
    """When `late` began, when the child did, and the end."""
    result = harness.record(f"./{name}", DIRECTORY, output=f"{name}.ascribe")
    check(result.status == 0, result.errors)
    return [float(word) for word in result.output.split()]


def report(file, *options):
    return json.loads(must([ASCRIBE, "report", "--json", *options, file], directory=DIRECTORY).output)


def selves(file):
    return {function["name"]: (function["self_ns"], function["self_ticks"]) for function in report(file)["functions"]}


def totals(file):
    return {function["name"]: function["total_ns"] for function in report(file)["functions"]}


def phases_are_told_apart():
    build("sampled")
    late, child, end = recorded("sampled")
    whole = totals("sampled.ascribe")
    first = totals(f"sampled.ascribe@0-{late - MARGIN}")
    check(first["early"] > 0.95 * whole["early"] and not first.get("late") and not first.get("of_child"), first)
    second = totals(f"sampled.ascribe@{late - MARGIN}s-{1000 * (child - MARGIN):.0f}ms")
    check(second["late"] > 0.5 * whole["late"] and not second.get("early") and not second.get("of_child"), second)
    third = totals(f"sampled.ascribe@{child + MARGIN}-")
    check(third["of_child"] > 0.5 * whole["of_child"] and not third.get("early"), third)


def parts_add_up():
    whole, sums = selves("sampled.ascribe"), {}
    for part in "0-0.31", "310ms-1s", "1s-1.4s", "1.4-":
        for name, (ns, ticks) in selves(f"sampled.ascribe@{part}").items():
            before = sums.get(name, (0, 0))
            sums[name] = (before[0] + ns, before[1] + ticks)
    for name, (ns, ticks) in whole.items():
        found = sums.get(name, (0, 0))
        check(found[1] == ticks and abs(found[0] - ns) <= max(10, ns * 1e-6), f"{name}: {found}, of {ns, ticks}")


def the_whole_is_the_run():
    build("counted", "--contexts")
    recorded("counted")
    for profile in "sampled.ascribe", "counted.ascribe":
        for part in "@0-", "@-1000":
            one, other = (report(file) for file in (profile, profile + part))
            check(one == other, f"{profile}{part} is not {profile}")


def calls_are_not_known_by_time():
    part = report("counted.ascribe@0-0.5")
    called = [function for function in part["functions"] if function["calls"] is not None]
    check(not called, called)
    check(part["run"]["interval"] == {"from_ns": 0, "to_ns": 500000000}, part["run"])
    times = totals("counted.ascribe@0-0.5")
    check(times["early"] > 0.9 * times["main"] > 0, times)
    text = must([ASCRIBE, "report", "counted.ascribe@0-0.5"], directory=DIRECTORY).output
    check(re.search(r"^interval +0 s to 500 ms: ticks; calls are not known by time$", text, re.M), text)


def series_are_the_whole():
    profile = Profile(DIRECTORY / "sampled.ascribe")
    for metric, total, ticks in profile.rows("select metric, sum(self), sum(self_ticks) from series group by metric"):
        whole, all_ticks = profile.rows("select sum(self), sum(self_ticks) from metric_functions where metric = ?",
                                        metric)[0]
        check(ticks == all_ticks and abs(total - whole) < 1e-6 * whole, f"{metric}: {total, ticks}, {whole, all_ticks}")
    check(profile.value("select count(distinct process) from slices") == 2, "slices of two processes")
    check(not profile.rows("select * from slices a join slices b on b.id = a.id + 1 and b.process = a.process"
                           " where b.start_ns <> a.end_ns or a.end_ns < a.start_ns"), "slices follow each other")
    user, system = profile.rows("select sum(user_ns), sum(system_ns) from processes")[0]
    cpu = profile.value("select sum(cpu_ns) from slices")
    check(abs(cpu - user - system) < 0.05 * cpu, f"slices have {cpu} ns, processes {user + system}")
    check(profile.value("select max(resident_bytes) from slices") > 500000, "resident memory")


ENTRIES = """
#include <ascribe/ascribe.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void work(double seconds) { for (double end = now() + seconds; now() < end;) sum++; }
static void request(double seconds, int inner) {
  ASCRIBE_SCOPE("request");
  work(seconds);
  if (inner) {
    ASCRIBE_SCOPE("inner");
    request(seconds, inner - 1);
  }
}
/* Many places: the table that counts is replaced by larger ones. */
static void nested(int depth, int turn) {
  if (!depth) return;
  if (turn & 1) { ASCRIBE_SCOPE("odd"); nested(depth - 1, turn >> 1); }
  else { ASCRIBE_SCOPE("even"); nested(depth - 1, turn >> 1); }
}
static void *thread(void *unused) {
  for (int i = 0; i < 100; i++) request(1e-3, 1);
  return unused;
}
int main(int count, char **arguments) {
  pthread_t other;
  for (int i = 0; i < 300; i++) request(1e-3, 0);
  pthread_create(&other, NULL, thread, NULL);
  for (int i = 0; i < 1 << 14; i++) { nested(10, i); work(1e-5); }
  pthread_join(other, NULL);
  for (int i = 0; i < 30; i++) request(1e-4, 3);
  if (count > 1) abort();
  return 0;
}
"""


def entries_by_time():
    """Each in one slice: those of the first phase in its part of the run, and all of them in the parts."""
    source = DIRECTORY / "entries.c"
    source.write_text(CLOCK + ENTRIES)
    include = pathlib.Path(__file__).resolve().parents[2] / "include"
    must(["gcc", "-O1", "-g", "-w", "-pthread", f"-I{include}", source, "-o", "entries"], directory=DIRECTORY)
    for arguments in [], ["killed"]:
        harness.record("./entries", DIRECTORY, arguments=arguments, output="entries.ascribe")
        profile = Profile(DIRECTORY / "entries.ascribe")
        whole = dict(profile.rows("select name, entries from cost_centres"))
        check(whole == {"request": 300 + 200 + 120, "inner": 100 + 90, "odd": 5 << 14, "even": 5 << 14}, whole)
        by_time = dict(profile.rows("select centre_name, sum(entries) from slice_entries group by 1"))
        check(by_time == whole, f"{by_time} of {whole}")
        slices = profile.value("select count(distinct slice) from slice_entries where centre_name = 'request'")
        check(slices > 10, f"entered in {slices} slices")
        end = profile.value("select min(start_ns) from slices join slice_entries on id = slice"
                            " where centre_name <> 'request'") * 1e-9
        parts = [{row["name"]: row["entries"] for row in report(f"entries.ascribe{part}", "--centres")["cost_centres"]}
                 for part in (f"@0-{end:.9f}", f"@{end:.9f}-")]
        check(270 <= parts[0]["request"] <= 310 and not parts[0].get("odd"), parts)
        sums = {name: sum(part.get(name) or 0 for part in parts) for name in whole}
        check(sums == whole, f"{parts} of {whole}")
        profile.connection.close()


def processes_are_of_the_part():
    """What had not begun, or had ended, is in no list; others lived as long as the part, at most."""
    text = must([ASCRIBE, "report", "--processes", "--threads", "sampled.ascribe@0-0.3"], directory=DIRECTORY).output
    rows = re.findall(r"^ +\d+ +\d+ +([\d.]+) +([\d.]+) +([\d.]+)  \S", text[text.index("Processes"):text.index("Threads")], re.M)
    check(len(rows) == 1 and float(rows[0][2]) <= (301 if float(rows[0][2]) > 1 else 0.301), text)
    result = run([ASCRIBE, "report", "--metric", "waiting", "sampled.ascribe@0-0.3"], DIRECTORY)
    check("of a part of a run is known cpu" in result.errors, result.errors)


def shown_over_time():
    text = must([ASCRIBE, "report", "--series", "sampled.ascribe"], directory=DIRECTORY).output
    rows = re.findall(r"^ +(\d+\.\d{3}) +(\d+\.\d\d)(?:  (.*))?$", text[text.index("Over time"):], re.M)
    check(4 <= len(rows) <= 24, text)
    check(any(float(used) < 0.05 for _, used, _ in rows), f"no pause:\n{text}")
    part = must([ASCRIBE, "report", "--series", "sampled.ascribe@0.2-0.4"], directory=DIRECTORY).output
    starts = [float(start) for start, _, _ in re.findall(r"^ +(\d+\.\d{3}) +(\d+\.\d\d)(  .*)?$", part, re.M)]
    check(starts[0] == 0.2 and starts[-1] < 0.4, part)
    centres = must([ASCRIBE, "report", "--series", "--centres=functions", "sampled.ascribe"], directory=DIRECTORY).output
    check(re.search(r"^ +0\.\d{3} +\d\.\d\d  now \d+ %", centres[centres.index("Over time"):], re.M), centres)
    both = report("sampled.ascribe", "--series")
    check(sum(row["self_ticks"] for row in both["series"]) == sum(
        ticks for _, ticks in selves("sampled.ascribe").values()), "series in JSON")


def wherever_a_file_is_named():
    parts = ["sampled.ascribe@0-0.5", "sampled.ascribe@1-"]
    text = must([ASCRIBE, "diff", *parts], directory=DIRECTORY).output
    check("sampled.ascribe@0-0.5" in text and "spin" in text, text)
    must([ASCRIBE, "export", "--to", "collapsed", "-o", "stacks", parts[0]], directory=DIRECTORY)
    stacks = (DIRECTORY / "stacks").read_text()
    check("early" in stacks and "late" not in stacks, stacks)
    must([ASCRIBE, "html", "-o", "page.html", *parts], directory=DIRECTORY)
    growth = run([ASCRIBE, "growth", "n=1:" + parts[0], "n=2:" + parts[1], "n=3:sampled.ascribe"], DIRECTORY)
    check(growth.status == 0, growth.errors)


MEMORY = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void spin(double seconds) { for (double end = now() + seconds; now() < end;) sum++; }
static void *blocks[400];
__attribute__((noinline)) void grow(void) { for (int i = 0; i < 400; i++) { blocks[i] = malloc(1000); spin(0.001); } }
__attribute__((noinline)) void churn(void) { for (int i = 0; i < 400; i++) { void *volatile block = malloc(500); free(block); spin(0.001); } }
static void *shrink(void *unused) {
  for (int i = 0; i < 300; i++) { free(blocks[i]); spin(0.001); }
  return unused;
}
int main(void) {
  double start = now();
  pthread_t thread;
  grow();
  printf("%.3f ", now() - start);
  churn();
  printf("%.3f ", now() - start);
  pthread_create(&thread, NULL, shrink, NULL);
  pthread_join(thread, NULL);
  printf("%.3f\\n", now() - start);
  fflush(stdout);
  return 0;
}
"""


def sites(file):
    """Of the functions that allocate: allocations, bytes, temporary ones, live bytes, bytes at the peak."""
    return {row["function_name"]: (row["allocations"], row["allocated_bytes"], row["temporary"], row["live_bytes"],
                                   row["peak_bytes"])
            for row in report(file, "--heap")["allocation_sites"] if row["function_name"] in ("grow", "churn")}


def memory_is_known_by_time():
    """Another thread frees what the first allocated."""
    (DIRECTORY / "memory.c").write_text(CLOCK + MEMORY)
    must(["gcc", "-O1", "-g", "-pthread", "memory.c", "-o", "memory"], directory=DIRECTORY)
    result = harness.record("./memory", DIRECTORY, ["--heap"], output="memory.ascribe")
    check(result.status == 0, result.errors)
    grown, churned, end = [float(word) for word in result.output.split()]
    whole = sites("memory.ascribe")
    check(whole["grow"] == (400, 400000, 0, 100000, whole["grow"][4]) and whole["churn"][:4] == (400, 200000, 400, 0), whole)
    middle, late = f"{grown + MARGIN:.3f}", f"{churned - MARGIN:.3f}"
    parts = [sites(f"memory.ascribe@{part}") for part in (f"0-{middle}", f"{middle}-{late}", f"{late}-")]
    for function in "grow", "churn":
        sums = [sum(part[function][i] for part in parts if function in part) for i in range(3)]
        check(sums == list(whole[function][:3]), f"{function}: {sums} of {whole[function]}")
    check(parts[0]["grow"] == (400, 400000, 0, 400000, None), parts[0])
    check(parts[1]["grow"] == (0, 0, 0, 400000, None) and parts[1]["churn"][3] <= 500, parts[1])
    check(parts[2]["grow"][3] == 100000, parts[2])
    past = [sites(f"memory.ascribe@{late}-{to}") for to in (f"{end + 5:.3f}", "1000")]
    check(past == [parts[2]] * 2, f"past the end: {past}, not {parts[2]}")
    halfway = sites(f"memory.ascribe@0-{grown / 2:.3f}")["grow"]
    check(100000 < halfway[3] == halfway[1] < 300000, halfway)
    text = must([ASCRIBE, "report", "--series", "--metric", "live", "memory.ascribe"], directory=DIRECTORY).output
    check(re.search(r"^ +\d+\.\d{3} +40\d kB +grow \d+ %", text, re.M), text)
    peak = must([ASCRIBE, "report", "--peak", "memory.ascribe@0-1"], directory=DIRECTORY).output
    check("not known by time" in peak, peak)
    grew = must([ASCRIBE, "diff", "--metric", "live", f"memory.ascribe@0-{grown / 2:.3f}", f"memory.ascribe@0-{middle}"],
                directory=DIRECTORY).output
    check("grow" in grew, grew)


def live_by_slice(profile):
    """What rows of `series` leave live at the end of each slice; a tick is of one process."""
    level, found = {}, {}
    rows = {}
    for part, tick, size in profile.rows("select slice, tick, self_ns from raw_series where metric ="
                                         " (select id from metrics where name = 'live')"):
        rows.setdefault(part, []).append((tick, size))
    for part, process in profile.rows("select id, process from slices order by id"):
        level.setdefault(process, {}).update(rows.get(part, []))
        found[part] = sum(level[process].values())
    return found


def slices_have_what_was_live():
    """In each process, to its last block; not known where the heap was not recorded."""
    for name in ("memory.ascribe", "idle.ascribe"):
        profile = Profile(DIRECTORY / name)
        found = dict(profile.rows("select id, live_bytes from slices"))
        check(found == live_by_slice(profile), f"{name}: {found}\n    series have {live_by_slice(profile)}")
        last = [size for size, in profile.rows("select live_bytes from slices group by process having id = max(id)")]
        check(sum(last) == profile.value("select live_bytes from heap"), f"{name}: {last}")
    memory = Profile(DIRECTORY / "memory.ascribe").rows("select live_bytes from slices")
    check(max(memory)[0] >= 400000, f"{memory}")
    check(len(Profile(DIRECTORY / "idle.ascribe").rows("select distinct process from slices where live_bytes")) == 2,
          "one process only")
    without = Profile(DIRECTORY / "sampled.ascribe").rows("select distinct live_bytes from slices")
    check(without == [(None,)], f"without a recording of the heap: {without}")


IDLE = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
/* Allocates without using CPU time, frees it all, and does so again in a child after it. */
static void hold(void) {
  void *blocks[10];
  for (int i = 0; i < 10; i++) { blocks[i] = malloc(100000); usleep(40000); }
  for (int i = 0; i < 10; i++) free(blocks[i]);
}
int main(void) {
  if (fork() == 0) { hold(); for (volatile int i = 0; i < 3; i++) malloc(100000); _exit(0); }
  wait(NULL);
  hold();
  return 0;
}
"""


def memory_of_the_idle_and_of_the_dead():
    """Without ticks slices end all the same; what a process had is gone with it, and a level is told though
    nothing is left at the end."""
    (DIRECTORY / "idle.c").write_text(IDLE)
    must(["gcc", "-O1", "-g", "-w", "idle.c", "-o", "idle"], directory=DIRECTORY)
    must([ASCRIBE, "record", "-q", "--heap", "--rate", "0", "-o", "idle.ascribe", "--", "./idle"], directory=DIRECTORY)
    text = must([ASCRIBE, "report", "--series", "--metric", "live", "idle.ascribe"], directory=DIRECTORY).output
    levels = [float(number) * (1000 if unit == "MB" else 1)
              for number, unit in re.findall(r"^ +\d+\.\d{3} +([\d.]+) (MB|kB|bytes) ", text, re.M)]
    check(len(levels) >= 4 and levels[0] < 700 and 900 <= max(levels) <= 1400, f"{levels}\n{text}")
    rise = Profile(DIRECTORY / "idle.ascribe").value("select max(self) from series where metric = 'live'")
    check(100000 <= rise <= 2000000, f"{rise} bytes are live")
    # What a process held is gone with it inside the run; at its end it is what each held when it ended.
    ended = Profile(DIRECTORY / "idle.ascribe").value("select min(e) from (select max(end_ns) e from slices group by process)")
    live = {part: {row["function_name"]: row["live_bytes"]
                   for row in report(f"idle.ascribe@{part}", "--heap")["allocation_sites"]}
            for part in (f"0-{ended / 1e9 + 0.1:.3f}", "0.1-1000", "0.1-")}
    inside, past, rest = live.values()
    check(inside["hold"] in (200000, 300000, 400000) and not inside.get("main"), f"{live}")
    check(past == rest and past["main"] == 300000 and past["hold"] == 0, f"{live}")
    leaks = must([ASCRIBE, "report", "--leaks", "idle.ascribe@0-0.2"], directory=DIRECTORY).output
    check("live at the end of the interval" in leaks and "not freed" not in leaks, leaks)


def killed():
    """Of a recording that nobody saved, too: ticks and slices up to the end."""
    place = DIRECTORY / "left"
    with subprocess.Popen(["./counted"], cwd=DIRECTORY, stdout=subprocess.DEVNULL,
                          env={"ASCRIBE_OUT": str(place)}) as program:
        time.sleep(0.5)
        program.kill()
    text = must([ASCRIBE, "report", "--flat", "left@0-0.2"], directory=DIRECTORY).output
    check("early" in text and "interval" in text, text)


def names_with_an_at():
    shutil.copy(DIRECTORY / "sampled.ascribe", DIRECTORY / "run@2-3")
    check(report("run@2-3") == report("sampled.ascribe"), "a file of that name is the whole")
    check("interval" in report("run@2-3@0-0.5")["run"], "the last @ is the interval's")


def refusals():
    refused = {"sampled.ascribe@": "is no interval", "sampled.ascribe@-": "is no interval",
               "sampled.ascribe@3": "is no interval", "sampled.ascribe@2-1": "is no interval",
               "sampled.ascribe@1x-2": "is no interval", "sampled.ascribe@1-2-3": "is no interval",
               "sampled.ascribe@nan-2": "is no interval", "sampled.ascribe@0x1-2": "is no interval",
               "sampled.ascribe@1e0-2": "is no interval", "sampled.ascribe@100-": "nothing was measured then",
               "missing.ascribe@1-2": "cannot be read", "callgrind.ascribe@0-1": "nothing in it is known by time"}
    must([ASCRIBE, "export", "--to", "callgrind", "-o", "callgrind.out", "sampled.ascribe"], directory=DIRECTORY)
    must([ASCRIBE, "import", "-q", "-o", "callgrind.ascribe", "callgrind.out"], directory=DIRECTORY)
    merged = run([ASCRIBE, "merge", "-o", "parts.ascribe", "sampled.ascribe", "sampled.ascribe@0-1"], DIRECTORY)
    check(merged.status == 1 and "only whole profiles" in merged.errors, merged.errors)
    for name, words in refused.items():
        result = run([ASCRIBE, "report", name], DIRECTORY)
        check(result.status == 1 and words in result.errors and result.errors.count("\n") == 1,
              f"{name}: {result.status}, {result.errors}")
    result = must([ASCRIBE, "report", "--series", "callgrind.ascribe"], directory=DIRECTORY)
    check("not known" in result.output, result.output)


# What doubles behind the first columns, which say when and of what it is.
DOUBLED = {
    "sampled.ascribe": [(1, "select start_ns, sum(self), sum(self_ticks) from series join slices on id = slice group by 1"),
                        (1, "select start_ns, sum(cpu_ns) from slices group by 1")],
    "memory.ascribe": [(3, "select start_ns, metric, function_name, sum(self) from series join slices on id = slice"
                           " where metric <> 'cpu' group by 1, 2, 3"),
                       (1, "select start_ns, sum(live_bytes) from slices group by 1")],
    "idle.ascribe": [(1, "select start_ns, sum(live_bytes) from slices group by 1")],
    "entries.ascribe": [(2, "select start_ns, centre_name, sum(entries) from slice_entries join slices on id = slice"
                            " group by 1, 2")],
}


def merged_runs_keep_their_time():
    """Each by its own clock: two of one file have twice of it, at every moment and in every part. Processes and runs
    stay apart, and their parts add up to each."""
    for name, queries in DOUBLED.items():
        must([ASCRIBE, "merge", "-q", "-o", "twice.ascribe", name, name], directory=DIRECTORY)
        once, twice = Profile(DIRECTORY / name), Profile(DIRECTORY / "twice.ascribe")
        for keys, query in queries:
            expected = [(*row[:keys], *(2 * number for number in row[keys:])) for row in once.rows(query)]
            check(expected and twice.rows(query) == expected, f"{name}, {query}: {twice.rows(query)}, not {expected}")
        each = "select group_concat(live_bytes) from slices group by process order by process"
        check(twice.rows(each) == 2 * once.rows(each), f"{name}: processes do not stay apart")
    must([ASCRIBE, "merge", "-q", "-o", "twice.ascribe", "sampled.ascribe", "sampled.ascribe"], directory=DIRECTORY)
    for part in "0-0.5", "0.5-":
        once, twice = (report(f"{name}.ascribe@{part}", "--runs", "--flat") for name in ("sampled", "twice"))
        ticks = [{row["name"]: row["self_ticks"] for row in found["functions"]} for found in (once, twice)]
        check(ticks[1] == {name: 2 * count for name, count in ticks[0].items()}, f"{part}: {ticks}")
        check([row["ticks"] for row in twice["runs"]] == 2 * [once["run"]["ticks"]], f"{part}: {twice['runs']}")


def damaged():
    """What cannot be is refused, not believed."""
    for table, change in (("raw_series", "slice = 1000000"), ("raw_series", "tick = 0"), ("raw_series", "instruction = -1"),
                          ("raw_slices", "process = 77"), ("raw_slices", "start_ns = -5"),
                          ("raw_slices", "start_ns = 1 << 62"), ("raw_series", "raw_ns = 1 << 62"), ("raw_series", "ticks = 77"), ("raw_slice_entries", "entries = 7777"),
                          ("raw_slice_entries", "transition = 99999")):
        path = DIRECTORY / "damaged.ascribe"
        shutil.copy(DIRECTORY / ("entries.ascribe" if table == "raw_slice_entries" else "sampled.ascribe"), path)
        with sqlite3.connect(path) as database:
            database.execute(f"update {table} set {change} where rowid = 3")
        database.close()
        result = run([ASCRIBE, "report", "damaged.ascribe@0-1"], DIRECTORY)
        check(result.status == 1 and "damaged" in result.errors, f"{change}: {result.status}, {result.errors}")


if __name__ == "__main__":
    harness.main(phases_are_told_apart, parts_add_up, the_whole_is_the_run, calls_are_not_known_by_time,
                 series_are_the_whole, entries_by_time, processes_are_of_the_part, shown_over_time,
                 wherever_a_file_is_named, memory_is_known_by_time, memory_of_the_idle_and_of_the_dead,
                 slices_have_what_was_live, killed, names_with_an_at, refusals, merged_runs_keep_their_time,
                 damaged)
