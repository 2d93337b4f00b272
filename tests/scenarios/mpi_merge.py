#!/usr/bin/env python3
"""Under a real mpirun: each rank of a job saves its profile, and ascribe-mpi merge makes the same profile of
them, with any number of ranks, as ascribe merge does. Ranks that are killed: ASCRIBE_KILLS times, or once."""

import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("mpi_merge")
ASCRIBE_MPI = pathlib.Path(ASCRIBE).with_name("ascribe-mpi")
FILES = [f"job.{rank}.ascribe" for rank in range(5)]
SOURCE = """
#include <stdlib.h>
static volatile int sink;
__attribute__((noinline)) void step(void) { sink++; }
__attribute__((noinline)) void other(void) { step(); }
int main(void) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = getenv("PMI_RANK");
  for (int i = rank ? atoi(rank) : 0; i >= 0; i--) i % 2 ? other() : step();
  return 0;
}
"""


if not ASCRIBE_MPI.exists():
    harness.skip("ascribe-mpi is not built")
MPIRUN = harness.mpirun()


def merged(name, *files, ranks=None, status=0):
    program = [*MPIRUN, "-n", str(ranks), ASCRIBE_MPI] if ranks else [ASCRIBE]
    (DIRECTORY / name).unlink(missing_ok=True)
    result = run([*program, "merge", "-q", "-o", name, *files], DIRECTORY)
    check(result.status == status, f"{name}: {result.ending}: {result.errors}")
    return result.errors


def contents(name):
    return sorted(sqlite3.connect(DIRECTORY / name).iterdump())


def each_rank_saves_its_own():
    source = DIRECTORY / "steps.c"
    source.write_text(SOURCE)
    harness.compile_program(source, DIRECTORY / "steps", ["-O1"])
    result = run([*MPIRUN, "-n", "5", ASCRIBE, "record", "-r", "0", "-o", "job.ascribe", "--", "./steps"], DIRECTORY)
    check(result.status == 0 and result.errors.count("saved ") == 1, result.errors)
    check(sorted(path.name for path in DIRECTORY.glob("job*")) == FILES, "not one for each rank")
    for rank, name in enumerate(FILES):
        profile = Profile(DIRECTORY / name)
        check(profile.rows("select rank, ranks from runs") == [(rank, 5)], f"{name}: ranks")
        check(profile.calls("step") == rank + 1, f"{name} is of another rank")


def any_number_of_ranks_gives_the_same():
    merged("whole.ascribe", *FILES)
    whole = contents("whole.ascribe")
    for ranks in (1, 2, 3, 4):
        merged(f"by{ranks}.ascribe", *FILES, ranks=ranks)
        check(contents(f"by{ranks}.ascribe") == whole, f"{ranks} ranks give another profile")
    merged("few.ascribe", *FILES[:2])
    merged("by_many.ascribe", *FILES[:2], ranks=4)
    check(contents("by_many.ascribe") == contents("few.ascribe"), "ranks without a file")


def faults_are_named():
    other = DIRECTORY / "other.c"
    other.write_text(SOURCE)
    harness.compile_program(other, DIRECTORY / "other", ["-O1"])
    must([ASCRIBE, "record", "-q", "-r", "0", "-o", "stranger.ascribe", "--", "./other"], directory=DIRECTORY)
    (DIRECTORY / "damaged.ascribe").write_bytes((DIRECTORY / FILES[0]).read_bytes()[:9000])
    files = [FILES[0], "damaged.ascribe", FILES[1]]
    said = merged("rest.ascribe", *files, ranks=3, status=1)
    check("damaged.ascribe" in said and "it is left out" in said, said)
    merged("expected.ascribe", *files, status=1)
    check(contents("rest.ascribe") == contents("expected.ascribe"), "the others are not all")
    said = merged("none.ascribe", *FILES, "stranger.ascribe", ranks=3, status=1)
    check("stranger.ascribe is a profile of other" in said, said)
    check(not (DIRECTORY / "none.ascribe").exists(), "a profile was saved")
    merged("none.ascribe", ranks=2, status=2)


SPIN = """
static volatile int sink;
__attribute__((noinline)) void step(void) { for (int i = 0; i < 1000; i++) sink++; }
int main(void) { for (int i = 0; i < 200000; i++) step(); return 0; }
"""
RANKS = 4


def processes_of(program, under):
    """Those of the program that descend from `under`, with their parents, which record them."""
    parents = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
            parents[int(status.parent.name)] = int(fields[1]), os.readlink(status.parent / "exe")
        except OSError:
            continue
    found = []
    for process, (parent, executable) in parents.items():
        above = parent
        while above in parents and above != under:
            above = parents[above][0]
        if above == under and executable == str(program):
            found.append((process, parent))
    return found


def kill_one(job, program, chance):
    """The program of a rank, or what records it, at any time; whether there was one."""
    deadline = time.monotonic() + 60
    while len(processes_of(program, job.pid)) < RANKS and time.monotonic() < deadline and job.poll() is None:
        time.sleep(0.01)
    time.sleep(chance.uniform(0, 0.5))
    left = processes_of(program, job.pid)
    if not left:
        return False
    try:
        os.kill(chance.choice(chance.choice(left)), signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def what_killed_ranks_leave_is_whole():
    source, program = DIRECTORY / "spin.c", DIRECTORY / "spin"
    source.write_text(SPIN)
    harness.compile_program(source, program, ["-O1"])
    chance, left, killed = random.Random(5), 0, 0
    for _ in range(int(os.environ.get("ASCRIBE_KILLS", "1"))):
        for old in DIRECTORY.glob("spin.*.ascribe"):
            old.unlink()
        with subprocess.Popen([*MPIRUN, "-n", str(RANKS), ASCRIBE, "record", "-r", "0", "-o", "spin.ascribe", "--",
                               program], cwd=DIRECTORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
            killed += kill_one(job, program, chance)
        files = sorted(DIRECTORY.glob("spin.*.ascribe"))
        for file in files:
            calls = Profile(file).rows("select calls from functions where name = 'step'")
            check(not calls or 0 <= calls[0][0] <= 200000, f"{file.name}: {calls}")
        left += len(files)
        if len(files) < 2:
            continue
        merged("spins.ascribe", *[file.name for file in files])
        report = must([ASCRIBE, "report", "--ranks", DIRECTORY / "spins.ascribe"]).output
        check(len(files) == RANKS or "not here: rank " in report, report)
    print(f"{killed} processes killed; {left} profiles, all whole")


if __name__ == "__main__":
    harness.main(each_rank_saves_its_own, any_number_of_ranks_gives_the_same, faults_are_named,
                 what_killed_ranks_leave_is_whole)
