"""Chez Scheme's programs: what `ascribe scheme` costs, and how much later Scheme starts."""
import os
import shutil
import subprocess
from collections import namedtuple

from ascribe_bench import measure
from ascribe_bench.variants import recording_directory

HERE = os.path.dirname(os.path.abspath(__file__))
CHICKEN = os.path.join(HERE, "..", "chicken")
QUEENS = os.path.join(HERE, "..", "..", "tests", "scheme", "chez", "queens.ss")
TIMED = {"nfa": ["300000"], "nfa-lifted": ["300000"], "tak": ["3000"], "ctak": ["300"],
         "queens": []}  # and their arguments
NOTHING = "nothing"  # a program that ends at once
# CHICKEN's procedures that the programs call and Chez does not have.
PRELUDE = "(define (print x) (display x) (newline))\n" \
    "(define (optional list default) (if (pair? list) (car list) default))\n"

WAYS = {"counts": ([], 0), "1000 Hz": ([], 1000), "--contexts": (["--contexts"], 0)}  # options and ticks a second

Timed = namedtuple("Timed", "name seconds ratios")


def missing():
    if not shutil.which("scheme"):
        return True
    said = subprocess.run(["scheme", "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    return not (said.stdout + said.stderr).strip().startswith(("9.5", "10."))


class Programs:
    """For Chez, below the builder's directory; so is what Ascribe compiles."""

    def __init__(self, builder):
        self.builder = builder
        self.directory = os.path.join(builder.work, "built", "chez")
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        for name in TIMED:
            self.write(name, self.text(name))
        self.write(NOTHING, "")

    @staticmethod
    def text(name):
        if name == "queens":
            with open(QUEENS, encoding="utf-8") as stream:
                return stream.read().replace("(main 8)", "(main 12)")
        with open(os.path.join(CHICKEN, name + ".scm"), encoding="utf-8") as stream:
            return PRELUDE + "".join(line for line in stream if not line.startswith("(import "))

    def write(self, name, text):
        with open(os.path.join(self.directory, name + ".ss"), "w", encoding="utf-8") as stream:
            stream.write(text)

    def seconds(self, name, way):
        """CPU time of a run, without `ascribe record` and its own time; way: of WAYS, or null."""
        words, environment = ["scheme"], None
        if way:
            options, rate = WAYS[way]
            library = os.path.join(os.path.dirname(self.builder.ascribe), "..", "runtime", "libascribe.so")
            environment = dict(os.environ, LD_PRELOAD=os.path.abspath(library), ASCRIBE_RATE=str(rate),
                               XDG_CACHE_HOME=self.directory, ASCRIBE_OUT=recording_directory(self.builder.work, "chez"))
            words = [self.builder.ascribe, "scheme", *options]
        return measure.cpu(measure.run([*words, "--script", name + ".ss", *TIMED.get(name, [])],
                                       environment, self.directory))


def measure_times(programs, rounds, say):
    """Each run is divided by the mean of the plain runs before and after it."""
    timed = []
    for name in TIMED:
        plain, ratios = [programs.seconds(name, None)], {way: [] for way in WAYS}
        for number in range(rounds):
            say("%s, round %d of %d" % (name, number + 1, rounds))
            for way in WAYS:
                seconds = programs.seconds(name, way)
                plain.append(programs.seconds(name, None))
                ratios[way].append(seconds / ((plain[-2] + plain[-1]) / 2))
        timed.append(Timed(name, measure.Median(plain),
                           {way: measure.Median(figures) for way, figures in ratios.items()}))
    return timed


def measure_start(programs, rounds, say):
    """Seconds of CPU time that a program which does nothing takes: alone, counted, in contexts. Medians."""
    say("start of Scheme")
    ways = {None: [], "counts": [], "--contexts": []}
    for way in ways:
        programs.seconds(NOTHING, way)
    for _ in range(3 * rounds):
        for way, found in ways.items():
            found.append(programs.seconds(NOTHING, way))
    return [measure.Median(found) for found in ways.values()]
