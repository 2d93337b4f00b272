#!/usr/bin/env python3
"""record --heap where it is hard: no room, handlers that jump, threads, forks, kills, other allocators.  The program
does what it did, and the books balance."""

import ctypes.util
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run
from heap_books import Heap

HERE = pathlib.Path(__file__).resolve().parent
DIRECTORY = harness.scratch("heap_hostile")
PROGRAM = DIRECTORY / "allocates_hostile"
CONTEXTS = DIRECTORY / "with_contexts"
STATUS = 5
bare_output = {}


def build():
    flags = ["-g", "-O1", "-fno-builtin", "-pthread", HERE / "allocates_hostile.c", "-o"]
    must(["gcc", *flags, PROGRAM])
    if not harness.WITHOUT_PLUGIN:
        must([ASCRIBE, "cc", "--contexts", *flags, CONTEXTS])


def bare(mode, environment=None):
    key = mode, str(environment)
    if key not in bare_output:
        result = run([PROGRAM, mode], DIRECTORY, environment, timeout=60)
        check(result.status == STATUS, f"{mode}: bare {result.ending}")
        bare_output[key] = result.output
    return bare_output[key]


def record(mode, options=("--heap",), program=PROGRAM, environment=None, **others):
    """What it writes and how it ends is the same as without."""
    path = DIRECTORY / f"{mode}-{threading.get_native_id()}.ascribe"
    path.unlink(missing_ok=True)
    result = run([ASCRIBE, "record", *options, "-o", path, "--", program, mode], DIRECTORY, environment, timeout=120,
                 **others)
    check(result.status == STATUS, f"{mode}: {result.ending}\n{result.errors}")
    check(result.output == bare(mode, environment), f"{mode}: writes {result.output!r}, not {bare(mode, environment)!r}")
    heap = Heap(Profile(path))
    heap.errors = result.errors
    return heap


def both_ways(mode, **others):
    """All allocations, which are returned, and samples."""
    record(mode, ["--heap=1k"], **others)
    return record(mode, **others)


def nothing_is_lost(heap):
    check((heap.dropped, heap.without_stack, heap.unknown_frees) == (0, 0, 0),
          f"{heap.dropped} dropped, {heap.without_stack} without a stack, {heap.unknown_frees} frees not known")


# ---- no room ----

def many_stacks():
    heap = both_ways("stacks")
    nothing_is_lost(heap)
    check(heap.site("make") == (200000, 4800000, 1200000), f"{heap.site('make')}")


def small_recordings():
    """What has no room for its stack, or none at all, is said to have none.  Its figures are there."""
    path = DIRECTORY / "small.ascribe"
    for kilobytes in 1024, 2048, 4096:
        for option in "--heap", "--heap=1k":
            command = f"ulimit -f {2 * kilobytes}; exec {PROGRAM} stacks"
            result = run([ASCRIBE, "record", option, "-o", path, "--", "sh", "-c", command], DIRECTORY)
            check(result.status == STATUS and result.output == "stacks\n", f"{result.ending}\n{result.errors}")
            heap = Heap(Profile(path))
            check(heap.dropped == 0, f"{heap.dropped} dropped")
            if option == "--heap":
                check("had no room for their stack" in result.errors, result.errors)
                check(heap.without_stack > 1000 and 0 <= heap.allocations - 200001 < 200, f"{heap.allocations}")
            path.unlink()


def full_disk():
    mount = DIRECTORY / "full"
    mount.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", mount]
    if os.getuid() != 0 or subprocess.run(made, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("        (full disk: mounting is not permitted here)")
        return
    try:
        for used in 0, 1700:
            (mount / "filler").write_bytes(bytes(used << 10))
            heap = record("stacks", environment={"ASCRIBE_TMPDIR": mount})
            check(heap.without_stack > 1000, f"{used} kB used: all had room")
            check(heap.allocations == 200001 and heap.dropped == 0, f"{heap.allocations}, {heap.dropped} dropped")
            check("ASCRIBE_TMPDIR" in heap.errors, heap.errors)
    finally:
        subprocess.run(["umount", mount], check=True)


def no_address_space():
    both_ways("exhausts")


def huge_blocks():
    heap = both_ways("huge_blocks")
    nothing_is_lost(heap)
    check(heap.site("make")[0] == 6000 and heap.site("make")[2] == 0, f"{heap.site('make')}")


NARROW = """
#include <stddef.h>
#include <string.h>
#define UNITS (1u << 23)
static char memory[UNITS * 16ul] __attribute__((aligned(32)));
static unsigned used;
void *malloc(size_t n) {
  unsigned units = n ? (n + 15) / 16 : 1, at = __atomic_fetch_add(&used, units, __ATOMIC_RELAXED);
  return at + units <= UNITS ? memory + at * 16ul : NULL;
}
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) { void *q = malloc(n); return p ? memcpy(q, p, n) : q; }
void free(void *p) { (void)p; }
"""


def narrow_blocks():
    """Two in 32 bytes, of two threads at once; and more than the table beside the shadow holds."""
    (DIRECTORY / "narrow.c").write_text(NARROW)
    program = DIRECTORY / "narrow"
    must([ASCRIBE, "cc", "--heap", "-O1", "-g", "-w", "-fno-builtin", "-pthread", "narrow.c", HERE / "allocates_hostile.c",
          "-o", program], directory=DIRECTORY)
    heap = both_ways("tinies", program=program)
    nothing_is_lost(heap)
    check(heap.site("make")[0] == 400000 and heap.site("make")[2] == 0, f"{heap.site('make')}")
    heap = both_ways("many_tinies", program=program)
    check(heap.site("make")[0] + heap.dropped == 600000 and heap.site("make")[2] == 0, f"{heap.site('make')}")
    check(heap.unknown_frees == heap.dropped, f"{heap.unknown_frees} frees not known, {heap.dropped} dropped")


# ---- threads, ticks and handlers ----

def threads_come_and_go():
    heap = both_ways("relay")
    nothing_is_lost(heap)
    check(heap.site("make")[0] == 32 * 8 * 2000 and heap.site("make")[2] == 0, f"{heap.site('make')}")


def many_ticks():
    """They interrupt walks of allocations' stacks all the time."""
    for program in [PROGRAM] if harness.WITHOUT_PLUGIN else [PROGRAM, CONTEXTS]:
        heap = record("relay", ["--heap", "--rate", "10000"], program)
        nothing_is_lost(heap)
        check(heap.site("make")[0] == 32 * 8 * 2000 and heap.site("make")[2] == 0, f"{heap.site('make')}")
        nothing_is_lost(record("stacks", ["--heap", "--rate", "10000"], program))


def handlers_allocate():
    """3000 times each: what comes while an allocation is recorded is dropped."""
    heap = both_ways("handlers")
    check(heap.early_frees == heap.dropped and heap.unknown_frees == 0, f"{heap.early_frees} of {heap.dropped}")
    check(heap.site("make")[2] == 0, f"{heap.site('make')}")


def handlers_jump():
    """6000 times, on both stacks."""
    heap = both_ways("jumps")
    check(heap.site("make")[0] >= 2000 and heap.dropped < 100, f"{heap.site('make')}, {heap.dropped} dropped")
    check(heap.site("make")[2] >= 2000 * 48, f"{heap.site('make')}")


def handlers_fork():
    """The child goes on in the allocation that the handler interrupted, which is in the parent's figures only.  For three
    instructions of each it would be in them twice, and so once in some thousand forks: then again."""
    for options in ["--heap"], ["--heap=1k"]:
        for last in False, False, True:
            try:
                heap = record("handlers_fork", options)
                check(heap.site("make")[2] == 0, f"{heap.site('make')}")
                nothing_is_lost(heap)
                break
            except harness.Failure:
                if last:
                    raise


# ---- calls ----

def odd_calls():
    heap = record("odd_calls")
    nothing_is_lost(heap)  # stdio's buffer is live
    check(heap.site("odd_calls")[2] == 4096 and heap.frees > 50, f"{heap.site('odd_calls')}")
    record("odd_calls", ["--heap=1k"])


def pauses():
    """What was allocated in a pause is freed after it."""
    (DIRECTORY / "pauses.c").write_text(PAUSES)
    must(["gcc", "-g", "-O1", "-fno-builtin", "pauses.c", "-o", "pauses"], directory=DIRECTORY)
    path = DIRECTORY / "pauses.ascribe"
    errors = must([ASCRIBE, "record", "--heap", "--delay", "0.05", "-o", path, "--", DIRECTORY / "pauses"]).errors
    heap = Heap(Profile(path))
    check(heap.early_frees >= 1000 and heap.dropped == heap.unknown_frees == 0, f"{heap.early_frees} early")
    check(heap.site("main") == (100, 3000, 3000), f"{heap.site('main')}")
    check("no allocation was seen" not in errors, errors)


PAUSES = """
#include <stdlib.h>
#include <time.h>
static void *blocks[1000];
int main(void) {
  for (int i = 0; i < 1000; i++) blocks[i] = malloc(100 + i);
  for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;) ;
  for (int i = 0; i < 1000; i++) free(blocks[i]);
  for (int i = 0; i < 100; i++) blocks[i] = malloc(30);
  return 0;
}
"""


def after_main():
    nothing_is_lost(heap := record("late"))
    check(heap.site("make") == (3, 501 + 502 + 503, 502), f"{heap.site('make')}")


def other_allocators():
    """Those that are installed."""
    for name in "jemalloc", "tcmalloc_minimal", "mimalloc":
        library = ctypes.util.find_library(name)
        for mode in ("tinies", "relay", "odd_calls", "late") if library else ():
            heap = record(mode, environment={"LD_PRELOAD": library})
            check(mode == "odd_calls" or heap.dropped == heap.unknown_frees == 0, f"{name}: {mode} drops")
            check(heap.site("make")[2] in (0, 502), f"{name}: {mode}: {heap.site('make')}")


# ---- processes ----

def forks_in_a_storm():
    for options in ["--heap"], ["--heap=1k"]:
        heap = record("forks", options)
        check(heap.dropped == heap.unknown_frees == 0, f"{heap.dropped} dropped, {heap.unknown_frees} frees not known")


def forbidden_system_calls():
    for mode in "refuses_mmap", "kills_for_mmap":
        heap = both_ways(mode)
        check(heap.allocations + heap.dropped >= 20001 and heap.unknown_frees == 0, f"{heap.allocations}")


def runs_program(pid):
    """Whether the process is the program by now; false, too, if it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == PROGRAM.name[:15]
    except (FileNotFoundError, ProcessLookupError):
        return False


def killed(mode, number, options):
    path = DIRECTORY / f"killed-{mode}-{number}.ascribe"
    with subprocess.Popen([ASCRIBE, "record", *options, "-o", path, "--", PROGRAM, mode], cwd=DIRECTORY,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as recorder:
        children = pathlib.Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children")
        for _ in range(5000):
            program = next((int(pid) for pid in children.read_text().split() if runs_program(pid)), None)
            if program:
                break
            time.sleep(0.001)
        check(program, "the program did not start")
        time.sleep(0.05 + random.random() * 0.3)
        os.kill(program, signal.SIGKILL)
        check(recorder.wait(60) == -signal.SIGKILL, "not killed")
    heap = Heap(Profile(path))
    check(heap.unknown_frees == heap.dropped == 0, f"{heap.unknown_frees} frees not known, {heap.dropped} dropped")
    heap.profile.connection.close()
    path.unlink()
    return heap.allocations


def kills_lose_nothing():
    allocations = [killed(mode, number, options) for number in range(3) for options in (["--heap"], ["--heap=1k"])
                   for mode in ("unending", "alone")]
    check(sum(count > 0 for count in allocations) >= 6, f"{allocations}")


def main():
    os.environ.pop("MALLOC_PERTURB_", None)
    build()
    failed = 0
    for test in [many_stacks, small_recordings, full_disk, no_address_space, huge_blocks, narrow_blocks,
                 threads_come_and_go, many_ticks, handlers_allocate, handlers_jump, handlers_fork, odd_calls, pauses, after_main,
                 other_allocators, forks_in_a_storm, forbidden_system_calls, kills_lose_nothing]:
        start = time.monotonic()
        try:
            test()
            print(f"ok {test.__name__} ({time.monotonic() - start:.1f} s)")
        except harness.Failure as failure:
            failed += 1
            print("FAILED", test.__name__, failure)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
