"""What samplers cost on programs that were not built for them: Ascribe's beside perf's (frame pointer
chains, so without the callers of most functions) and gperftools'.

A shared machine's speed changes within seconds, by more than a sampler costs. So each run stands
between two of the bare program, and is divided by their mean; and beside what such pairs say stands an
account: how many ticks came, times what one takes."""
import os
import shlex
import shutil
import subprocess
import time
from collections import namedtuple

from ascribe_bench import measure, recording
from ascribe_bench.programs import EXECUTABLES, REPEATS, TITLES
from ascribe_bench.variants import (HERE, fixed_addresses, recording_directory,
                                    recording_directory_of)

RATES = (250, 1000)
GPERFTOOLS = "/usr/lib/x86_64-linux-gnu/libprofiler.so.0"

# seconds: of the program; ticks: delivered; handler_ns: of one tick, where known.
Run = namedtuple("Run", "seconds ticks handler_ns")
# What one sampler did to one program: the Median of its ratios; ticks per CPU second and the Median of
# nanoseconds in the handler of one, where known.
Sampled = namedtuple("Sampled", "title sampler ratio rate handler_ns")
# Microseconds of a tick whose handler does nothing (Median), by rate; what the clock is.
Signal = namedtuple("Signal", "clock microseconds")
SIGNAL_RATES = ((250, 30), (1000, 15), (10000, 5))  # and for how many seconds
Growth = namedtuple("Growth", "seconds bytes")
GROWTH_SECONDS = 20
Report = namedtuple("Report", "ticks entries seconds peak_bytes")
MANY_TICKS = 10_000_000


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

    def once(self, program, counted=True):
        """One run. What perf and gperftools delivered is read where `counted`: their readers take
        longer than the program."""
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
        known = counted or self.name == "ascribe"
        return Run(seconds, *(self.delivered(program, directory) if known else (None, None)))

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


def mean_run(way, program, counted):
    runs = [way.once(program, counted) for _ in range(REPEATS[program])]
    return Run(sum(run.seconds for run in runs) / len(runs), *runs[-1][1:])


def measure_program(builder, program, rounds, say):
    """[Sampled] of one program: in every round all samplers in turn, bare runs between them."""
    bare, *ways = samplers(builder)
    runs = {way.title: [] for way in ways}
    ratios = {way.title: [] for way in ways}
    for number in range(rounds):
        say("sampling %s, round %d of %d" % (TITLES[program], number + 1, rounds))
        before = mean_run(bare, program, False).seconds
        first = number % len(ways)
        for way in ways[first:] + ways[:first]:
            run = mean_run(way, program, number + 1 == rounds)
            after = mean_run(bare, program, False).seconds
            ratios[way.title].append(2 * run.seconds / (before + after))
            runs[way.title].append(run)
            before = after
    result = []
    for way in ways:
        last = runs[way.title][-1]
        handlers = [run.handler_ns for run in runs[way.title] if run.handler_ns is not None]
        result.append(Sampled(TITLES[program], way.title, measure.Median(ratios[way.title]),
                              None if last.ticks is None else last.ticks / last.seconds,
                              measure.Median(handlers) if handlers else None))
    return result


def measure_signal(builder):
    """{rate: Signal}"""
    result = {}
    for rate, seconds in SIGNAL_RATES:
        text = measure.output_of([builder.micro("signal", "bare"), str(rate), str(seconds)])
        clock, *figures = text.splitlines()
        result[rate] = Signal(clock, measure.Median([float(figure) for figure in figures]))
    return result


def measure_growth(builder):
    """[Growth]: what the recording of a program with a hundred functions takes, as it runs."""
    way = Sampler(builder, "ascribe", 1000)
    directory = recording_directory(builder.work, "hundred")
    command = shlex.split(way.under(directory)) + [builder.micro("hundred", "bare"),
                                                   str(GROWTH_SECONDS)]
    program = subprocess.Popen(command)
    sizes, started = [], time.monotonic()
    while program.poll() is None:
        time.sleep(GROWTH_SECONDS / 8)
        sizes.append(Growth(time.monotonic() - started, recording.disk_bytes(directory)))
    if program.returncode:
        raise measure.Failed("hundred: status %d" % program.returncode)
    return sizes


def measure_report(builder):
    """`ascribe report` on a recording of SQLite whose ticks were multiplied to ten millions."""
    way = Sampler(builder, "ascribe", 10000)
    way.once("sqlite")
    directory = recording_directory_of(builder.work, "sampling-sqlite")
    before = recording.read_directory(directory)
    recording.multiply_ticks(directory, -(-MANY_TICKS // before.ticks))
    after = recording.read_directory(directory)
    cost = measure.run([builder.ascribe, "report", directory])
    return Report(after.ticks, after.tick_entries, measure.cpu(cost), cost.peak_bytes)
