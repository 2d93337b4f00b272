#!/usr/bin/env python3
"""Bad input: each gives one clear line and a non-zero status, and never a crash."""

import os
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, run

DIRECTORY = harness.scratch("faults")


def one_line(result, *words):
    """The command failed with one line that starts with its name and holds the words."""
    check(result.status > 0 and result.status < 126, f"ended with {result.ending}")
    lines = result.errors.strip().splitlines()
    check(len(lines) == 1, f"expected one line, got {result.errors!r}")
    check(lines[0].startswith("ascribe"), f"not from ascribe: {lines[0]!r}")
    for word in words:
        check(word in lines[0], f"{word!r} is not in {lines[0]!r}")


def program():
    path = DIRECTORY / "recursion"
    if not path.exists():
        harness.compile_program(harness.PROGRAMS / "recursion.c", path, ["-O2"])
    return path


def good_profile():
    path = DIRECTORY / "good.ascribe"
    if not path.exists():
        result = harness.record(program(), DIRECTORY, output=path)
        check(result.status == 0, result.errors)
    return path


def good_recording():
    path = DIRECTORY / "good.recording"
    if not path.exists():
        run([program()], DIRECTORY, {"ASCRIBE_OUT": path})
        check(path.exists(), "ASCRIBE_OUT made nothing")
    return path


def recording_content():
    """The bytes in use: the file itself is sparse and very long."""
    with sorted(good_recording().glob("*.recording"))[0].open("rb") as file:
        used = int.from_bytes(file.read(32)[24:], "little")
        file.seek(0)
        return bytearray(file.read(used))


def report(path):
    return run([ASCRIBE, "report", path], DIRECTORY)


def missing_file():
    one_line(report(DIRECTORY / "nothing.ascribe"), "nothing.ascribe")


def no_file_here():
    empty = DIRECTORY / "empty"
    empty.mkdir(exist_ok=True)
    one_line(run([ASCRIBE, "report"], empty), "ascribe record")


def empty_file():
    path = DIRECTORY / "empty.ascribe"
    path.write_bytes(b"")
    one_line(report(path), "empty.ascribe")


def foreign_files():
    for name, content in (("text", b"hello\n" * 1000), ("elf", program().read_bytes()),
                          ("zeros", bytes(100000))):
        path = DIRECTORY / name
        path.write_bytes(content)
        one_line(report(path), name)


def foreign_database():
    path = DIRECTORY / "foreign.db"
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.execute("create table functions(id, name)")
    database.commit()
    database.close()
    one_line(report(path), "foreign.db")


def truncated_profile():
    content = good_profile().read_bytes()
    path = DIRECTORY / "short.ascribe"
    for size in (50, 100, 4096, len(content) // 2):
        path.write_bytes(content[:size])
        one_line(report(path), "short.ascribe")


def corrupt_profile():
    content = bytearray(good_profile().read_bytes())
    path = DIRECTORY / "corrupt.ascribe"
    for start in range(4096, len(content) - 512, max(4096, len(content) // 8)):
        damaged = bytearray(content)
        damaged[start:start + 512] = os.urandom(512)
        path.write_bytes(damaged)
        result = report(path)
        check(result.status in (0, 1, 2), f"damage at {start}: {result.ending}\n{result.errors}")
        if result.status:
            one_line(result, "corrupt.ascribe")


def newer_profile():
    path = DIRECTORY / "newer.ascribe"
    path.write_bytes(good_profile().read_bytes())
    database = sqlite3.connect(path)
    database.execute("pragma user_version = 10000")
    database.commit()
    database.close()
    one_line(report(path), "newer")


def newer_recording():
    content = recording_content()
    content[8:12] = (10000).to_bytes(4, "little")
    path = DIRECTORY / "1.0.recording"
    path.write_bytes(content)
    one_line(report(path), "newer")


def truncated_recording():
    """Cut at any place, a recording is read as far as it goes, or refused in one line."""
    content = recording_content()
    path = DIRECTORY / "2.0.recording"
    for size in (10, 311, 4096, 16384, 16384 + 64, 40000, len(content) // 2):
        path.write_bytes(content[:size])
        result = report(path)
        check(result.status in (0, 1, 2), f"cut at {size}: {result.ending}\n{result.errors}")
        if result.status:
            one_line(result, "2.0.recording")


def missing_program():
    for name in ("/nowhere/program", "no-such-program-here"):
        result = run([ASCRIBE, "record", "-o", DIRECTORY / "x.ascribe", "--", name], DIRECTORY)
        check(result.status == 127, f"ended with {result.ending}")
        check(len(result.errors.strip().splitlines()) == 1 and name in result.errors, result.errors)
        check(not (DIRECTORY / "x.ascribe").exists(), "saved a profile of nothing")


def program_that_is_no_program():
    path = DIRECTORY / "data"
    path.write_bytes(b"\0\1\2\3")
    result = run([ASCRIBE, "record", "--", path], DIRECTORY)
    check(result.status == 126, f"not executable: ended with {result.ending}")
    check(len(result.errors.strip().splitlines()) == 1, result.errors)


def program_without_hooks():
    """Runs as it is; so short a run has no ticks, which is said."""
    result = run([ASCRIBE, "record", "-o", DIRECTORY / "plain.ascribe", "--", "/bin/echo", "hello"],
                 DIRECTORY)
    check(result.output == "hello\n", f"output {result.output!r}")
    check(" tick" in result.errors and "saved " in result.errors, result.errors)


def wrong_options():
    for arguments in (["frobnicate"], ["report", "--no-such-option"], ["record", "--rate", "x", "--",
                                                                       "true"], ["record"]):
        result = run([ASCRIBE, *arguments], DIRECTORY)
        check(0 < result.status < 126, f"{arguments}: ended with {result.ending}")
        check(result.errors.startswith("ascribe"), f"{arguments}: {result.errors!r}")


def rebuilt_program():
    """A binary that is not the recorded one is said to have changed, and its names are not used."""
    path = DIRECTORY / "rebuilt"
    harness.compile_program(harness.PROGRAMS / "recursion.c", path, ["-O2"])
    kept = DIRECTORY / "rebuilt.recording"
    run([path], DIRECTORY, {"ASCRIBE_OUT": kept})
    harness.compile_program(harness.PROGRAMS / "mutual.c", path, ["-O2"])
    result = report(kept)
    text = result.output + result.errors
    check("changed" in text or "rebuilt" in text, text[:2000])
    check(" odd" not in text, "names of another build are used")


if __name__ == "__main__":
    harness.main(missing_file, no_file_here, empty_file, foreign_files, foreign_database,
                 truncated_profile, corrupt_profile, newer_profile, newer_recording,
                 truncated_recording, missing_program, program_that_is_no_program,
                 program_without_hooks, wrong_options, rebuilt_program)
