#!/usr/bin/env python3
"""Programs of different kinds for CHICKEN Scheme: the same output, errors and ending in each way of building and
running them.

    chicken_programs.py [--suite]

--suite: the programs of bench/chicken and CHICKEN's own tests, too (some minutes; bench/fetch gets their sources from Debian). What is compared is each
program that the tests compile or interpret and run, with the installed csc and csi, one by one; those that do not say
the same twice without Ascribe are left out and told."""

import os
import pathlib
import re
import shlex
import shutil
import sys
from collections import namedtuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must, run

DIRECTORY = harness.scratch("chicken_programs")
RECORD = [ASCRIBE, "record", "-q", "-o", DIRECTORY / "program.ascribe", "--"]
SECONDS = 300

# compiler: the command that stands for csc; runner: what is put before the program. The first way is the judge.
Way = namedtuple("Way", "title compiler runner")
BUILT = [ASCRIBE, "csc", "-d2"] # with trace points, so that errors have their call history
WAYS = [Way("plain", ["csc"], []), Way("recorded", ["csc"], RECORD), Way("built with ascribe csc", BUILT, []),
        Way("built with ascribe csc and recorded", BUILT, RECORD)]

BENCHMARKS = [(harness.SOURCE / "bench" / "chicken" / f"{name}.scm", arguments) for name, arguments in (
    ("nfa", ["200"]), ("kernwyk-array", ["5", "10000"]), ("tak", ["2"]), ("ctak", ["1"]))]
PROGRAMS = [(harness.SOURCE / "tests" / "scheme" / f"{name}.scm", []) for name in (
    "bignums", "words", "queens", "control", "machine", "processes")]
QUICKLY = ["-w", "-C", "-O0"]  # gcc would take most of the time


def without_addresses(text):
    """Addresses, numbers of processes in names of files, and times differ between runs."""
    text = re.sub(r"0x[0-9a-f]+|temp[0-9a-f]+\.[0-9]+", "ADDRESS", text)
    return re.sub(r"[0-9.]+(s? CPU time|s? GC time| seconds)", r"TIME\1", text)


def said(command, directory):
    result = run(["timeout", "-s", "KILL", SECONDS, *command], directory=directory, environment={"ASCRIBE_OUT": None})
    return without_addresses(result.output), without_addresses(result.errors), result.ending


def same_everywhere(programs):
    for source, arguments in programs:
        compiled, ends = {}, {}
        for way in WAYS:
            compiler = shlex.join(map(str, way.compiler))
            if compiler not in compiled:
                compiled[compiler] = DIRECTORY / f"{source.stem}-{len(compiled)}"
                must([*way.compiler, *QUICKLY, source, "-o", compiled[compiler]], directory=DIRECTORY)
            ends[way.title] = said([*way.runner, compiled[compiler], *arguments], DIRECTORY)
            check(ends[way.title] == ends[WAYS[0].title], f"{source.name}, {way.title}: {ends}")


# ---- CHICKEN's own tests ----

Step = namedtuple("Step", "compiler options is_run")


def steps(text):
    """runtests.sh, as far as it compiles, runs and interprets."""
    for line in text.replace("\\\n", " ").splitlines():
        line = re.sub(r"^\s*(if |\$time )?", "", line).replace("${TEST_DIR}", ".").replace("$TEST_DIR", ".")
        if not re.match(r"\$compile|\$interpret|\./", line):
            continue
        words = shlex.split(re.sub(r"; then$", "", line))
        ends = [number for number, word in enumerate(words) if re.match(r"2?>|\|\|", word)]
        words = words[:ends[0] if ends else None]
        if words[0] in ("$compile", "$compile_r", "$compile_s"):
            shared = ["-s"] if words[0] == "$compile_s" else []
            target = [] if shared or "-o" in words or words[0] == "$compile_r" else ["-o", "a.out"]
            yield Step("csc", [*shared, *words[1:], *target], False)
        elif words[0] == "$interpret":
            yield Step("csi", ["-n", *words[1:]], True)
        elif re.match(r"\./\w+(\.out)?$", words[0]):
            yield Step(words[0], words[1:], True)


class Lane:
    """The tests in a directory of a way's own."""

    def __init__(self, number, way, sources):
        self.way, self.directory = way, DIRECTORY / f"suite-{number}"
        shutil.copytree(sources, self.directory)
        (self.directory / "test-repository").mkdir()

    def compiled(self, step, judge):
        """Whether it is: by the judge already, if it has the same compiler."""
        if self is judge or self.way.compiler != judge.way.compiler:
            (self.directory / "a.out").unlink(missing_ok=True)
            return said([*self.way.compiler, *step.options, *QUICKLY], self.directory)[2] == "status 0"
        for file in judge.directory.iterdir():
            own = self.directory / file.name
            if file.is_file() and (not own.exists() or file.stat().st_mtime > own.stat().st_mtime):
                shutil.copy2(file, own)
        return True

    def run(self, step):
        end = said([*self.way.runner, step.compiler, *step.options], self.directory)
        return tuple(text.replace(str(self.directory), ".") for text in end)


def sources_of_suite():
    must([harness.SOURCE / "bench" / "fetch", "chicken"])
    work = os.environ.get("ASCRIBE_BENCH_WORK", harness.SOURCE / "bench" / "work")
    return pathlib.Path(work) / "chicken" / "tests"


def suite():
    sources = sources_of_suite()
    judge, *others = [Lane(number, way, sources) for number, way in enumerate(WAYS)]
    compared, succeeded, left_out, wrong = 0, 0, [], []
    made, what = False, ""
    for step in list(steps((sources / "runtests.sh").read_text())):
        text = shlex.join([step.compiler, *step.options])
        if not step.is_run:
            made, what = [lane.compiled(step, judge) for lane in [judge, *others]], text
            continue
        is_compiled = step.compiler != "csi"
        text += f" ({what})" if is_compiled else ""
        if is_compiled and not made[0]:
            left_out.append(f"{text}: not compiled")
            continue
        expected, *found = [lane.run(step) for lane in [judge, *others]]
        if any(end != expected for end in found) and judge.run(step) != expected:
            left_out.append(f"{text}: differs by itself")
            continue
        compared += 1
        succeeded += expected[2] == "status 0"
        wrong += [f"{text}, {lane.way.title}: {end}\n  not {expected}" for lane, end in zip(others, found) if end != expected]
        print(f"{text[:110]}: {expected[2]}{' WRONG' if wrong and text in wrong[-1] else ''}", flush=True)
    print(f"{compared} runs of CHICKEN's tests were compared, {succeeded} of which end with success; left out:", *left_out, sep="\n  ")
    check(compared > 50 and not wrong, "\n".join(wrong))


def main():
    if not shutil.which("csc") or "CHICKEN" not in run(["csc", "-version"]).output:
        harness.skip("CHICKEN's csc is not installed")
    if sys.argv[1:] == ["--suite"]:
        same_everywhere(BENCHMARKS)
        suite()
    same_everywhere(PROGRAMS)


if __name__ == "__main__":
    main()
