#!/usr/bin/env python3
"""record --heap: every allocation by its stack.  Blocks and bytes, in all, at the peak and at the
end, are DHAT's; the books balance, whatever the program does; and it does what it did."""

import collections
import json
import math
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run
from heap_books import Heap

HERE = pathlib.Path(__file__).resolve().parent
DIRECTORY = harness.scratch("heap")
PROGRAM = DIRECTORY / "allocates"
KINDS = DIRECTORY / "kinds"
LIBRARY = DIRECTORY / "constructs.so"


def build():
    must(["g++", "-g", "-O2", "-pthread", f"-I{HERE.parent.parent / 'include'}", HERE / "kinds.cc", "-o", KINDS])
    must(["gcc", "-g", "-O1", "-pthread", HERE / "allocates.c", "-o", PROGRAM])
    source = DIRECTORY / "constructs.c"
    source.write_text("#include <stdlib.h>\nvoid *kept;\n"
                      "__attribute__((constructor)) static void begin(void) { kept = malloc(321); }\n"
                      "__attribute__((destructor)) static void end(void) { free(kept); }\n")
    must(["gcc", "-g", "-O1", "-shared", "-fPIC", source, "-o", LIBRARY])


def record(name, *command, options=(), status=0, same=True):
    path = DIRECTORY / f"{name}.ascribe"
    path.unlink(missing_ok=True)
    result = run([ASCRIBE, "record", "--heap", "-o", path, *options, "--", *command], DIRECTORY)
    check(result.status == status, f"{name}: {result.ending}\n{result.errors}")
    if same:
        bare = run(command, DIRECTORY)
        check(bare.status == status, f"{name}: bare {bare.ending}")
        check(bare.output == result.output, f"{name}: writes {result.output!r}, not {bare.output!r}")
    return Heap(Profile(path))


# ---- the outside judge ----

def dhat(name, *command):
    path = DIRECTORY / f"{name}.dhat"
    must(["valgrind", "--tool=dhat", "--run-libc-freeres=no", "--run-cxx-freeres=no", "--num-callers=200",
          f"--dhat-out-file={path}", *command], directory=DIRECTORY)
    return json.loads(path.read_text())


def agrees_with_dhat(name, *command):
    """In total. DHAT's blocks are those whose bytes are counted at t-gmax and t-end."""
    judge = dhat(name, *command)
    total = {key: sum(point[key] for point in judge["pps"]) for key in ("tb", "tbk", "gb", "eb", "ebk")}
    ours = record(name, *command)
    told = {"tb": ours.allocated_bytes, "tbk": ours.allocations, "gb": ours.peak_bytes,
            "eb": ours.live_bytes, "ebk": ours.live_blocks}
    check(told == total, f"{name}: {told}, but DHAT says {total}")
    check(ours.dropped == 0 and ours.without_stack == 0, f"{name}: dropped")
    return judge, ours


def programs_agree_with_dhat():
    text = DIRECTORY / "numbers.json"
    text.write_text(json.dumps([{"n": n, "text": "x" * (n % 50)} for n in range(2000)]))
    agrees_with_dhat("jq", "/usr/bin/jq", "-c", "map(.n) | add", text)
    agrees_with_dhat("sqlite3", "/usr/bin/sqlite3", ":memory:", "create table t(a, b); with recursive n(i) as"
                     " (select 1 union all select i + 1 from n where i < 5000) insert into t select i, i * i from n;"
                     " create index x on t(b); select sum(a), max(b) from t order by b;")
    agrees_with_dhat("xz", "/usr/bin/xz", "-k", "-c", "-1", text)


def stacks_of(path):
    """The functions of each stack, outermost first, and the bytes it allocated."""
    text = must([ASCRIBE, "export", "--metric", "allocated", "--to", "collapsed", "-o", "-", path]).output
    return [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])) for line in text.splitlines()]


def stacks_agree_with_dhat():
    """Each stack, told by its functions from main on, has DHAT's bytes."""
    judge, ours = agrees_with_dhat("plain", PROGRAM, "plain")
    frames = [re.match(r"0x[0-9A-F]+: (\S+) ", frame) for frame in judge["ftbl"]]
    names = [frame[1] if frame else "?" for frame in frames]
    theirs = collections.Counter()
    for point in judge["pps"]:
        stack = [names[frame] for frame in point["fs"]]
        own = [name for name in stack if name in OWN]
        theirs[folded(own)] += point["tb"]
    told = collections.Counter()
    for stack, amount in stacks_of(ours.profile.path):
        told[folded([name for name in stack if name in OWN])] += amount
    check(told == theirs, f"by stack: {told - theirs} too much, {theirs - told} too little")


OWN = {"main", "plain", "grow", "make", "shrink", "drop", "relatives", "early"}


def folded(stack):
    """As a set: recursion is folded."""
    return tuple(sorted(set(stack)))


# ---- programs that do what nobody expects ----

def realloc_fails_and_frees():
    heap = record("reallocs", PROGRAM, "reallocs")
    output = 4096  # stdio's buffer
    check(heap.site("reallocs") == (4, 10 + 1000 + 200 + output, output), f"reallocs: {heap.site('reallocs')}")


def blocks_may_be_large():
    heap = record("large", PROGRAM, "large")
    check(heap.site("make")[1] >= 10 * (5 << 30) and heap.peak_bytes >= 5 << 30, "large blocks are not there")
    check(heap.site("make")[2] == 0, "large blocks were freed")


def unknown_blocks_are_told():
    heap = record("unknown", PROGRAM, "unknown")
    check(heap.unknown_frees >= 10, f"{heap.unknown_frees} unknown frees")


def a_jump_out_loses_nothing_else():
    heap = record("leaves", PROGRAM, "leaves")
    check(heap.site("make")[0] > 1000, "nothing was recorded after a jump")
    check(heap.dropped < 1000, f"{heap.dropped} dropped")


def threads_free_each_others_blocks():
    heap = record("storms", PROGRAM, "storms")
    check(heap.site("make")[2] == 0, f"{heap.site('make')} of make's, where all was freed")
    check(heap.dropped == 0 and heap.allocations > 100000, "too few, or dropped")


COMPANY = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void *ends(void *block) { free(block); return malloc(20000); }
static void *waits(void *nothing) { static pthread_barrier_t never; pthread_barrier_init(&never, NULL, 2);
  pthread_barrier_wait(&never); return nothing; }
int main(int count, char **arguments) {
  int blocks = atoi(arguments[2]);
  void **list = malloc(blocks * sizeof *list), *result = NULL;
  pthread_t thread;
  int beside = strcmp(arguments[1], "beside") == 0;
  pthread_create(&thread, NULL, beside ? waits : ends, beside ? NULL : malloc(5000));
  if (!beside) pthread_join(thread, &result);
  for (int i = 0; i < blocks; i++) list[i] = malloc(100);
  if (strcmp(arguments[1], "kept") == 0) return 0;
  for (int i = 0; i < blocks; i++) free(list[i]);
  free(list);
  free(result);
  return 0;
}
"""


def the_last_thread_tells_at_once():
    """The peak is DHAT's, but for what libc allocates for a thread, which grows with the loaded libraries."""
    program = DIRECTORY / "company"
    (DIRECTORY / "company.c").write_text(COMPANY)
    must(["gcc", "-O1", "-g", "-pthread", "company.c", "-o", program], directory=DIRECTORY)
    for way in ("after", "kept"):
        for blocks in ("10", "500", "3000"):
            heap = record(f"company-{way}", program, way, blocks)
            unsure = heap.peak_uncertainty_bytes  # with 10 blocks most is live while there are two threads
            check(unsure <= (4096 if blocks == "10" else 0), f"{way} {blocks}: not known by {unsure} bytes")
            check(heap.peak_bytes >= heap.live_bytes, f"{way} {blocks}: {heap.peak_bytes} and {heap.live_bytes} at the end")
            if shutil.which("valgrind"):
                points = dhat("company", program, way, blocks)["pps"]
                more = heap.allocated_bytes - sum(point["tb"] for point in points)
                peak = sum(point["gb"] for point in points)
                check(0 <= more < 500 and 0 <= peak + more - heap.peak_bytes <= unsure,
                      f"{way} {blocks}: {heap.peak_bytes} or {unsure} more, DHAT has {peak} + {more}")
    for blocks in (10, 500, 3000):
        heap, most = record("company-beside", program, "beside", str(blocks)), 108 * blocks
        check(most <= heap.peak_bytes + heap.peak_uncertainty_bytes <= most + 2 * 65536,
              f"beside, {blocks}: {heap.peak_bytes} + {heap.peak_uncertainty_bytes}, not {most}")
        check(blocks == 10 or heap.peak_bytes >= most / 2, f"beside, {blocks}: only {heap.peak_bytes} of {most}")


def destructors_of_threads_allocate():
    heap = record("destructors", PROGRAM, "destructors")
    check(heap.site("make")[:2] == (601, 300 * (70 + 77) + 33), f"{heap.site('make')}")
    check(heap.site("make")[2] == 0, "destructors freed all")


def coroutines_allocate():
    heap = record("coroutines", PROGRAM, "coroutines")
    check(heap.site("make")[0] == 101 and heap.dropped == 0, f"{heap.site('make')}")
    above = heap.profile.value("select total from metric_functions where metric = 'allocations'"
                               " and name = 'coroutine'")
    check(above == 100, f"{above} allocations below coroutine")


def children_have_their_own():
    heap = record("forks", PROGRAM, "forks")
    check(heap.site("make")[:2] == (111, 100 * 1000 + 10 * 10 + 33), f"{heap.site('make')}")
    check(heap.early_frees == 50, f"{heap.early_frees} blocks of the parent's were freed")
    check(heap.site("make")[2] == 100, f"the child kept {heap.site('make')[2]}")


def exec_begins_anew():
    heap = record("exec", PROGRAM, "exec", "unknown")
    check(heap.site("make")[:2] == (3, 555 + 33 + 33), f"{heap.site('make')}")


def a_kill_loses_nothing():
    heap = record("killed", PROGRAM, "killed", status=-9)
    check(heap.site("make")[:2] == (10002, 10001 * 100 + 33), f"{heap.site('make')}")


def libraries_may_come_and_go():
    heap = record("load", PROGRAM, "load", LIBRARY)
    check(heap.site("begin") == (1, 321, 0), f"{heap.site('begin')}")


def pauses_are_left_out():
    heap = record("paused", PROGRAM, "plain", options=["--delay", "30"])
    check(heap.allocations < 1102 and heap.unknown_frees == 0, "a pause counts")


def with_hooks_too():
    for way in ("counts", "contexts"):
        program = DIRECTORY / f"hooked_{way}"
        must([ASCRIBE, "cc", *(["--contexts"] if way == "contexts" else []), "-g", "-O1", "-pthread",
              HERE / "allocates.c", "-o", program])
        heap = record(way, program, "plain")
        check(heap.site("make")[:2] == (1101, 64000 + sum(range(100, 200)) + 33), f"{way}: {heap.site('make')}")


def threads_are_their_makers():
    """What libc allocates for a thread is at the program's call, not in the runtime that is linked in."""
    source, program = DIRECTORY / "makes.c", DIRECTORY / "makes"
    source.write_text("#include <pthread.h>\nstatic void *begin(void *argument) { return argument; }\n"
                      "int main(void) {\n  pthread_t thread;\n  pthread_create(&thread, 0, begin, 0);\n"
                      "  return pthread_join(thread, 0);\n}\n")
    must([ASCRIBE, "cc", "-O1", "-g", "-pthread", source, "-o", program])
    sites = record("makes", program).profile.rows("select function_name, line from allocation_sites where live_blocks")
    check(sites == [("main", 5)], f"{sites}")
    check(b"src/runtime/" not in program.read_bytes(), "the program has the runtime's debug information")


def static_programs_are_told():
    program = DIRECTORY / "static"
    must(["gcc", "-static", "-O1", "-pthread", "-w", HERE / "allocates.c", "-o", program])
    result = run([ASCRIBE, "record", "--heap", "--", program, "unknown"], DIRECTORY)
    check(result.status == 0 and "--perf has no --heap" in result.errors, result.errors)


MANY = """
#include <ascribe/ascribe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *make(void *number) {
  for (int i = 0; i < 1023; i++) {
    char name[20];
    snprintf(name, sizeof name, "name %d", (i + *(int *)number * 250) % 1023);
    ascribe_kind(malloc(8), name);
  }
  return NULL;
}
int main(void) {
  pthread_t threads[4];
  int numbers[] = {0, 1, 2, 3};
  for (int i = 0; i < 40; i++) {
    char name[20];
    snprintf(name, sizeof name, "of nothing %d", i);
    ascribe_kind(name, name);
  }
  ascribe_kind(malloc(8), "");
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, make, &numbers[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 30; i++) ascribe_kind(malloc(8), i % 2 ? "one more" : "another");
  return 0;
}
"""


def names_have_room():
    """1023 of them, whoever is first to give them; of more it is told. What is no block takes none."""
    (DIRECTORY / "many.c").write_text(MANY)
    include = HERE.parent.parent / "include"
    must(["gcc", "-O1", "-g", "-w", "-pthread", f"-I{include}", "many.c", "-o", "many"], directory=DIRECTORY)
    heap = record("many", DIRECTORY / "many")
    counts = heap.profile.rows("select allocations, count(*) from heap_kinds where basis = 'named' group by 1")
    check(counts == [(4, 1023)], f"{counts}")
    check(heap.profile.value("select without_name from heap") == 30, "names without room")
    told = must([ASCRIBE, "report", "--heap", heap.profile.path]).output
    check("30 names of blocks had no room" in told, told)


def long_names_end_with_a_character():
    """Of 55 bytes at most; what is no UTF-8 is cut there."""
    names = {"a" * 54 + "\u00fc": "a" * 54, "b" * 53 + "\u00fc": "b" * 53 + "\u00fc", "c" * 52 + "\U0001f600": "c" * 52,
             "d" * 51 + "\U0001f600more": "d" * 51 + "\U0001f600", "e" * 70: "e" * 55}
    calls = "".join(f'  ascribe_kind(malloc(10), "{name}");\n' for name in names)
    (DIRECTORY / "long.c").write_text(f"#include <ascribe/ascribe.h>\n#include <stdlib.h>\nint main(void) {{\n{calls}}}\n")
    must(["gcc", "-w", f"-I{HERE.parent.parent / 'include'}", "long.c", "-o", "long"], directory=DIRECTORY)
    found = {name for name, in record("long", DIRECTORY / "long").profile.rows("select name from heap_kinds where basis = 'named'")}
    check(found == set(names.values()), f"{found}")


def linked_allocators_are_seen():
    """`ascribe cc --heap`: the same figures as of the preloaded library, and nothing twice where that is there, too."""
    source = DIRECTORY / "linked.cc"
    source.write_text("#include <cstdlib>\n#include <string>\n#include <thread>\n#include <vector>\n"
                      "__attribute__((noinline)) void *make(size_t n) { return malloc(n); }\n"
                      "void work() {\n  for (int i = 0; i < 1000; i++) { void *p = make(100); if (i % 2) free(p); }\n"
                      "  void *all[] = {calloc(3, 50), aligned_alloc(64, 640), realloc(make(10), 2000), reallocarray(0, 7, 70)};\n"
                      "  posix_memalign(all, 32, 320);\n  std::vector<std::string> texts(50, std::string(80, 'x'));\n}\n"
                      "int main() { std::thread(work).join(); work(); return 0; }\n")
    must(["g++", "-O1", "-g", "-w", "-pthread", source, "-o", "bare"], directory=DIRECTORY)
    sums = "select function_name, sum(allocations), sum(allocated_bytes), sum(live_bytes) from allocation_sites"
    sums += " where function_name like 'make(%' or function_name like 'work(%' group by 1"
    expected = record("bare", DIRECTORY / "bare").profile.rows(sums)
    check(expected[0][1:] == (2002, 200020, 100000), f"{expected}")
    compiles = [ASCRIBE, "c++", "--heap", "-O1", "-g", "-w", "-pthread"]
    must([*compiles, "-c", source, "-o", "linked.o"], directory=DIRECTORY)
    for number, (way, linked) in enumerate((([], "linked.o"), (["-static"], "linked.o"), (["-static-pie"], "linked.o"),
                                            (["-static", "-flto"], source), (["-static", "--contexts"], source))):
        program = DIRECTORY / f"linked{number}"
        must([*compiles, *way, linked, "-o", program], directory=DIRECTORY)
        check(run([program], DIRECTORY).status == 0, "without a recording")
        found = record(f"linked{number}", program).profile.rows(sums)
        check(found == expected, f"{way}: {found}, not {expected}")
        sampled(f"linked-sampled{number}", program)


OWN_MALLOC = """
#include <stddef.h>
#include <string.h>
static char memory[1 << 20] __attribute__((aligned(16)));
static size_t used;
void *malloc(size_t n) { char *at = memory + used; used += (n + 31) / 16 * 16; return at; }
void *calloc(size_t n, size_t m) { return memset(malloc(n * m), 0, n * m); }
void *realloc(void *p, size_t n) { void *q = malloc(n); return p ? memcpy(q, p, n) : q; }
void free(void *p) { (void)p; }
"""


def own_allocators_are_seen():
    (DIRECTORY / "own_part.c").write_text(OWN_MALLOC)
    (DIRECTORY / "own_main.c").write_text("#include <stdlib.h>\nint main(void) { void *p = malloc(10); p = realloc(p, 30);"
                                          " for (int i = 0; i < 100; i++) free(calloc(2, 8)); return !p; }\n")
    for way in [], ["-static"]:
        must([ASCRIBE, "cc", "--heap", *way, "-O1", "-g", "-fno-builtin", "own_part.c", "own_main.c", "-o", "own_linked"],
             directory=DIRECTORY)
        heap = record("own_linked", DIRECTORY / "own_linked")
        made = heap.profile.rows("select sum(allocations), sum(allocated_bytes) from allocation_sites"
                                 " where function_name = 'main'")[0]
        check(made == (102, 10 + 30 + 1600), f"{way}: {made}")


def own_allocators_are_told():
    source, program = DIRECTORY / "own.c", DIRECTORY / "own"
    source.write_text("#include <stddef.h>\nstatic char memory[1 << 20];\nstatic size_t used;\n"
                      "void *malloc(size_t n) { used += (n + 15) / 16 * 16; return memory + used; }\n"
                      "void *calloc(size_t n, size_t m) { return malloc(n * m); }\n"
                      "void *realloc(void *p, size_t n) { (void)p; return malloc(n); }\n"
                      "void free(void *p) { (void)p; }\nint main(void) { return !malloc(10); }\n")
    must(["gcc", "-O1", "-fno-builtin", source, "-o", program])
    result = run([ASCRIBE, "record", "--heap", "-o", DIRECTORY / "own.ascribe", "--", program], DIRECTORY)
    check(result.status == 0 and "no allocation was seen" in result.errors, result.errors)
    every = run([ASCRIBE, "record", "--heap=16k", "-o", DIRECTORY / "own.ascribe", "--", program], DIRECTORY)
    check(every.status == 0 and "no allocation was seen" in every.errors, every.errors)


def programs_that_allocate_nothing():
    """Nothing is wrong with them: neither static nor with a malloc of their own."""
    source, program = DIRECTORY / "none.c", DIRECTORY / "none"
    source.write_text("int main(void) { return 0; }\n")
    for command, option, words in ((["gcc"], "--heap", "no allocation was recorded"),
                                   (["gcc"], "--heap=16k", "no sample was met, one of 16.4 kB"),
                                   ([ASCRIBE, "cc", "--heap", "-static"], "--heap", "no allocation was recorded"),
                                   ([ASCRIBE, "cc", "-static"], "--heap", "no allocation was seen")):
        must([*command, source, "-o", program])
        result = run([ASCRIBE, "record", option, "-o", DIRECTORY / "none.ascribe", "--", program], DIRECTORY)
        heap = [line for line in result.errors.splitlines() if line.startswith("heap ")]
        check(len(heap) == 1 and words in heap[0], f"{command}: {result.errors}")


# ---- samples ----

EVERY = 1024


def sampled(name, *command, every=EVERY, **others):
    return record(f"sampled-{name}", *command, options=[f"--heap={every}"], **others)


def samples_hold_the_truth():
    """Each site's figures are without bias, and in their intervals as often as these say."""
    truth = record("sizes", PROGRAM, "sizes")
    of = {name: truth.site(name) for name in ("small_blocks", "middle_blocks", "large_blocks")}
    held = runs = 0
    sizes = {"small_blocks": 48, "middle_blocks": 2000, "large_blocks": 30000}
    errors = collections.defaultdict(list)
    for run_of in range(24):
        heap = sampled("sizes", PROGRAM, "sizes", every=8192, same=run_of == 0)
        rows = heap.profile.rows("select function_name, allocations, allocations_low, allocations_high,"
                                 " allocated_bytes, allocated_low_bytes, allocated_high_bytes, live_bytes,"
                                 " live_low_bytes, live_high_bytes from allocation_sites")
        check(heap.profile.value("select sampled_bytes from heap") == 8192, "what it samples")
        for name, *figures in rows:
            for figure, (found, low, high) in enumerate((figures[:3], figures[3:6], figures[6:])):
                if name not in of:
                    continue
                true = of[name][figure]
                check(low <= found <= high, f"{found} is not from {low} to {high}")
                runs, held = runs + 1, held + (low <= true <= high)
                errors[name, figure].append(found - true)
        heap.profile.connection.close()
    check(runs >= 24 * 3 * 3 and held >= 0.88 * runs, f"{held} of {runs} intervals hold")
    for (name, figure), of_runs in errors.items():
        true, size, mean = of[name][figure], sizes[name], sum(of_runs) / len(of_runs)
        met = 1 - math.exp(-size / 8192)
        deviation = (true * (1 if figure == 0 else size) * (1 - met) / met / len(of_runs)) ** 0.5
        check(abs(mean) <= 5 * deviation + 1e-3 * true, f"{name}: off by {mean} +- {deviation} of {true}")


def samples_cost_little():
    """Nearly all allocations are passed over; those that are not are few."""
    heap = sampled("few", PROGRAM, "sizes", every="16M")
    check(heap.allocated_bytes < 200e6, f"{heap.allocated_bytes} bytes")


def samples_balance_in_any_program():
    """What is freed is what was allocated, weight by weight (class Heap), and all of it is met at times."""
    for word in ("reallocs", "storms", "destructors", "coroutines", "forks", "leaves", "large", "unknown"):
        heap = sampled(word, PROGRAM, word)
        check(heap.unknown_frees == 0 and (heap.early_frees == 0 or word == "forks"), f"{word}: unknown frees")
        if word in ("storms", "destructors", "large"):
            check(heap.site("make")[2] in (0, None), f"{word}: {heap.site('make')} of make's, where all was freed")
    sampled("exec", PROGRAM, "exec", "unknown")
    sampled("killed", PROGRAM, "killed", status=-9)
    sampled("load", PROGRAM, "load", LIBRARY)


def parts_add_up(path):
    profile = Profile(path)
    middle = sorted(start for start, in profile.rows("select start_ns from slices"))
    middle = middle[len(middle) // 2] * 1e-9
    parts = [profile.value("select sum(self) from metric_functions where metric = 'allocated'")]
    for part in (f"@0-{middle}", f"@{middle}-1000"):
        shown = json.loads(must([ASCRIBE, "report", "--json", "--flat", "--metric", "allocated", f"{path}{part}"]).output)
        parts.append(sum(row["self"] for row in shown["metric_functions"] if row["metric"] == "allocated"))
    check(parts[1] and parts[2] and parts[0] == parts[1] + parts[2], f"parts: {parts}")


def samples_of_a_steady_pool():
    """The peak of samples is too high, which its interval knows; merged runs keep their intervals."""
    paths = []
    for run_of in range(4):
        heap = sampled(f"pool{run_of}", PROGRAM, "pool", every="16k", same=False)
        low, high = heap.profile.rows("select sum(peak_low_bytes), sum(peak_high_bytes) from allocation_sites")[0]
        check(low <= 1000000 <= high, f"from {low} to {high} at the peak of 1000000")
        paths.append(heap.profile.path)
    exact = record("pool", PROGRAM, "pool").profile.path
    both = DIRECTORY / "merged.ascribe"
    for order in ([*paths, exact], [exact, *paths]):
        must([ASCRIBE, "merge", "-q", "-o", both, *order])
        profile = Profile(both)
        check(profile.rows("select distinct evidence from metrics where kind = 'heap'") == [("sized",)], "evidence")
        true = 5 * profile.value("select heap_allocated from raw_processes where heap_mean = 0")
        low, high = profile.rows("select sum(allocated_low_bytes), sum(allocated_high_bytes) from allocation_sites")[0]
        # One in twenty is outside of its 95 % interval, one in ten thousand of the double.
        check(abs(true - (low + high) / 2) < high - low, f"from {low} to {high}, not {true}")
        told = must([ASCRIBE, "report", "--heap", both]).output
        said = re.search(r" of ([\d.]+) MB \+- ([\d.]+) (MB|kB)", told)
        check(said and float(said[2]) * (1 if said[3] == "MB" else 1e-3) > 0.01 * float(said[1]), told)
        profile.connection.close()
    grown = must([ASCRIBE, "diff", "--metric", "allocated", paths[0], paths[1]]).output
    check("CPU time of two" not in grown, grown)


def samples_are_shown_as_such():
    path = DIRECTORY / "sampled-sizes.ascribe"
    result = run([ASCRIBE, "record", "--heap=8k", "-o", path, "--", PROGRAM, "sizes"], DIRECTORY)
    check("random samples, one of 8.19 kB on average" in result.errors and " +- " in result.errors, result.errors)
    for option in ("--heap", "--leaks", "--peak"):
        report = must([ASCRIBE, "report", option, path]).output
        check("(estimated)" in report and "95 %" in report, report)
    flat = must([ASCRIBE, "report", "--metric", "allocated", "--flat", path]).output
    check("95 % uncertainty" in flat and "one sample of 8.19 kB" in flat, flat)
    parts_add_up(DIRECTORY / "sampled-storms.ascribe")
    exact = DIRECTORY / "sizes.ascribe"
    must([ASCRIBE, "diff", "--metric", "allocated", exact, path])
    for wrong in ("0", "1", "512", "17M", "1g", "k", "-1", "512kk"):
        result = run([ASCRIBE, "record", f"--heap={wrong}", "--", "true"], DIRECTORY)
        check(result.status == 125 and "expected bytes from 1k to 16M" in result.errors, result.errors)


# ---- kinds ----

TYPES = [("point", 1), ("std::_Rb_tree_node<std::pair<int const, shape> ?>", 70), ("std::string", 40 + 1 + 15),
         ("std::_List_node<.*>", 40), ("std::__detail::_Hash_node<.*>", 25), ("std::_Sp_counted_ptr_inplace<shape,.*>", 1)]


def kinds_are_told():
    """What the program calls its blocks, whoever allocated them and whenever it says so, and types of C++."""
    heap = record("kinds", KINDS)
    rows = heap.profile.rows("select name, basis, allocations, allocated_bytes, live_blocks from heap_kinds")
    named = {name: tuple(figures) for name, basis, *figures in rows if basis == "named"}
    size = heap.profile.value("select max(allocated_bytes / allocations) from heap_kinds where name = 'node'")
    check(named == {"node": (1000, 1000 * size, 600), "odd": (40, 40000, 40), "even": (20, 20000, 20),
                    "late": (50, 10000, 30)}, f"named: {named}")
    for type_name, count in TYPES:
        counts = [row[2] for row in rows if row[1] == "type" and re.fullmatch(type_name, row[0])]
        check(counts == [count], f"{type_name}: {counts}, not {count}\n{rows}")
    expected = {"node": (65, 256), "late": (65, 256)}
    found = {name: (least, most) for name, least, most in heap.profile.rows(
        "select name, least_bytes, most_bytes from heap_kinds where name in ('node', 'late')")}
    check(found == expected, f"least and most bytes: {found}")
    site = heap.profile.rows("select least_bytes, most_bytes from allocation_sites where function_name like 'late%'"
                             " and allocations = 50")
    check(site == [(65, 256)], f"least and most bytes of a line: {site}")
    sizes = dict(heap.profile.rows("select most_bytes, sum(allocations) from heap_sizes group by 1"))
    check(sizes[256] >= 1000 + 50 and sizes[1024] >= 60, f"sizes: {sizes}")
    report = must([ASCRIBE, "report", "--heap", "--leaks", heap.profile.path]).output
    for words in ("by kind (counted)", "  node\n", "  (unknown)\n", "  std::string\n", "up to 1024 bytes"):
        check(words in report, f"{words!r} is not in\n{report}")
    parts_add_up(heap.profile.path)
    # What was named late is of its kind, and live, from when it was allocated.
    first = dict(heap.profile.rows("select kind, min(slice) from series where metric = 'live' and self > 0 group by 1"))
    check(first["node"] <= first["late"] < first["point"] and "early" not in first, f"live by time: {first}")
    must([ASCRIBE, "merge", "-q", "-o", DIRECTORY / "kinds-twice.ascribe", heap.profile.path, heap.profile.path])
    twice = dict(Profile(DIRECTORY / "kinds-twice.ascribe").rows("select name, allocations from heap_kinds"))
    check(twice == {row[0]: 2 * row[2] for row in rows}, f"merged: {twice}")
    # A block that is met stands for more than itself, and is named all the same.
    low, high = sampled("kinds-sampled", KINDS, every="1k").profile.rows(
        "select allocations_low, allocations_high from heap_kinds where name = 'node'")[0]
    check(low <= 1000 <= high, f"nodes: {low} to {high}")


def kinds_are_compared():
    """Between two runs, one of them sampled, and two parts of one; a kind that one of them lacks."""
    exact = DIRECTORY / "kinds.ascribe"
    part = Profile(exact).value("select max(start_ns) from slices")

    def compared(*words):
        answer = json.loads(must([ASCRIBE, "diff", "--of", "kinds", "--json", *words]).output)
        return {row["name"]: row for row in answer["kinds"]}
    truth = dict(Profile(exact).rows("select name, allocations from heap_kinds where basis = 'named'"))
    same = compared("--by", "b.calls / a.calls", "--neutral", "0", exact, exact)
    check({name: same[name]["a"]["calls"] for name in truth} == truth, f"{same}, not {truth}")
    check(all(row["value"] == 1 and row["low"] == 1 for row in same.values() if row["value"]), str(same))
    check(not compared(exact, exact), "a run and itself")
    sampled_too = compared("--by", "b.self", "--neutral", "-1", exact, DIRECTORY / "sampled-kinds-sampled.ascribe")["node"]
    check(sampled_too["low"] < sampled_too["value"] < sampled_too["high"] and sampled_too["b"]["calls"] is None, str(sampled_too))
    error = sampled_too["high"] - sampled_too["value"]
    check(abs(sampled_too["a"]["self"] - sampled_too["value"]) < 3 * error, f"far from its interval: {sampled_too}")
    early = compared("--metric", "live", f"{exact}@0-{part / 1e9:.9f}", exact)
    check(all(row["basis"] in ("named", "type", "unknown") for row in early.values()), str(early))
    other = compared(exact, record("kinds-none", PROGRAM, "reallocs").profile.path)
    check(other["node"]["b"] is None and other["node"]["stands_out"], str(other["node"]))
    for of in "kinds", "places":
        wrong = run([ASCRIBE, "diff", "--of", of, "--metric", "cpu", exact, exact])
        check(wrong.status == 1 and "the metrics allocated" in wrong.errors, wrong.errors)
    # Places that allocate are told by function and line.
    places = json.loads(must([ASCRIBE, "diff", "--of", "places", "--by", "b.self", "--neutral", "-1", "--json", "-n", "0",
                              "--metric", "live", exact, exact]).output)["places"]
    found = {(row["name"], row["line"]): (row["a"]["self"], row["b"]["self"], row["b"]["calls"]) for row in places}
    check(found == {(name, line): (live, live, calls) for name, line, live, calls in Profile(exact).rows(
        "select function_name, line, live_bytes, allocations from allocation_sites")}, str(found))


# ---- reports ----

FOR_WHOM = """#include <map>
#include <string>
#include <vector>
static std::vector<std::string> *kept;
__attribute__((noipa)) static char *made(size_t bytes) { char *block = new char[bytes]; return block; }
__attribute__((noipa)) static void texts() {
  kept = new std::vector<std::string>;
  for (int i = 0; i < 1000; i++) kept->push_back(std::string(100, 'x'));
}
__attribute__((noipa)) static char *wraps() { char *block = made(500); block[0] = 1; return block; }
int main(int count, char **words) {
  volatile unsigned spent = 0;
  for (int i = 0; i < count; i++) texts();
  for (int i = 0; i < 100; i++) wraps();
  for (unsigned i = 0; i < 100000000; i++) spent += i;
}
"""


def allocators_have_nothing_themselves():
    """Self figures of memory are those of where it was allocated, in every view."""
    source, path = DIRECTORY / "for_whom.cc", DIRECTORY / "for_whom.ascribe"
    source.write_text(FOR_WHOM)
    must(["g++", "-O1", "-g", "-fno-optimize-sibling-calls", source, "-o", DIRECTORY / "for_whom"])
    must([ASCRIBE, "record", "-q", "--heap", "-o", path, "--", DIRECTORY / "for_whom"])
    profile = Profile(path)
    sites = dict(profile.rows("select function_name, sum(live_bytes) from allocation_sites group by 1"))
    check(sites["made(unsigned long)"] == 50000 and sites["texts()"] > 100000, f"{sites}")
    found = dict(profile.rows("select name, self from metric_functions where metric = 'live' and self > 0"))
    check(found == {name: live for name, live in sites.items() if live}, f"{found}, but {sites}")
    for view in ("--flat", "--graph", "--lines", "--series"):
        text = must([ASCRIBE, "report", view, "--metric", "live", path]).output
        check("texts" in text and "operator new" not in text and "allocate(" not in text, text)
    for view in ("--flat", "--series", "--heap"):
        text = must([ASCRIBE, "report", view, "--metric", "live", "--wrappers", "made", path]).output
        check("wraps" in text and "made" not in text.split("symbols")[-1], text)
    twice = DIRECTORY / "for_whom_twice.ascribe"
    must([ASCRIBE, "record", "-q", "--heap", "-o", twice, "--", DIRECTORY / "for_whom", "twice"])
    rows = json.loads(must([ASCRIBE, "diff", "--json", "--metric", "live", path, twice]).output)["functions"]
    check([row["name"] for row in rows] == ["texts()"], f"{rows}")


def libraries_allocate_for_mine():
    """--mine: the innermost line of the program's own code."""
    source, path = DIRECTORY / "for_mine.c", DIRECTORY / "for_mine.ascribe"
    source.write_text("#include <stdio.h>\n#include <stdlib.h>\n#include <zlib.h>\n"
                      "int main(void) { gzFile f = gzopen(\"x.gz\", \"w\"); gzputs(f, \"x\"); return f == NULL; }\n")
    must(["gcc", "-O1", "-g", source, "-lz", "-o", DIRECTORY / "for_mine"])
    must([ASCRIBE, "record", "-q", "--heap", "-o", path, "--", DIRECTORY / "for_mine"], directory=DIRECTORY)
    text, mine = (must([ASCRIBE, "report", "--heap", *option, path]).output for option in ([], ["--mine"]))
    check(" in libz" in text and " in libz" not in mine and "for_mine.c:4" in mine, mine)


def reports_show_it():
    record("shown", PROGRAM, "plain")
    path = DIRECTORY / "shown.ascribe"
    report = must([ASCRIBE, "report", "--heap", "--leaks", "--peak", path]).output
    for words in ("Allocated memory, by where", "by size", "not freed at the end", "Memory at the peak", "make"):
        check(words in report, f"{words!r} is not in\n{report}")
    wrapped = must([ASCRIBE, "report", "--heap", "--wrappers", "make", path]).output
    check(" grow" in wrapped and " make" not in wrapped, wrapped)
    for metric in ("allocations", "allocated", "live", "peak", "temporary"):
        shown = must([ASCRIBE, "report", "--metric", metric, path]).output
        check("Flat profile, in" in shown and "make" in shown, shown)
    part = must([ASCRIBE, "report", "--heap", f"{DIRECTORY / 'storms.ascribe'}@0-0.01"]).output
    check(re.search(r"^interval +0 s to .*: ticks and allocations; calls are not known by time$", part, re.M), part)
    head = shown.split("\n\n")[0]
    check("other: " in head and "besides" not in head and len(head.split("\n")) < 12, head)
    beside = must([ASCRIBE, "report", "--metric", "live,peak", path]).output
    check("Flat profile of 2 metrics, self (counted)" in beside, beside)
    beside = must([ASCRIBE, "report", "--metric", "cpu,live", path]).output
    check(re.search(r"metrics, self \(cpu \+-: 95 % uncertainty; live counted\)$", beside, re.M), beside)
    calls = must([ASCRIBE, "report", "--calls", "make", "--metric", "allocated", path]).output
    check("no function that allocates: its own lines do (--source)" in calls, calls)
    for metric in "cpu", "allocated":  # as the names of other tools have them
        must([ASCRIBE, "export", "--metric", metric, "--to", "pprof", "-o", "memory.pb.gz", path], directory=DIRECTORY)
        must([ASCRIBE, "import", "-o", "memory.ascribe", "memory.pb.gz"], directory=DIRECTORY)
        there = dict(Profile(DIRECTORY / "memory.ascribe").rows("select name, sampled from metrics"))
        heap = Heap(Profile(path))
        check((there["alloc_space"], there["inuse_space"]) == (heap.allocated_bytes, heap.live_bytes), there)
    total = sum(amount for _, amount in stacks_of(path))
    check(total == Heap(Profile(path)).allocated_bytes, f"the stacks have {total} bytes")


def main():
    os.environ.pop("MALLOC_PERTURB_", None)  # which meson sets: it would fill blocks of 5 GB
    tests = [realloc_fails_and_frees, blocks_may_be_large, unknown_blocks_are_told,
             a_jump_out_loses_nothing_else, threads_free_each_others_blocks, the_last_thread_tells_at_once,
             destructors_of_threads_allocate,
             coroutines_allocate, children_have_their_own, exec_begins_anew, a_kill_loses_nothing,
             libraries_may_come_and_go, pauses_are_left_out, with_hooks_too, threads_are_their_makers, static_programs_are_told,
             names_have_room, long_names_end_with_a_character, linked_allocators_are_seen, own_allocators_are_seen,
             own_allocators_are_told, programs_that_allocate_nothing, samples_hold_the_truth, samples_cost_little,
             samples_balance_in_any_program, samples_of_a_steady_pool, samples_are_shown_as_such, kinds_are_told,
             kinds_are_compared,
             allocators_have_nothing_themselves, libraries_allocate_for_mine, reports_show_it]
    build()
    if shutil.which("valgrind"):
        tests += [stacks_agree_with_dhat, programs_agree_with_dhat]
    failed = 0
    for test in tests:
        try:
            test()
            print("ok", test.__name__)
        except harness.Failure as failure:
            failed += 1
            print("FAILED", test.__name__, failure)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
