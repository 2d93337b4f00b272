#!/usr/bin/env python3
"""What clang's plugin counts of a real program equals callgrind's, on one run of the same binary: calls of
every function and every arc, as counts.py has it for gcc: clang_counts.py NAME CLANG"""

import os
import sys

import counts
from program_builds import Builds, fetch, harness

DWARF = "-gdwarf-4"  # the newest that Debian 12's callgrind reads of clang
BUILDS = [["-O2", DWARF], ["-O3", DWARF]]
AT_O2, AT_O3 = (slice(i, i + 1) for i in range(2))
# At both levels with ASCRIBE_REAL=all.
LEVELS = {"sqlite": AT_O2, "jsoncpp": AT_O3, "xz": AT_O2, "tcc": AT_O3, "lua": slice(None)}


def main():
    name, clang = sys.argv[1:]
    os.environ["ASCRIBE_CC"] = clang
    fetch(name)
    builds = Builds(name)
    failed = 0
    for flags in BUILDS[slice(None) if counts.all_of_them() else LEVELS[name]]:
        try:
            print(f"ok      {name} {flags[0]}: {counts.check_counters(builds, flags)}", flush=True)
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {name} {flags[0]}: {failure}", flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
