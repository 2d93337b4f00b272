#!/usr/bin/env python3
"""A program with hooks that nobody records leaves no trace; with ASCRIBE_OUT it records there."""

import fcntl
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, run

DIRECTORY = harness.scratch("started_by_itself")
PROGRAM = DIRECTORY / "recursion"


def files():
    """All that lie where recordings come to lie, alone or in a folder of Ascribe's."""
    for place in map(pathlib.Path, ("/dev/shm", "/tmp", DIRECTORY)):
        for path in place.iterdir():
            yield path
            if "ascribe" in path.name:
                try:
                    yield from path.iterdir()
                except OSError:  # it is no folder, or another test's, which is gone by now
                    pass


def leaves_no_file():
    """Other tests make files there meanwhile: of ours the recording would have our number. What lay there before may have
    it, too."""
    before = set(files())
    result = run(["sh", "-c", 'echo $$; exec "$0"', PROGRAM], DIRECTORY, {"ASCRIBE_OUT": None})
    pid, _, output = result.output.partition("\n")
    check(result.status == 0 and output == "55 20001\n", result.output)
    check(result.errors == "", result.errors)
    mine = [path for path in set(files()) - before if path.name.startswith(f"{pid}.")]
    check(not mine, f"left {mine}")


def records_where_it_is_told():
    place = DIRECTORY / "out"
    result = run([PROGRAM], DIRECTORY, {"ASCRIBE_OUT": place})
    check(result.status == 0 and result.output == "55 20001\n", result.output)
    check(result.errors == "", result.errors)
    for _ in range(2):
        report = run([ASCRIBE, "report", place], DIRECTORY)
        check(report.status == 0, report.errors)
        check("fib" in report.output and "177" in report.output, report.output)


def the_recording_is_private():
    place = DIRECTORY / "private"
    os.umask(0)
    run([PROGRAM], DIRECTORY, {"ASCRIBE_OUT": place})
    for path in [place, *place.rglob("*")]:
        check(path.stat().st_mode & 0o077 == 0, f"{path}: mode {path.stat().st_mode:o}")


def a_place_that_cannot_be_written():
    for place in ("/proc/nowhere", "/dev/null/x", "/nowhere/at/all", ""):
        result = run([PROGRAM], DIRECTORY, {"ASCRIBE_OUT": place})
        check(result.status == 0 and result.output == "55 20001\n",
              f"{place}: {result.ending} {result.output}")
        check(len(result.errors.splitlines()) <= 1, result.errors)


def a_place_that_others_can_write():
    """Who can cut the recording short can end the program with SIGBUS."""
    place = DIRECTORY / "open"
    place.mkdir(exist_ok=True)
    place.chmod(0o777)
    result = run([PROGRAM], DIRECTORY, {"ASCRIBE_OUT": place})
    check(result.status == 0 and "no other can write" in result.errors, result.errors)
    check(not list(place.iterdir()), "recorded there")
    place.chmod(0o700)
    control = place / "ascribe.control"
    control.write_bytes(b"")
    control.chmod(0o666)
    run([PROGRAM], DIRECTORY, {"ASCRIBE_OUT": place})
    check(control.stat().st_size == 0, "mapped what others can cut short")
    report = run([ASCRIBE, "report", place], DIRECTORY)
    check("fib" in report.output, report.errors)


def after_the_recorder():
    """What is still running when `ascribe record` ends starts programs: nothing is left behind."""
    place = DIRECTORY / "late"
    place.mkdir(exist_ok=True)
    result = run([ASCRIBE, "record", "-q", "-o", "late.ascribe", "--", "sh", "-c",
                  f"(while [ ! -e {DIRECTORY}/go ]; do sleep 0.1; done; {PROGRAM} > late.out;"
                  f" touch {DIRECTORY}/gone) > /dev/null 2>&1 & {PROGRAM}"],
                 DIRECTORY, {"ASCRIBE_TMPDIR": place})
    check(result.status == 0, result.errors)
    (DIRECTORY / "go").touch()
    for _ in range(600):
        if (DIRECTORY / "gone").exists():
            break
        time.sleep(0.1)
    check(not list(place.iterdir()), f"left {list(place.iterdir())}")
    check((DIRECTORY / "late.out").read_text() == "55 20001\n", "output")


def left_by_a_killed_recorder():
    place = DIRECTORY / "killed"
    place.mkdir(exist_ok=True)
    settings = {"ASCRIBE_TMPDIR": place}
    killed = run([ASCRIBE, "record", "-q", "-o", "no.ascribe", "--", "sh", "-c",
                  f"{PROGRAM}; kill -9 $PPID"], DIRECTORY, settings)
    check(killed.status != 0, killed.ending)
    left = list(place.iterdir())
    check(len(left) == 1 and list(left[0].glob("*.recording")), f"left {left}")
    told = run([ASCRIBE, "record", "-o", "next.ascribe", "--", PROGRAM], DIRECTORY, settings)
    check(f"ascribe report {left[0]}" in told.errors, told.errors)
    report = run([ASCRIBE, "report", left[0]], DIRECTORY)
    check(report.status == 0, report.errors)
    again = run([ASCRIBE, "record", "-o", "next.ascribe", "--", PROGRAM], DIRECTORY, settings)
    check("was killed" not in again.errors, again.errors)
    check(left[0].exists(), "removed at once")
    # Not ours to remove, however old: one that was kept, and one whose recorder lives.
    (left[0] / "recorder").unlink()
    os.utime(left[0], (0, 0))
    run([ASCRIBE, "record", "-o", "next.ascribe", "--", PROGRAM], DIRECTORY, settings)
    check(left[0].exists(), "removed what was kept")
    (left[0] / "recorder").touch()
    os.utime(left[0], (0, 0))
    descriptor = os.open(left[0], os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    run([ASCRIBE, "record", "-o", "next.ascribe", "--", PROGRAM], DIRECTORY, settings)
    check(left[0].exists(), "removed a living recorder's")
    os.close(descriptor)
    old = run([ASCRIBE, "record", "-o", "next.ascribe", "--", PROGRAM], DIRECTORY, settings)
    check(f"deleted {left[0]}" in old.errors and not left[0].exists(), old.errors)


if __name__ == "__main__":
    harness.compile_program(harness.PROGRAMS / "recursion.c", PROGRAM, ["-O2"])
    harness.main(leaves_no_file, records_where_it_is_told, the_recording_is_private,
                 a_place_that_cannot_be_written, a_place_that_others_can_write,
                 after_the_recorder, left_by_a_killed_recorder)
