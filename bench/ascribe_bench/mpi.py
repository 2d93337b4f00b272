"""Parallel jobs: what a recorded call of MPI costs (bench/mpi/calls.c), and merging many profiles."""
import os
import shutil
import subprocess
from collections import namedtuple

from ascribe_bench import measure

HERE = os.path.dirname(os.path.abspath(__file__))
PROFILES = 100
RANKS = 2
LEVELS, WIDTH = 5, 8
PATHS = 15320  # of 8 ** 5: some 20,000 contexts with what leads to them


def program_source():
    """Calls down five levels of eight functions, each run by other paths, so that the profiles differ."""
    def branch(level):
        cases = ("case %d: f%d_%d(way >> 3); break;" % (number, level, number) for number in range(WIDTH))
        return "switch (way & 7) { %s }" % " ".join(cases)
    functions = ["__attribute__((noinline)) static void f%d_%d(unsigned way) { sink += way; %s sink++; }" %
                 (level, number, branch(level + 1) if level + 1 < LEVELS else "")
                 for level in reversed(range(LEVELS)) for number in range(WIDTH)]
    return "\n".join([
        "#include <stdlib.h>", "static volatile unsigned sink;", *functions,
        "int main(int count, char **arguments) {",
        "  unsigned seed = count > 1 ? atoi(arguments[1]) : 1;",
        "  for (unsigned i = 0; i < %d; i++) {" % PATHS,
        "    unsigned way = (seed * 7919u + i * 40503u) & 32767;",
        "    " + branch(0), "  }", "  return 0;", "}", ""])


Call = namedtuple("Call", "names calls bare_ns added_ns")
Merge = namedtuple("Merge", "way seconds cpu_seconds peak_bytes")


def launcher():
    words = ["mpirun"]
    if "Open MPI" in measure.output_of(["mpirun", "--version"]):
        words += ["--allow-run-as-root", "--oversubscribe"]
    return words


def missing():
    return not (shutil.which("mpirun") and shutil.which("mpicc"))


def once(command):
    lines = [line.split() for line in measure.output_of(command).splitlines() if line.startswith("MPI_")]
    return {names: (int(calls), float(ns)) for names, calls, ns in lines}


def call_costs(builder, rounds, say):
    """Plain and recorded runs in turn; the median of the differences, for one call."""
    program = os.path.join(builder.work, "mpi-calls")
    subprocess.run(["mpicc", "-O2", os.path.join(HERE, "..", "mpi", "calls.c"), "-o", program], check=True)
    plain, recorded = [], []
    for number in range(rounds):
        say("calls of MPI, round %d of %d" % (number + 1, rounds))
        plain.append(once([*launcher(), "-n", "1", program]))
        recorded.append(once([*launcher(), "-n", "1", builder.ascribe, "record", "-q", "-r", "0", "-o",
                              os.path.join(builder.work, "mpi.ascribe"), "--", program]))
    found = []
    for names, (calls, _) in plain[0].items():
        bare = [run[names][1] / calls for run in plain]
        added = [(mine[names][1] - other[names][1]) / calls for mine, other in zip(recorded, plain)]
        found.append(Call(names, calls, measure.Median(bare), measure.Median(added)))
    return found


def merges(builder, say):
    """As one process and by two ranks: wall time, CPU time of all, and the most memory of a process."""
    source = os.path.join(builder.work, "ways.c")
    with open(source, "w", encoding="ascii") as file:
        file.write(program_source())
    program, files = os.path.join(builder.work, "ways"), []
    subprocess.run([builder.ascribe, "cc", "--contexts", "-O1", source, "-o", program], check=True)
    for number in range(PROFILES):
        files.append(os.path.join(builder.work, "ways.%d.ascribe" % number))
        measure.run([builder.ascribe, "record", "-q", "-r", "0", "-o", files[-1], "--", program, str(number + 1)])
    output = ["merge", "-q", "-o", os.path.join(builder.work, "ways.ascribe")]
    found = []
    for way, words in (("ascribe merge", [builder.ascribe]),
                       ("mpirun -n %d ascribe-mpi merge" % RANKS, [*launcher(), "-n", str(RANKS), builder.ascribe + "-mpi"])):
        if not os.access(words[-1], os.X_OK):
            continue
        say(way)
        cost = measure.run([*words, *output, *files])
        found.append(Merge(way, cost.wall, measure.cpu(cost), cost.peak_bytes))
    return found, sum(os.path.getsize(file) for file in files) / len(files)
