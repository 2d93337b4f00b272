"""CHICKEN Scheme's programs as csc makes them (bench/chicken): what recording costs, and what each profiler says of
the programs of P. Bex, "Statistical profiling with CHICKEN's trace buffer"."""
import os
import re
import shutil
import sqlite3
import subprocess
from collections import namedtuple

from ascribe_bench import measure, recording
from ascribe_bench.variants import recording_directory

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "chicken")
TIMED = {"nfa": ["30000"], "kernwyk-array": ["20"], "tak": ["400"], "ctak": ["120"]}  # and their arguments

# A way to build and run a program: with `ascribe csc` or csc, and which options; ticks a second, or none if it is not
# recorded; and arguments for CHICKEN's runtime.
Way = namedtuple("Way", "built options rate arguments")
PLAIN = Way(False, [], None, [])
AS_IT_IS = {"counts": Way(False, [], 0, []), "1000 Hz": Way(False, [], 1000, []), "-:p": Way(False, [], None, ["-:p"]),
            "-profile": Way(False, ["-profile"], None, [])}
BUILT = {"alone": Way(True, [], None, []), "counts": Way(True, [], 0, []), "1000 Hz": Way(True, [], 1000, []),
         "--expressions": Way(True, ["--expressions"], 0, [])}
LEAST_PERCENT = 1.0  # of what the tables show
# The article's own figures: {(title, profiler): [(name, calls, seconds, percent)]}.
ARTICLE = {
    ("kernwyk-array", "csc -profile"): [("my-try", 100, 4.008, 100.0), ("go", 1, 4.008, 100.0), ("create-y", 100, 2.311, 57.7),
                                        ("create-x", 100, 1.696, 42.3)],
    ("kernwyk-array", "-:p"): [("kernwyk-array.scm:12:make-vector", None, 2.400, 58.7),
                               ("kernwyk-array.scm:5:make-vector", None, 1.690, 41.3)],
    ("nfa", "csc -profile"): [("recursive-nfa", 150000, 8.071, 100.0)],
    ("nfa", "-:p"): [("nfa.scm:14:state1", None, 5.830, 72.6), ("nfa.scm:31:state3", None, 2.160, 26.9)],
    ("nfa, procedures at top level", "csc -profile"): [
        ("recursive-nfa", 150000, 30.687, 100.0), ("state0", 150000, 30.559, 99.6), ("state1", 20100000, 23.372, 76.2),
        ("state2", 20100000, 8.423, 27.5), ("state3", 20100000, 7.080, 23.1)],
    ("nfa, instrumented", "-:p"): [
        ("##sys#profile-entry", None, 17.0, 55.1), ("##sys#profile-exit", None, 10.71, 34.7), ("##sys#dynamic-wind", None, 1.66, 5.4),
        ("nfa.scm:15:state2", None, 0.67, 2.2), ("nfa.scm:29:state3", None, 0.44, 1.4), ("nfa.scm:12:state1", None, 0.34, 1.1)],
}

# ratios: {way: Median}; seconds: of the program alone; points: that it met.
Timed = namedtuple("Timed", "name seconds ratios points nanoseconds")
# handler_ns of a tick: Medians of a program in Scheme and of one in C with contexts.
Ticks = namedtuple("Ticks", "name handler_ns")
# The table of one profiler. Rows, one for each procedure: name, calls or null, seconds, percent.
Table = namedtuple("Table", "profiler seconds rows")


def missing():
    return not shutil.which("csc") or b"CHICKEN" not in subprocess.run(
        ["csc", "-version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


class Programs:
    """Compiled once each, below the builder's directory."""

    def __init__(self, builder):
        self.builder = builder
        self.directory = os.path.join(builder.work, "built", "chicken")
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)

    def program(self, name, *options, built=False):
        path = os.path.join(self.directory, ("built-" if built else "") + name + "".join(options))
        if not os.path.exists(path):
            source = os.path.join(self.directory, name + ".scm")
            shutil.copy(os.path.join(SOURCES, name + ".scm"), source)
            subprocess.run([*([self.builder.ascribe] if built else []), "csc", "-O3", *options, name + ".scm", "-o", path], cwd=self.directory, check=True)
        return path

    def recorded(self, directory, rate):
        """The environment of a program that is recorded, without `ascribe record` and its own time."""
        library = os.path.join(os.path.dirname(self.builder.ascribe), "..", "runtime", "libascribe.so")
        return dict(os.environ, LD_PRELOAD=os.path.abspath(library), ASCRIBE_OUT=directory, ASCRIBE_RATE=str(rate))

    def profile_file(self):
        """CHICKEN's own, which is written where the program runs."""
        for name in os.listdir(self.directory):
            if name.startswith("PROFILE."):
                yield os.path.join(self.directory, name)


def once(programs, name, way):
    """CPU seconds of a run; the statistics of its recording, where it has one."""
    directory = recording_directory(programs.builder.work, "chicken")
    environment = None if way.rate is None else programs.recorded(directory, way.rate)
    program = programs.program(name, *way.options, built=way.built)
    cost = measure.run([program, *TIMED[name], *way.arguments], environment, programs.directory)
    for file in programs.profile_file():
        os.unlink(file)
    return measure.cpu(cost), recording.read_directory(directory) if environment else None


def measure_times(programs, name, ways, rounds, say):
    """Each run is divided by the mean of the plain runs before and after it."""
    ratios, plain, statistics = {title: [] for title in ways}, [once(programs, name, PLAIN)[0]], None
    for number in range(rounds):
        say("%s, round %d of %d" % (name, number + 1, rounds))
        for title, way in ways.items():
            seconds, found = once(programs, name, way)
            plain.append(once(programs, name, PLAIN)[0])
            ratios[title].append(seconds / ((plain[-2] + plain[-1]) / 2))
            if title == "counts":
                statistics = found
    seconds = measure.Median(plain)
    ratios = {title: measure.Median(figures) for title, figures in ratios.items()}
    return Timed(name, seconds.median, ratios, statistics.calls,
                 (ratios["counts"].median - 1) * seconds.median * 1e9 / max(1, statistics.calls))


def handler_ns(command, environment, directory):
    measure.run(command, environment)
    statistics = recording.read_directory(directory)
    return statistics.handler_ns / max(1, statistics.ticks)


def measure_ticks(programs, rounds, say):
    """Nanoseconds in the handler of a tick, of all programs in turn."""
    found = {name: [] for name in ("C", *TIMED)}
    in_c = programs.builder.micro("hundred", "ascribe")
    for number in range(rounds):
        say("ticks, round %d of %d" % (number + 1, rounds))
        for name in found:
            directory = recording_directory(programs.builder.work, "chicken")
            environment = dict(os.environ, ASCRIBE_OUT=directory, ASCRIBE_RATE="1000")
            if name != "C":
                environment = programs.recorded(directory, 1000)
            command = [in_c, "1"] if name == "C" else [programs.program(name), *TIMED[name]]
            found[name].append(handler_ns(command, environment, directory))
    return [Ticks(name, measure.Median(figures)) for name, figures in found.items()]


# ---- what the profilers say ----

def of_chicken(programs, name, arguments, profiler, *options):
    """By one of CHICKEN's own profilers; its sampler's calls are none."""
    for file in programs.profile_file():
        os.unlink(file)
    measure.run([programs.program(name, *options), *arguments], directory=programs.directory)
    (file,) = programs.profile_file()
    with open(file, encoding="utf-8") as stream:
        kind, text = stream.read().split("\n", 1)
    rows = [(name.strip("|"), None if kind == "statistical" else int(calls), float(ms) / 1000)
            for name, calls, ms in re.findall(r"\((\|[^|]*\||\S+) (\d+) ([\d.]+)\)", text)]
    whole = sum(row[2] for row in rows) if kind == "statistical" else max(row[2] for row in rows)
    return Table(profiler, whole, [(*row, 100 * row[2] / whole) for row in sorted(rows, key=lambda row: -row[2])])


def of_ascribe(programs, name, arguments, *options):
    file = os.path.join(programs.builder.work, "chicken.ascribe")
    measure.run([programs.builder.ascribe, "record", "-q", "-o", file, "--", programs.program(name, *options), *arguments],
                directory=programs.directory)
    for path in programs.profile_file():
        os.unlink(path)
    database = sqlite3.connect(file)
    whole, = database.execute("select sum(self_ns) from functions").fetchone()
    rows = database.execute(
        "select name, calls, coalesce(total_ns, self_ns) / 1e9, total_ns is null from functions"
        " where total_ns > 0 or self_ns > 0").fetchall()
    database.close()
    shown = [(name + (" (self)" if is_self else ""), calls, seconds, 100e9 * seconds / whole)
             for name, calls, seconds, is_self in rows]
    return Table("ascribe", whole / 1e9, sorted(shown, key=lambda row: -row[2]))


def experiment(programs, say):
    """{title: [Table of each profiler]}; what takes minutes has fewer rounds than in the article."""
    say("kernwyk-array and nfa, by each profiler")
    few = ["20000"]
    found = {name: [of_chicken(programs, name, [], "csc -profile", "-profile"), of_chicken(programs, name, ["-:p"], "-:p"),
                    of_ascribe(programs, name, [])] for name in ("kernwyk-array", "nfa")}
    found["nfa, procedures at top level"] = [of_chicken(programs, "nfa-lifted", few, "csc -profile", "-profile"),
                                             of_ascribe(programs, "nfa-lifted", few)]
    found["nfa, instrumented"] = [of_chicken(programs, "nfa-lifted", [*few, "-:p"], "-:p", "-profile"),
                                  of_ascribe(programs, "nfa-lifted", few, "-profile")]
    return found
