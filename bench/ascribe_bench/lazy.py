"""The lazy machine of examples/lazy: what recording its programs (bench/lazy) costs."""
import os
import subprocess
from collections import namedtuple

from ascribe_bench import measure
from ascribe_bench.variants import recording_directory

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
PROGRAMS = ("primes", "rows")
WAYS = {"counts": 0, "1000 Hz": 1000}  # and their rates

Timed = namedtuple("Timed", "name seconds ratios")


def once(builder, machine, name, rate):
    """CPU seconds of a run; recorded at that rate, if it is not null."""
    environment = None
    if rate is not None:
        library = os.path.join(os.path.dirname(builder.ascribe), "..", "runtime", "libascribe.so")
        environment = dict(os.environ, LD_PRELOAD=os.path.abspath(library), ASCRIBE_RATE=str(rate),
                           ASCRIBE_OUT=recording_directory(builder.work, "lazy"))
    return measure.cpu(measure.run([machine, os.path.join(HERE, "..", "lazy", name + ".stg")], environment))


def measure_programs(builder, rounds, say):
    """Each run is divided by the mean of the plain runs before and after it."""
    machine = os.path.join(builder.work, "lazy")
    subprocess.run(["cc", "-O2", "-I", os.path.join(ROOT, "include"), os.path.join(ROOT, "examples", "lazy", "lazy.c"), "-o", machine],
                   check=True)
    timed = []
    for name in PROGRAMS:
        plain, ratios = [once(builder, machine, name, None)], {way: [] for way in WAYS}
        for number in range(rounds):
            say("lazy %s, round %d of %d" % (name, number + 1, rounds))
            for way, rate in WAYS.items():
                seconds = once(builder, machine, name, rate)
                plain.append(once(builder, machine, name, None))
                ratios[way].append(seconds / ((plain[-2] + plain[-1]) / 2))
        timed.append(Timed(name, measure.Median(plain), {way: measure.Median(figures) for way, figures in ratios.items()}))
    return timed
