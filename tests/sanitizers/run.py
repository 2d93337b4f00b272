#!/usr/bin/env python3
"""Build Ascribe's own code with AddressSanitizer and UndefinedBehaviorSanitizer in a directory of its own;
run the unit tests, and the commands on good and bad files: run.py BUILD TESTED

What the sanitizers leave alone, the runtime and the compilers' plugins, is that of TESTED, the build beside it."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
# Errors end the program; what the tests make on purpose (early exits) is no leak of ours.  Where
# there is no memory malloc tells so, as libc's does: what we make of it is tested.
OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
           "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
SCENARIOS = ["scenarios/annotate.py", "scenarios/faults.py", "scenarios/imports.py", "scenarios/intervals.py",
             "scenarios/started_by_itself.py", "scenarios/compares.py",
             "exchange/command.py", "exchange/round_trip.py", "view/api.py"]


def targets(build):
    """What is built: the unit tests' programs and what they are given, the commands and their profiles."""
    told = subprocess.run(["meson", "introspect", "--tests", build], check=True, stdout=subprocess.PIPE)
    words = {pathlib.Path(os.path.normpath(build / word)) for test in json.loads(told.stdout)
             if test["suite"] == ["ascribe:unit"] for word in test["cmd"]}
    return ["src/cli/ascribe", "tests/exchange/exchange_profiles",
            *sorted(str(word.relative_to(build)) for word in words if word.is_relative_to(build))]


def take_support_files(tested, support):
    """One folder of all that `ascribe` looks for beside itself."""
    shutil.rmtree(support, ignore_errors=True)
    support.mkdir()
    for folder in ("src/instrument", "src/runtime", "include"):
        for file in (tested / folder).iterdir():
            if not file.name.endswith(".p"):
                (support / file.name).symlink_to(file)


def main():
    build, tested = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    environment = dict(os.environ, **OPTIONS)
    if not (build / "build.ninja").exists():
        # Checks take a third as long to compile as at -O1, and the tests not much longer.
        subprocess.run(["meson", "setup", build, SOURCE, "-Db_sanitize=address,undefined", "-Db_lundef=false",
                        "-Doptimization=0", "-Ddebug=true", "-Dllvm_plugin=disabled"],
                       check=True, stdout=subprocess.DEVNULL)
    compiled = subprocess.run(["ninja", "-C", build, *targets(build)], check=False, stdout=subprocess.PIPE, text=True)
    if compiled.returncode:
        sys.exit(f"FAILED  it does not compile\n{compiled.stdout[-4000:]}")
    failed = subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "--print-errorlogs", "--timeout-multiplier",
                             "8", "--suite", "unit"], env=environment, check=False).returncode != 0
    take_support_files(tested, build / "support")
    environment["ASCRIBE"] = str(build / "src" / "cli" / "ascribe")
    environment["ASCRIBE_SUPPORT_DIR"] = str(build / "support")
    environment["ASCRIBE_TEST_WORK"] = str(build)
    environment["EXCHANGE_PROFILES"] = str(build / "tests" / "exchange" / "exchange_profiles")
    for scenario in SCENARIOS:
        failed |= subprocess.run([SOURCE / "tests" / scenario], env=environment,
                                 check=False).returncode != 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
