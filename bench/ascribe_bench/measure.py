"""Runs commands and measures what they cost."""
import math
import os
import statistics
import subprocess
import time
from collections import namedtuple

# Seconds and bytes; user and system time of the command and of all it waited for.
Cost = namedtuple("Cost", "user system wall peak_bytes")


class Failed(Exception):
    """A command did not succeed; the text says which and shows the end of what it said."""


def run(command, environment=None, directory=None, log=None):
    """Run to the end and return the cost; fails unless the status is 0."""
    with open(log or os.devnull, "w+b") as output:
        start = time.monotonic()
        child = subprocess.Popen(command, env=environment, cwd=directory, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        if child.returncode != 0:
            output.seek(0)
            said = output.read().decode(errors="replace")[-2000:]
            raise Failed("%s: status %d\n%s" % (" ".join(command), child.returncode, said))
    return Cost(usage.ru_utime, usage.ru_stime, wall, usage.ru_maxrss * 1024)


def output_of(command, environment=None):
    result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = result.stdout.decode(errors="replace")
    if result.returncode != 0:
        raise Failed("%s: status %d\n%s" % (" ".join(command), result.returncode, text[-2000:]))
    return text


def cpu(cost):
    return cost.user + cost.system


class Spread:
    """Median, least and greatest of some figures."""

    def __init__(self, figures):
        self.median = statistics.median(figures)
        self.least = min(figures)
        self.most = max(figures)


def ratios(times, base):
    """Of runs made in turn: each divided by the base's run of the same round."""
    return Spread([mine / other for mine, other in zip(times, base)])


class Median:
    """The median of some figures, the 95 % interval for that of all there could be, by signs alone
    (whatever their distribution), and the middle half of them."""

    def __init__(self, figures):
        ordered = sorted(figures)
        count = len(ordered)
        outside = interval_rank(count)
        self.count = count
        self.median = statistics.median(ordered)
        self.low, self.high = ordered[outside], ordered[count - 1 - outside]
        self.lower, self.upper = ordered[count // 4], ordered[count - 1 - count // 4]


def interval_rank(count):
    """How many figures on each side are outside of the interval: each is below the median with one
    half, so their number is binomial. With less than six even all of them are no 95 %."""
    tail, below = 0.0, 0
    while below < count // 2:
        tail += math.comb(count, below) / 2**count
        if tail > 0.025:
            break
        below += 1
    return max(below - 1, 0)
