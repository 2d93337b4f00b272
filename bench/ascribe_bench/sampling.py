"""What samplers cost on programs that were not built for them: Ascribe's beside perf's (frame pointer
chains, so without the callers of most functions) and gperftools'."""
import os
import shlex
import shutil
import subprocess
from collections import namedtuple

from ascribe_bench import measure, recording
from ascribe_bench.programs import EXECUTABLES, REPEATS, TITLES
from ascribe_bench.variants import HERE, fixed_addresses, recording_directory

RATES = (250, 1000)
GPERFTOOLS = "/usr/lib/x86_64-linux-gnu/libprofiler.so.0"

# seconds: of the program; ticks: delivered, of the last run; handler_ns: of one tick, where known.
Run = namedtuple("Run", "seconds ticks handler_ns")
# What one sampler did to one program: Spreads of ratio and of seconds, ticks per CPU second.
Sampled = namedtuple("Sampled", "title sampler ratio rate handler_ns")


class Sampler:
    """Runs a bare program in one of the ways."""

    def __init__(self, builder, name, rate):
        self.builder, self.name, self.rate = builder, name, rate
        self.scratch = os.path.join(builder.work, "sampling")
        os.makedirs(self.scratch, exist_ok=True)
        self.file = os.path.join(self.scratch, "samples")

    @property
    def title(self):
        return self.name if not self.rate else "%s, %d Hz" % (self.name, self.rate)

    def available(self):
        if self.name == "perf -g":
            probe = ["perf", "record", "-q", "-e", "task-clock:u", "-o", self.file, "true"]
            return bool(shutil.which("perf")) and not subprocess.run(
                probe, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
        return self.name != "gperftools" or os.path.exists(GPERFTOOLS)

    def under(self, directory):
        """What to put before the command of the program."""
        cost = [os.path.join(HERE, "cost-of"), os.path.join(self.scratch, "cost"),
                *fixed_addresses().split()]
        if self.name == "ascribe":
            library = os.path.join(os.path.dirname(self.builder.ascribe), "..", "runtime",
                                   "libascribe.so")
            cost += ["env", "LD_PRELOAD=" + os.path.abspath(library), "ASCRIBE_OUT=" + directory,
                     "ASCRIBE_RATE=%d" % self.rate]
        if self.name == "gperftools":
            cost += ["env", "LD_PRELOAD=" + GPERFTOOLS, "CPUPROFILE=" + self.file,
                     "CPUPROFILE_FREQUENCY=%d" % self.rate]
        if self.name == "perf -g":
            cost = ["perf", "record", "-q", "-g", "-e", "task-clock:u", "-F", str(self.rate),
                    "-o", self.file, "--"] + cost
        return shlex.join(cost)

    def once(self, program):
        out = self.builder.program(program, "bare")
        result = os.path.join(self.scratch, "result")
        shutil.rmtree(result, ignore_errors=True)
        os.makedirs(result)
        directory = recording_directory(self.builder.work, "sampling-" + program)
        cost = os.path.join(self.scratch, "cost")
        if os.path.exists(cost):
            os.unlink(cost)
        variables = dict(os.environ, ASCRIBE_BENCH_WORK=self.builder.work,
                         BENCH_UNDER=self.under(directory))
        measure.run([os.path.join(HERE, "programs", program, "run"), out, result], variables)
        with open(cost, encoding="ascii") as file:
            seconds = sum(float(field) for field in file.read().split())
        return Run(seconds, *self.delivered(program, directory))

    def delivered(self, program, directory):
        if self.name == "ascribe":
            statistics = recording.read_directory(directory)
            return statistics.ticks, statistics.handler_ns / max(statistics.ticks, 1)
        if self.name == "perf -g":
            text = subprocess.run(["perf", "script", "-F", "comm", "-i", self.file],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, check=True).stdout
            return text.split().count(EXECUTABLES[program]), None
        if self.name == "gperftools":
            text = subprocess.run(["google-pprof", "--text",
                                   os.path.join(self.builder.program(program, "bare"),
                                                EXECUTABLES[program]),
                                   self.file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, check=False).stdout
            total = [line.split()[1] for line in text.splitlines() if line.startswith("Total:")]
            return int(total[0]) if total else None, None
        return None, None


def samplers(builder):
    found = [Sampler(builder, "bare", 0)]
    for rate in RATES:
        found += [Sampler(builder, name, rate) for name in ("ascribe", "perf -g", "gperftools")]
    return [sampler for sampler in found if sampler.available()]


def measure_program(builder, program, rounds, say):
    """[Sampled] of one program, all samplers in turn in every round."""
    ways = samplers(builder)
    runs = {way.title: [] for way in ways}
    for number in range(rounds):
        say("sampling %s, round %d of %d" % (TITLES[program], number + 1, rounds))
        for way in ways[number % len(ways):] + ways[:number % len(ways)]:
            repeated = [way.once(program) for _ in range(REPEATS[program])]
            runs[way.title].append(
                Run(sum(run.seconds for run in repeated) / len(repeated), *repeated[-1][1:]))
    bare = [run.seconds for run in runs["bare"]]
    result = []
    for way in ways[1:]:
        mine = runs[way.title]
        last = mine[-1]
        result.append(Sampled(TITLES[program], way.title,
                              measure.ratios([run.seconds for run in mine], bare),
                              None if last.ticks is None else last.ticks / last.seconds,
                              last.handler_ns))
    return result
