#!/usr/bin/env python3
"""A gcc whose plugin does not compile, or has no headers, costs that plugin only: Meson says so, and
leaves it out of what is built. Where it must not be missing, Meson stops."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import check, must, run

DIRECTORY = harness.scratch("plugin-missing")
SOURCE = DIRECTORY / "source"


def configured(*options):
    """Without what has no part in it, clang's plugin, which would be tried each time."""
    build = DIRECTORY / "-".join(("build", *options))
    return run(["meson", "setup", "-Dllvm_plugin=disabled", build, SOURCE, *options], timeout=None)


def the_rest_is_built():
    result = configured()
    check(result.status == 0, result.output + result.errors)
    check("no GCC plugin for" in result.output and "(does not compile:" in result.output, result.output)
    steps = must(["ninja", "-C", DIRECTORY / "build", "-n", "programs"]).output
    check("src/cli/ascribe" in steps and "gcc_plugin" not in steps, steps)


def enabled_wants_it():
    result = configured("-Dgcc_plugin=enabled")
    check(result.status != 0 and "GCC plugins cannot be built" in result.output, result.output)


def disabled_does_not_try():
    result = configured("-Dgcc_plugin=disabled")
    check(result.status == 0 and "no GCC plugin for" not in result.output, result.output)


if __name__ == "__main__":
    harness.copy_source(SOURCE)
    with open(SOURCE / "src/instrument/gcc/compat.h", "a", encoding="utf-8") as file:
        file.write('#error "another gcc"\n')
    harness.main(the_rest_is_built, enabled_wants_it, disabled_does_not_try)
