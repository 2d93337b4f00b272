#!/usr/bin/env python3
"""Whether two builds of Ascribe say the same of the same files: the judge of changes that must not
change what users see. It is no test of its own, as it needs two builds.

  tests/golden.py inputs DIR             make recordings and profiles with the build $ASCRIBE
  tests/golden.py outputs DIR OUT        write what the build $ASCRIBE says of them, as text
  diff -r OUT OTHER_OUT
"""

import pathlib
import shutil
import sqlite3
import sys

import harness
import run_program
from harness import ASCRIBE, must, run

LEVELS = ["contexts", "counts", "expressions", "sampled"]
REPORTS = [["--flat", "-n", "all"], ["--graph", "-n", "all"], ["--contexts", "-n", "all"], ["--cycles"],
           ["--misled"], ["--runs"], ["--lines", "-n", "all"], ["--processes"], ["--threads"], ["--static"],
           ["--source", "main"], ["--source", "main", "--copies", "--all"], ["--asm", "main"], ["--calls", "main"],
           ["--metric", "waiting"], ["--focus", "main"], ["--thread", "1"], ["--json"], ["--json", "--focus", "main"],
           ["--sort", "total"]]
FORMATS = ["callgrind", "collapsed", "speedscope", "flamegraph", "lcov", "pprof", "ghc-hp", "ghc-prof"]
EACH = 3  # of so many programs one, so that a whole comparison takes a few minutes
MERGED = 6


def make_inputs(directory):
    """A third of the programs, at the levels in turn; what cannot be built here is left out by name."""
    directory.mkdir(parents=True)
    for number, source in enumerate(sorted(harness.PROGRAMS.glob("*.c*"))[::EACH]):
        level = LEVELS[number % len(LEVELS)]
        place = directory / source.name
        try:
            program = run_program.build(source, run_program.Expectations(source), place, "-O2",
                                        False if level == "sampled" else level)
            run([ASCRIBE, "record", "-q", "-o", place / "profile.ascribe", "--", program], place)
        except harness.Failure as failure:
            print(f"{source.name}: left out: {str(failure).splitlines()[0]}")
            shutil.rmtree(place)
            continue
        # The raw recording, for all that lies between it and the profile.
        if level != "sampled": run([program], place, environment={"ASCRIBE_OUT": place / "recording"})
        print(source.name, level)
    profiles = sorted(directory.glob("*/profile.ascribe"))
    for first in range(0, len(profiles) - MERGED, MERGED):
        place = directory / f"merge{first // MERGED}"
        place.mkdir()
        run([ASCRIBE, "merge", "-o", place / "profile.ascribe", *profiles[first:first + MERGED]])


def dump(profile):
    """Every view, row by row."""
    connection = sqlite3.connect(f"file:{profile}?mode=ro", uri=True)
    views = connection.execute("select name from sqlite_master where type = 'view' order by name").fetchall()
    for (view,) in views:
        cursor = connection.execute(f"select * from {view}")
        yield f"-- {view}: {', '.join(column[0] for column in cursor.description)}"
        yield from map(repr, cursor)


def write_outputs(directory, out):
    out.mkdir(parents=True)
    for place in sorted(directory.iterdir()):
        for file in [*place.glob("profile.ascribe"), *place.glob("recording")]:
            target = out / place.name / file.stem
            target.mkdir(parents=True)
            for options in REPORTS:
                said = run([ASCRIBE, "report", *options, file], place)
                (target / "".join(options).lstrip("-")).write_text(f"{said.ending}\n{said.output}{said.errors}")
            for name in FORMATS:
                said = run([ASCRIBE, "export", "--to", name, "-o", name, file], target)
                (target / (name + ".said")).write_text(said.errors)
            if file.name == "profile.ascribe":
                (target / "views").write_text("\n".join(dump(file)))
                must([ASCRIBE, "html", "-o", target / "page.html", file])


if __name__ == "__main__":
    what, *paths = sys.argv[1:] or ["", ""]
    if (what, len(paths)) == ("inputs", 1): make_inputs(pathlib.Path(paths[0]).resolve())
    elif (what, len(paths)) == ("outputs", 2): write_outputs(*(pathlib.Path(path).resolve() for path in paths))
    else: sys.exit(__doc__)
