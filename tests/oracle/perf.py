#!/usr/bin/env python3
"""Shares of time of a program that was not built for Ascribe, beside `perf record --call-graph
dwarf`: self and total of every function within the uncertainty of both, no more stacks cut than
perf's."""

import collections
import math
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

FUNCTIONS = ("tree", "ping", "pong", "holder", "inlined", "deep", "burn")
RATE = 997


class Shares:
    """Samples by function: where it ran, and where it was active, once a sample."""

    def __init__(self):
        self.samples = self.cut = 0
        self.own, self.total = collections.Counter(), collections.Counter()

    def add(self, frames):
        """Frames of one sample, innermost first."""
        self.samples += 1
        self.own[frames[0]] += 1
        for name in set(frames):
            self.total[name] += 1
        self.cut += "main" not in frames


def perf_shares(program, directory):
    data = directory / "perf.data"
    must(["perf", "record", "-q", "-e", "task-clock:u", "-F", RATE, "--call-graph", "dwarf,16384",
          "-o", data, "--", program], directory=directory)
    script = must(["perf", "script", "-i", data, "-F", "ip,sym"], directory=directory,
                  timeout=300)
    shares = Shares()
    for sample in script.output.split("\n\n"):
        frames = [re.sub(r" \(inlined\)$", "", line.split(None, 1)[1]).split("+")[0]
                  for line in sample.splitlines() if len(line.split(None, 1)) == 2]
        if frames:
            shares.add(frames)
    return shares


def near(ours, uncertainty, theirs, samples):
    """`uncertainty` is 95 % of ours; four standard deviations of the difference are allowed."""
    deviation = math.hypot(uncertainty / 1.96, math.sqrt(max(theirs * (1 - theirs), 0.01) / samples))
    return abs(ours - theirs) <= 4 * deviation


def compare(theirs, directory, program, options, most_cut):
    """How many figures are not those of perf, or worse."""
    must([ASCRIBE, "record", "-q", "-r", RATE, *options, "-o", "p.ascribe", "--", program],
         directory=directory)
    profile = Profile(directory / "p.ascribe")
    whole = profile.value("select sum(self_ns) from functions")
    failed = 0
    for name in FUNCTIONS:
        self_ns, self_off, total_ns, total_off = profile.rows(
            "select self_ns, self_uncertainty_ns, total_ns, total_uncertainty_ns from functions"
            " where name = ?", name)[0]
        # perf cannot see who called below a stack deeper than its copy.
        kinds = [("self", self_ns, self_off, theirs.own)]
        if name != "deep":
            kinds.append(("total", total_ns, total_off, theirs.total))
        for kind, ns, off, counter in kinds:
            share = counter[name] / theirs.samples
            good = near(ns / whole, off / whole, share, theirs.samples)
            failed += not good
            print(f"{'ok     ' if good else 'FAILED '} {name} {kind}: {ns / whole:.1%}"
                  f" +- {off / whole:.1%}, perf has {share:.1%}")
        check(total_ns <= whole, f"{name} has more than the whole")
    cut = profile.value("select coalesce(sum(total_ns), 0) from functions where kind = 'cut'")
    print(f"stacks cut off: {cut / whole:.2%}, perf's without main: {theirs.cut / theirs.samples:.2%}")
    return failed + (cut > most_cut * whole)


def main():
    if not shutil.which("perf"):
        harness.skip("perf is not installed")
    directory = harness.scratch("perf")
    program = directory / "shares_program"
    must(["gcc", "-O2", "-g", "-D_GNU_SOURCE", "-I", harness.PROGRAMS, "-o", program,
          harness.SOURCE / "tests/oracle/shares_program.c"])
    if subprocess.run(["perf", "record", "-q", "-e", "task-clock:u", "-o", directory / "probe",
                       "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                      check=False).returncode:
        harness.skip("perf may not be used here")
    theirs = perf_shares(program, directory)
    cut = theirs.cut / theirs.samples
    failed = compare(theirs, directory, program, [], min(cut, 0.01))
    print("from outside, also by copies:")
    margin = 4 * math.sqrt(2 * max(cut * (1 - cut), 0.01) / theirs.samples)
    failed += compare(theirs, directory, program, ["--perf"], cut + margin)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
