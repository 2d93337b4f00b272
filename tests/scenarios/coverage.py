#!/usr/bin/env python3
"""What the printed 95 % intervals are worth: many short runs of a program that measures its own
shares; how often the interval of a function holds the truth.  coverage.py [RUNS]

At 95 % true coverage, fewer than the bound below happens once in about a thousand times."""

import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, must

FUNCTIONS = ("first", "second", "third")


def lower_bound(runs):
    """Three standard deviations under 95 %; runs are independent, functions of one are not."""
    return 0.95 - 3.1 * math.sqrt(0.95 * 0.05 / runs)


def one_run(program, directory):
    profile_path = directory / "p.ascribe"
    result = must([ASCRIBE, "record", "--quiet", "-o", profile_path, "--", program])
    truth = json.loads(result.output)
    profile = Profile(profile_path)
    inside = 0
    for name in FUNCTIONS:
        found = profile.rows("select total_ns, total_uncertainty_ns from functions where name = ?",
                             name)
        estimate, uncertainty = found[0] if found else (0, 0)
        inside += abs(estimate - truth[name]) <= uncertainty
    profile.connection.close()
    return inside


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    directory = harness.scratch("coverage")
    program = harness.compile_program(harness.SOURCE / "tests/scenarios/knows_its_shares.c",
                                      directory / "knows_its_shares", ["-O2"])
    inside = sum(one_run(program, directory) for _ in range(runs))
    coverage = inside / (runs * len(FUNCTIONS))
    bound = min(0.93, lower_bound(runs)) if runs < 2000 else 0.93
    print(f"{runs} runs: {coverage:.1%} of the 95 % intervals hold the truth (bound: {bound:.1%})")
    sys.exit(coverage < bound)


if __name__ == "__main__":
    main()
