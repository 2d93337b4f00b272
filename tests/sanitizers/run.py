#!/usr/bin/env python3
"""Build Ascribe's own code with sanitizers in a directory of its own; run the unit tests, and the
commands on good and bad files.  run.py address|thread BUILD"""

import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
# The unit tests count nothing, and need no plugin for it.
KINDS = {"address": ["-Db_sanitize=address,undefined"],
         "thread": ["-Db_sanitize=thread", "-Dgcc_plugin=disabled"]}
# Errors end the program; what the tests make on purpose (early exits) is no leak of ours.  Where
# there is no memory malloc tells so, as libc's does: what we make of it is tested.
OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
           "TSAN_OPTIONS": "halt_on_error=1:allocator_may_return_null=1",
           "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
SCENARIOS = {"address": ["scenarios/annotate.py", "scenarios/faults.py", "scenarios/imports.py",
                         "scenarios/started_by_itself.py", "scenarios/compares.py",
                         "exchange/command.py", "exchange/round_trip.py", "view/api.py"],
             "thread": []}


def main():
    kind, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    environment = dict(os.environ, **OPTIONS)
    if not (build / "build.ninja").exists():
        # At -O1 checks take half as long to compile as at -O2, and the tests not much longer.
        subprocess.run(["meson", "setup", build, SOURCE, *KINDS[kind], "-Db_lundef=false",
                        "-Doptimization=1", "-Ddebug=true"], check=True, stdout=subprocess.DEVNULL)
    if SCENARIOS[kind]:
        subprocess.run(["meson", "compile", "-C", build], check=True, stdout=subprocess.DEVNULL)
    # Builds what they need.
    failed = subprocess.run(["meson", "test", "-C", build, "--suite", "unit", "--print-errorlogs",
                             "--timeout-multiplier", "8"], env=environment, check=False).returncode != 0
    environment["ASCRIBE"] = str(build / "src" / "cli" / "ascribe")
    environment["ASCRIBE_TEST_WORK"] = str(build)
    environment["EXCHANGE_PROFILES"] = str(build / "tests" / "exchange" / "exchange_profiles")
    for scenario in SCENARIOS[kind]:
        failed |= subprocess.run([SOURCE / "tests" / scenario], env=environment,
                                 check=False).returncode != 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
