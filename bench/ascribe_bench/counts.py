"""What counting costs: `ascribe cc` (counters alone, with sampling, for expressions), gprof (-pg), gcov
(--coverage) and clang's region counters, each beside the bare program of its own compiler.

As with samplers (sampling.py), each run stands between two bare ones and is divided by their mean."""
import os
import shlex
import shutil
import sqlite3
from collections import namedtuple

from ascribe_bench import measure
from ascribe_bench.programs import EXECUTABLES, REPEATS, TITLES, section_bytes, text_bytes
from ascribe_bench.variants import HERE, fixed_addresses, recording_directory

# rate: ticks a second of CPU time; 0: none; None: not recorded by Ascribe.
Way = namedtuple("Way", "title build bare rate")
WAYS = [Way("counts", "counts", "bare", 0), Way("counts, 250 Hz", "counts", "bare", 250),
        Way("expressions", "expressions", "bare", 0),
        Way("gprof", "gprof", "bare", None), Way("gcov", "gcov", "bare", None),
        Way("clang's regions", "regions", "clang", None)]
BARE = Way("bare", "bare", "bare", None)
GROWING = ["counts", "expressions", "gprof", "gcov"]

# ratios: the Median by way; growth: percent of text by build; runtime: bytes of its own code.
Counted = namedtuple("Counted", "title ratios growth runtime")
Exact = namedtuple("Exact", "threads expected counted")
Large = namedtuple("Large", "functions seconds cpu peak_bytes bytes")
LARGE_FILES, LARGE_FUNCTIONS = 50, 2000


def available():
    return [way for way in WAYS if way.bare == "bare" or shutil.which("clang")]


def under(builder, way, scratch, directory):
    """What to put before the command of the program."""
    command = [os.path.join(HERE, "cost-of"), os.path.join(scratch, "cost"),
               *fixed_addresses().split(), "env", "GCOV_PREFIX=" + os.path.join(scratch, "gcov"),
               "LLVM_PROFILE_FILE=" + os.path.join(scratch, "regions")]
    if way.rate is not None:
        command += ["ASCRIBE_OUT=" + directory, "ASCRIBE_RATE=%d" % way.rate]
    return shlex.join(command)


def once(builder, program, way, build):
    """Seconds of user and system time."""
    out = builder.program(program, build)
    scratch = os.path.join(builder.work, "counts")
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(os.path.join(scratch, "result"))
    directory = recording_directory(builder.work, "counts-" + program)
    variables = dict(os.environ, ASCRIBE_BENCH_WORK=builder.work, GMON_OUT_PREFIX="gmon",
                     BENCH_UNDER=under(builder, way, scratch, directory))
    measure.run([os.path.join(HERE, "programs", program, "run"), out,
                 os.path.join(scratch, "result")], variables)
    with open(os.path.join(scratch, "cost"), encoding="ascii") as file:
        return sum(float(field) for field in file.read().split())


def mean_run(builder, program, way, build):
    runs = [once(builder, program, way, build) for _ in range(REPEATS[program])]
    return sum(runs) / len(runs)


def measure_program(builder, program, rounds, say):
    """In every round all ways in turn, each between two runs of its own bare program."""
    ways = available()
    ratios = {way.title: [] for way in ways}
    for number in range(rounds):
        say("counting %s, round %d of %d" % (TITLES[program], number + 1, rounds))
        first, before, bare = number % len(ways), None, None
        for way in ways[first:] + ways[:first]:
            if way.bare != bare:
                bare, before = way.bare, mean_run(builder, program, BARE, way.bare)
            seconds = mean_run(builder, program, way, way.build)
            after = mean_run(builder, program, BARE, bare)
            ratios[way.title].append(2 * seconds / (before + after))
            before = after
    executables = {build: os.path.join(builder.program(program, build), EXECUTABLES[program])
                   for build in ["bare"] + GROWING}
    text = {build: text_bytes(executable) for build, executable in executables.items()}
    return Counted(TITLES[program],
                   {title: measure.Median(figures) for title, figures in ratios.items()},
                   {build: 100 * (text[build] / text["bare"] - 1) for build in GROWING},
                   section_bytes(executables["counts"], "ascribe_text"))


def value_of(profile, query):
    with sqlite3.connect(profile) as database:
        value, = database.execute(query).fetchone()
    return value


# ---- threads ----

def measure_threads(builder, threads, calls):
    """The calls of all threads, as the program knows them and as they were counted."""
    profile = os.path.join(builder.work, "threads.ascribe")
    text = measure.output_of([builder.ascribe, "record", "--quiet", "--rate", "0", "-o", profile,
                              "--", builder.micro("threads", "counts"), str(threads),
                              str(calls // threads)])
    return Exact(threads, int(text.split()[0]),
                 value_of(profile, "SELECT sum(calls + recursive_calls) FROM functions"
                               " WHERE name IN ('leaf', 'branch')"))


# ---- a large program ----

def large_source(number):
    """Functions that call the next one, and every tenth the first of the next file."""
    lines = ["int f%d_0(int);" % ((number + 1) % LARGE_FILES)]
    for i in reversed(range(LARGE_FUNCTIONS)):
        called = "f%d_%d(x + 1)" % (number, i + 1) if i + 1 < LARGE_FUNCTIONS and i % 10 != 9 else "x"
        linkage = "" if i == 0 else "static "
        other = " + (x < 0 ? f%d_0(x) : 0)" % ((number + 1) % LARGE_FILES) if i % 10 == 0 else ""
        lines.append("%s__attribute__((noinline)) int f%d_%d(int x) { return %s%s; }"
                     % (linkage, number, i, called, other))
    calls = " + ".join("f%d_%d(x)" % (number, i) for i in range(0, LARGE_FUNCTIONS, 10))
    lines.append("int all%d(int x) { return %s; }" % (number, calls))
    return "\n".join(lines) + "\n"


def large_program(builder):
    directory = os.path.join(builder.work, "counts-large")
    os.makedirs(directory, exist_ok=True)
    names = []
    for number in range(LARGE_FILES):
        names.append(os.path.join(directory, "part%d.c" % number))
        with open(names[-1], "w", encoding="ascii") as file:
            file.write(large_source(number))
    names.append(os.path.join(directory, "main.c"))
    with open(names[-1], "w", encoding="ascii") as file:
        file.write("".join("int all%d(int);\n" % i for i in range(LARGE_FILES)))
        file.write("int main(int count, char **words) { (void)words; return (%s) == 0; }\n"
                   % " + ".join("all%d(count)" % i for i in range(LARGE_FILES)))
    compiler, _ = builder.compiler("counts")
    script = " ".join(shlex.quote(name) for name in names)
    measure.run(["sh", "-c", "cd %s && printf '%%s\\n' %s | xargs -n 1 -P $(nproc) %s -O1 -g -c && %s -o"
                 " large *.o" % (shlex.quote(directory), script, shlex.join(compiler),
                                 shlex.join(compiler))])
    return os.path.join(directory, "large")


def measure_large(builder, say):
    """Recording it and making its profile; the program itself runs for milliseconds."""
    say("a program of %d functions" % (LARGE_FILES * LARGE_FUNCTIONS))
    program = large_program(builder)
    profile = os.path.join(builder.work, "large.ascribe")
    cost = measure.run([builder.ascribe, "record", "--quiet", "--rate", "0", "-o", profile, "--",
                        program])
    return Large(value_of(profile, "SELECT count(*) FROM functions WHERE calls > 0"), cost.wall,
                 measure.cpu(cost), cost.peak_bytes, os.path.getsize(profile))
