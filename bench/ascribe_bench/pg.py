"""Programs compiled with -pg: their calls counted by glibc's own mcount and by Ascribe, and their
gmon.out read by GNU gprof and by `ascribe gprof`."""
import os
import shlex
import shutil
import struct
from collections import namedtuple

from ascribe_bench import measure, recording
from ascribe_bench.programs import REPEATS, TITLES
from ascribe_bench.variants import HERE, fixed_addresses, recording_directory

# How a program is built, and whether Ascribe is loaded into it.
Way = namedtuple("Way", "name build records")
WAYS = [Way("bare", "bare", False), Way("glibc", "gprof", False), Way("ascribe", "gprof", True)]

# Spreads of ratios to the bare program, nanoseconds a call over it, millions of calls.
Counted = namedtuple("Counted", "title glibc ascribe glibc_ns ascribe_ns calls")

# Seconds of CPU time (gprof: of one run; None: longer than GPROF_SECONDS), bytes of the files.
Read = namedtuple("Read", "gprof ascribe executable_bytes gmon_bytes functions arcs")

GPROF_SECONDS = 120
FUNCTIONS, FUNCTION_BYTES, ARCS, BIN_BYTES = 200_000, 448, 250_000, 32


def once(builder, program, way):
    """Seconds of one run; calls that were counted, or None."""
    out = builder.program(program, way.build)
    result = os.path.join(builder.work, "pg", program)
    shutil.rmtree(result, ignore_errors=True)
    os.makedirs(result)
    directory = recording_directory(builder.work, "pg-" + program)
    cost = os.path.join(builder.work, "pg", "cost")
    if os.path.exists(cost):
        os.unlink(cost)
    under = [os.path.join(HERE, "cost-of"), cost, *fixed_addresses().split()]
    if way.records:
        library = os.path.join(os.path.dirname(builder.ascribe), "..", "runtime", "libascribe.so")
        under += ["env", "LD_PRELOAD=" + os.path.abspath(library), "ASCRIBE_OUT=" + directory]
    variables = dict(os.environ, ASCRIBE_BENCH_WORK=builder.work, GMON_OUT_PREFIX="gmon",
                     BENCH_UNDER=shlex.join(under))
    measure.run([os.path.join(HERE, "programs", program, "run"), out, result], variables)
    with open(cost, encoding="ascii") as file:
        seconds = sum(float(field) for field in file.read().split())
    return seconds, recording.read_directory(directory).calls if way.records else None


def measure_program(builder, program, rounds, say):
    seconds, calls = {way.name: [] for way in WAYS}, 0
    for number in range(rounds):
        say("-pg, %s, round %d of %d" % (TITLES[program], number + 1, rounds))
        for way in WAYS[number % 3:] + WAYS[:number % 3]:
            runs = [once(builder, program, way) for _ in range(REPEATS[program])]
            seconds[way.name].append(sum(run[0] for run in runs) / len(runs))
            calls = runs[-1][1] or calls
    bare = measure.Spread(seconds["bare"]).median

    def nanoseconds(name):
        return 1e9 * (measure.Spread(seconds[name]).median - bare) / calls

    return Counted(TITLES[program], measure.ratios(seconds["glibc"], seconds["bare"]),
                   measure.ratios(seconds["ascribe"], seconds["bare"]), nanoseconds("glibc"),
                   nanoseconds("ascribe"), calls / 1e6)


def large_program(directory):
    """An executable of about 100 MB with many functions; the address of its first."""
    source = os.path.join(directory, "large.s")
    with open(source, "w") as file:
        file.write(".text\n.globl main\nmain: xor %eax, %eax\n ret\n")
        for i in range(FUNCTIONS):
            name = "a_function_with_a_name_of_a_usual_length_%d" % i
            file.write(".globl %s\n.type %s, @function\n.p2align 4\n%s: .fill %d, 1, 0x90\n ret\n"
                       ".size %s, .-%s\n" % (name, name, name, FUNCTION_BYTES - 16, name, name))
    program = os.path.join(directory, "large")
    measure.run(["gcc", "-no-pie", "-o", program, source])
    listing = measure.output_of(["nm", "-n", program]).splitlines()
    first = next(line for line in listing if line.endswith("_length_0"))
    return program, int(first.split()[0], 16)


def large_gmon(path, first):
    """A gmon.out of about 10 MB: time everywhere, each function called from another."""
    bins = FUNCTIONS * FUNCTION_BYTES // BIN_BYTES
    with open(path, "wb") as file:
        file.write(b"gmon" + struct.pack("<I12x", 1))
        file.write(b"\0" + struct.pack("<QQII15sc", first, first + bins * BIN_BYTES, bins, 100,
                                       b"seconds", b"s"))
        file.write(struct.pack("<%dH" % bins, *(i % 7 for i in range(bins))))
        for i in range(ARCS):
            caller, callee = i % FUNCTIONS // 2, i * 7 % FUNCTIONS
            file.write(b"\1" + struct.pack("<QQI", first + caller * FUNCTION_BYTES + 5 + i // FUNCTIONS,
                                           first + callee * FUNCTION_BYTES + 4, i % 1000 + 1))


def measure_reading(builder, rounds, say):
    directory = os.path.join(builder.work, "pg", "large")
    os.makedirs(directory, exist_ok=True)
    say("-pg, a large gmon.out")
    program, first = large_program(directory)
    gmon = os.path.join(directory, "gmon.out")
    large_gmon(gmon, first)
    seconds = [measure.cpu(measure.run([builder.ascribe, "gprof", "-b", "-p", program, gmon]))
               for _ in range(rounds)]
    return Read(gprof_seconds(program, gmon), measure.Spread(seconds), os.path.getsize(program),
                os.path.getsize(gmon), FUNCTIONS, ARCS)


def gprof_seconds(program, gmon):
    limit = "ulimit -t %d; exec gprof -b -p \"$@\"" % GPROF_SECONDS
    try:
        return measure.cpu(measure.run(["sh", "-c", limit, "gprof", program, gmon]))
    except measure.Failed:
        return None
