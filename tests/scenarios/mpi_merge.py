#!/usr/bin/env python3
"""Under a real mpirun: each rank of a job saves its profile, and ascribe-mpi merge makes the same profile of
them, with any number of ranks, as ascribe merge does."""

import pathlib
import shutil
import sqlite3
import sys

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


def launcher():
    if not ASCRIBE_MPI.exists() or not shutil.which("mpirun"):
        harness.skip("ascribe-mpi is not built, or there is no mpirun")
    words = ["mpirun"]
    if "Open MPI" in must(["mpirun", "--version"]).output:
        # As root, more ranks than processors, and in containers that forbid to read another process's memory.
        words += ["--allow-run-as-root", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none"]
    if run([*words, "-n", "2", "true"], DIRECTORY).status != 0:
        harness.skip("mpirun starts nothing here")
    return words


MPIRUN = launcher()


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


if __name__ == "__main__":
    harness.main(each_rank_saves_its_own, any_number_of_ranks_gives_the_same, faults_are_named)
