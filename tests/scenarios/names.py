#!/usr/bin/env python3
"""Names of profiles: no profile is lost in silence, and what cannot be written is known early."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("names")


def fresh(name):
    place = DIRECTORY / name
    place.mkdir()
    return place


def record(place, *words):
    return must([ASCRIBE, "record", *words, "--", "true"], directory=place).errors.splitlines()[-1]


def profiles(place):
    return sorted(path.name for path in place.iterdir())


def one_after_the_other():
    place = fresh("turns")
    for name in ("true.ascribe", "true.2.ascribe", "true.3.ascribe"):
        check(record(place) == f"saved {name}", name)
    check(record(place, "-o", "true.2.ascribe")
          == "saved true.2.ascribe in place of the file that was there", "-o")
    check(profiles(place) == ["true.2.ascribe", "true.3.ascribe", "true.ascribe"],
          f"{profiles(place)}")
    check(record(place) == "saved true.4.ascribe", "the fourth")
    report = must([ASCRIBE, "report", "--flat"], directory=place)
    check("true.4.ascribe, the newest of 4 profiles here" in report.errors, report.errors)


def at_once():
    """Each finds a name of its own."""
    place, count = fresh("at_once"), 6
    recorders = [subprocess.Popen([ASCRIBE, "record", "--", "sh", "-c", f"exit {number}"], cwd=place,
                                  stderr=subprocess.PIPE, text=True) for number in range(count)]
    saved = set()
    for number, recorder in enumerate(recorders):
        _, errors = recorder.communicate()
        check(recorder.returncode == number, errors)
        saved.add(errors.splitlines()[-1].removeprefix("saved "))
    check(len(saved) == count and saved == set(profiles(place)), f"{saved} {profiles(place)}")
    commands = {Profile(place / name).value("select command from runs") for name in saved}
    check(len(commands) == count, f"{commands}")


def newest_alone():
    """Where there is no choice nothing is said."""
    place = fresh("alone")
    record(place)
    check(must([ASCRIBE, "report"], directory=place).errors == "", "said what is clear")
    check(must([ASCRIBE, "html"], directory=place).errors
          == "saved true.html: open it in a browser\n", "html does not say what it saved")


def imported():
    place = fresh("imported")
    (place / "stacks.txt").write_text("main;work 5\n")
    for name in ("stacks.txt.ascribe", "stacks.txt.2.ascribe"):
        errors = must([ASCRIBE, "import", "stacks.txt"], directory=place).errors
        check(errors.endswith(f"saved {name}\n"), errors)


def unwritable():
    """Said before the program runs."""
    words = [ASCRIBE, "record", "-o", "no/such/x.ascribe", "--", "sh", "-c", "echo ran"]
    result = run(words, DIRECTORY)
    check(result.status == 125 and result.output == "" and len(result.errors.splitlines()) == 1
          and "-o FILE" in result.errors, f"{result.ending}\n{result.errors}")
    if os.getuid() == 0:
        print("        (a directory that this user may not write: root may)")
        return
    result = run([ASCRIBE, "record", "--", "sh", "-c", "echo ran"], "/")
    check(result.status == 125 and result.output == "", f"{result.ending}\n{result.errors}")


def removed_meanwhile():
    """The program's status stays; the recording is kept."""
    place = fresh("removed")
    result = run([ASCRIBE, "record", "--", "sh", "-c", f"rmdir {place}; exit 4"], place)
    check(result.status == 4 and "the recording is kept: ascribe report" in result.errors,
          f"{result.ending}\n{result.errors}")
    kept = result.errors.rsplit(" ", 1)[1].strip()
    must([ASCRIBE, "report", kept])
    for path in pathlib.Path(kept).iterdir():
        path.unlink()
    pathlib.Path(kept).rmdir()


if __name__ == "__main__":
    harness.main(one_after_the_other, at_once, newest_alone, imported, unwritable,
                 removed_meanwhile)
