"""The four programs in all variants: times, and what the recordings hold."""
import filecmp
import os
import re
import shutil

from ascribe_bench import gmon, measure, recording
from ascribe_bench.variants import (HERE, VARIANTS, environment, fixed_addresses,
                                    recording_directory)

PROGRAMS = ["tex", "tcc", "lua", "sqlite"]
TITLES = {"tex": "TeX", "tcc": "tcc", "lua": "Lua", "sqlite": "SQLite"}
EXECUTABLES = {"tex": "tex", "tcc": "tcc", "lua": "lua", "sqlite": "sqlite3"}
# Runs of one round: rounds of all programs then take about as long.
REPEATS = {"tex": 1, "tcc": 5, "lua": 1, "sqlite": 1}
# Not results of the program: what gprof leaves, and TeX's logs, which begin with the date.
NOT_RESULTS = re.compile(r"gmon\..*|.*\.log$")


class Program:
    """One program: user+system seconds by variant and round, and statistics."""

    def __init__(self, name):
        self.name = name
        self.title = TITLES[name]
        self.times = {variant.name: [] for variant in VARIANTS}
        self.calls = set()      # of every recorded run: one value if counts are exact
        self.recorded = None    # recording.Statistics of the last run
        self.recording_bytes = 0
        self.gmon_bytes = 0
        self.charged = []       # seconds that Ascribe charges to the program, by run
        self.gmon_charged = []  # the same for gprof
        self.text = {}          # bytes of .text by build

    def nanoseconds_per_call(self, variant):
        """Cost of one call over the bare program, from the medians."""
        extra = measure.Spread(self.times[variant]).median - \
            measure.Spread(self.times["bare"]).median
        return 1e9 * extra / self.recorded.calls

    def ratio(self, variant):
        return measure.ratios(self.times[variant], self.times["bare"])


class Runner:
    """Runs variants of programs and checks that they print what the bare one prints."""

    def __init__(self, builder):
        self.builder = builder
        self.results = os.path.join(builder.work, "results")
        self.under = fixed_addresses()

    def once(self, program, variant, shared=False):
        """One run; returns (cost, directory of its results, directory of its recording)."""
        out = self.builder.program(program, variant.build, shared)
        result = os.path.join(self.results, program, variant.name.replace(" ", "-"))
        shutil.rmtree(result, ignore_errors=True)
        os.makedirs(result)
        recorded = recording_directory(self.builder.work, program)
        variables = environment(variant, self.builder.work, recorded)
        variables["BENCH_UNDER"] = self.under
        script = os.path.join(HERE, "programs", program, "run")
        return measure.run([script, out, result], variables), result, recorded

    def check(self, program, variant):
        bare = os.path.join(self.results, program, "bare")
        mine = os.path.join(self.results, program, variant.name.replace(" ", "-"))
        for name in sorted(set(os.listdir(bare)) | set(os.listdir(mine))):
            if NOT_RESULTS.match(name):
                continue
            if not filecmp.cmp(os.path.join(bare, name), os.path.join(mine, name), shallow=False):
                raise measure.Failed("%s, %s: %s is not what the bare program writes"
                                     % (program, variant.name, name))


def section_bytes(executable, section):
    for line in measure.output_of(["size", "-A", executable]).splitlines():
        fields = line.split()
        if fields and fields[0] == section:
            return int(fields[1])
    raise measure.Failed("%s: no %s" % (executable, section))


def text_bytes(executable):
    return section_bytes(executable, ".text")


def keep_statistics(program, variant, result, recorded):
    if variant.name == "ascribe":  # contexts are what the sizes are about
        program.recorded = recording.read_directory(recorded)
        program.calls.add(program.recorded.calls)
        program.charged.append(program.recorded.charged_ns / 1e9)
        program.recording_bytes = recording.disk_bytes(recorded)
    if variant.name == "gprof":
        files = [os.path.join(result, name) for name in os.listdir(result)
                 if name.startswith("gmon.")]
        program.gmon_bytes = sum(os.path.getsize(file) for file in files)
        program.gmon_charged.append(sum(gmon.charged_seconds(file) for file in files))


def run_round(runner, program, order, number):
    """Every variant once, in an order that moves on with the round."""
    for variant in order[number % len(order):] + order[:number % len(order)]:
        seconds = 0
        for _ in range(REPEATS[program.name]):
            cost, result, recorded = runner.once(program.name, variant)
            seconds += measure.cpu(cost)
            keep_statistics(program, variant, result, recorded)
        program.times[variant.name].append(seconds / REPEATS[program.name])


def measure_program(builder, name, rounds, say):
    program, runner = Program(name), Runner(builder)
    for build in ("bare", "gprof", "dummy", "counts", "ascribe"):
        say("building %s, %s" % (program.title, build))
        executable = os.path.join(builder.program(name, build), EXECUTABLES[name])
        program.text[build] = text_bytes(executable)
    for variant in VARIANTS:
        runner.once(name, variant)
        runner.check(name, variant)
    for number in range(rounds):
        say("running %s, round %d of %d" % (program.title, number + 1, rounds))
        run_round(runner, program, VARIANTS, number)
    return program
