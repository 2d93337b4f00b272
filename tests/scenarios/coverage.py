#!/usr/bin/env python3
"""What the printed 95 % intervals are worth: many short runs of programs that measure their own
shares, one with hooks, one without, whose stacks are sampled; how often the interval of a function
holds the truth.  coverage.py [RUNS]

At 95 % true coverage, fewer than the bound below happens once in about a thousand times."""

import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, must

# A function that no tick met has no row: what is said of it is what is said of any without ticks.
NO_TICKS = "select 0, max(self_high_ns) from functions where self_ticks = 0"


def lower_bound(runs):
    """Three standard deviations under 95 %; runs are independent, functions of one are not."""
    return 0.95 - 3.1 * math.sqrt(0.95 * 0.05 / runs)


def one_run(program, directory):
    """How many functions the program knows of, and how many intervals hold their truth."""
    profile_path = directory / "p.ascribe"
    result = must([ASCRIBE, "record", "--quiet", "-o", profile_path, "--", program])
    truth = json.loads(result.output)
    profile = Profile(profile_path)
    inside = 0
    for name, took in truth.items():
        found = profile.rows("select total_ns, total_uncertainty_ns from functions where name = ?"
                             " union all " + NO_TICKS, name)
        estimate, uncertainty = found[0]
        inside += abs(estimate - took) <= uncertainty
    profile.connection.close()
    return len(truth), inside


def coverage_of(what, program, runs, directory):
    judged = [one_run(program, directory) for _ in range(runs)]
    coverage = sum(inside for _, inside in judged) / sum(known for known, _ in judged)
    bound = min(0.93, lower_bound(runs)) if runs < 2000 else 0.93
    print(f"{what}: {runs} runs: {coverage:.1%} of the 95 % intervals hold the truth"
          f" (bound: {bound:.1%})")
    return coverage >= bound


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    directory = harness.scratch("coverage")
    source = harness.SOURCE / "tests/scenarios"
    hooks = harness.compile_program(source / "knows_its_shares.c", directory / "hooks", ["-O2"])
    stacks = directory / "stacks"
    must(["gcc", "-O2", "-g", "-I", harness.PROGRAMS, "-o", stacks, source / "knows_its_stacks.c"])
    well = [coverage_of("hooks", hooks, runs, directory),
            coverage_of("stacks", stacks, runs, directory)]
    sys.exit(not all(well))


if __name__ == "__main__":
    main()
