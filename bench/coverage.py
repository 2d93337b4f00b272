#!/usr/bin/env python3
"""What the 95 % intervals of times are worth: how often each holds what bench/phases.c tells of its
own CPU clock.

    bench/coverage.py BUILD [RUNS] [CASE...]

A case is "ROUND_US TOTAL_MS THREADS KERNEL_PERCENT [clock]|options of record". PREFIX in the
environment is put before `ascribe record`. A function without a row has the interval of one that no
tick met."""

import json
import math
import os
import pathlib
import shlex
import sqlite3
import subprocess
import sys
import tempfile

CASES = ["1000 100 1 0|", "1000 200 1 50|", "777 20 1 0|", "4000 1000 1 0|", "1000 500 4 0|",
         "1000 300 1 0|--rate 250", "1000 300 1 0|--rate 5000", "1300 300 1 0|--perf"]
Z2 = 3.8415  # the square of the normal distribution's 97.5 % point


def interval(database, name):
    """The estimate and the ends of a function's total."""
    row = database.execute("select total_ns, total_low_ns, total_high_ns from functions"
                           " where name = ?", (name,)).fetchone()
    if row and None not in row:
        return row
    ticks, = database.execute("select ticks from runs").fetchone()
    whole, = database.execute("select user_ns + system_ns from runs").fetchone()
    return 0, 0, whole * Z2 / (ticks + Z2)


def run(ascribe, program, case, directory):
    """Of each function what is true, and what is told."""
    arguments, _, options = case.partition("|")
    profile = directory / "p.ascribe"
    subprocess.run([*shlex.split(os.environ.get("PREFIX", "")), ascribe, "record", "-q", "-o",
                    profile, *options.split(), "--", program, *arguments.split()], check=True,
                   env={**os.environ, "TRUTH": str(directory / "truth")})
    truth = json.loads((directory / "truth").read_text())
    database = sqlite3.connect(profile)
    told = {name: (true, *interval(database, name)) for name, true in truth.items()}
    database.close()
    return told


def judge(ascribe, program, case, runs, directory):
    """Prints a line for each function; how many intervals held, of how many."""
    rows, held, judged = {}, 0, 0
    for _ in range(runs):
        for name, row in run(ascribe, program, case, directory).items():
            rows.setdefault(name, []).append(row)
    print(case)
    for name, list_ in rows.items():
        inside = sum(low <= true <= high for true, _, low, high in list_)
        errors = [estimate - true for true, estimate, _, _ in list_]
        mean, true = sum(errors) / len(errors), sum(row[0] for row in list_) / len(list_)
        spread = 1.96 * math.sqrt(sum((e - mean) ** 2 for e in errors) / max(1, len(errors) - 1))
        claimed = sum((high - low) / 2 for _, _, low, high in list_) / len(list_)
        print(f"  {name:8} held {inside / len(list_):6.1%}  true {true / 1e6:9.2f} ms"
              f"  bias {mean / true:+.1%}  claimed +- {claimed / 1e6:.2f}  real +- {spread / 1e6:.2f}")
        held, judged = held + inside, judged + len(list_)
    print(f"  all      held {held / judged:6.1%}")
    return held, judged


def main():
    build, runs = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        directory.chmod(0o777)
        program = directory / "phases"
        subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", program,
                        pathlib.Path(__file__).with_name("phases.c")], check=True)
        sums = [judge(build / "src/cli/ascribe", program, case, runs, directory)
                for case in sys.argv[3:] or CASES]
    print(f"together {sum(s[0] for s in sums)} of {sum(s[1] for s in sums)}:"
          f" {sum(s[0] for s in sums) / sum(s[1] for s in sums):.1%}")


if __name__ == "__main__":
    main()
