#!/usr/bin/env python3
"""Python's own tests of signals, processes, threads and files have the same results bare and
recorded. A choice of modules; more as arguments."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, run, skip

PYTHON = pathlib.Path("/usr/bin/python3")
DIRECTORY = harness.scratch("python_suite")
MODULES = sys.argv[1:] or ["test_fork1", "test_wait3", "test_wait4", "test_posix", "test_pipes", "test_popen",
                           "test_thread", "test_file", "test_select", "test_epoll"]
del sys.argv[1:]
# Some tests tell their time first.
RESULT = re.compile(r"^(test\w*) \((\S+?)\)(?:\n.*?)? \.\.\. (?:[\d.]+s )?(.*)$", re.M)


def results(command, modules):
    """Each test's result by its name."""
    ended = run([*command, PYTHON, "-m", "test", "-v", "-u", "none", *modules], DIRECTORY, timeout=None)
    found = {f"{test} ({where})": result.split()[0] if result else "" for test, where, result in RESULT.findall(ended.output)}
    check(found, f"{ended.ending}: {ended.output[-2000:]}\n{ended.errors[-2000:]}")
    return found


def same(*modules):
    bare = results([], modules)
    recorded = results([ASCRIBE, "record", "-q", "-o", DIRECTORY / "python.ascribe", "--"], modules)
    different = [f"{name}: bare {bare.get(name)}, recorded {recorded.get(name)}"
                 for name in sorted(bare.keys() | recorded.keys()) if bare.get(name) != recorded.get(name)]
    check(not different, "\n".join(different))
    print(f"{len(bare)} tests")


def the_same_bare_and_recorded():
    if not PYTHON.exists() or run([PYTHON, "-c", "import test.test_fork1"]).status != 0:
        skip("Debian's tests of Python (libpython3.N-testsuite) are not installed")
    same(*MODULES)


def the_same_descriptors():
    """What a program counts on of its descriptors."""
    same("-m", "*fds*", "test_subprocess")


if __name__ == "__main__":
    harness.main(the_same_bare_and_recorded, the_same_descriptors)
