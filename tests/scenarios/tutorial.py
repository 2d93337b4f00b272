#!/usr/bin/env python3
"""docs/TUTORIAL.md works: its commands run in order and print the lines that the page shows, with other
times but the same counts.  The change that it shows applies to docs/tutorial/orders.cpp."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check

DIRECTORY = harness.scratch("tutorial")
PAGE = (harness.SOURCE / "docs/TUTORIAL.md").read_text()
BLOCK = re.compile(r"^```(console|diff)\n(.*?)^```", re.M | re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def without_times(line):
    """What is the same in every run: words, and counts of a thousand and more, which are exact; not ticks."""
    line = re.sub(r"(?<=\d)\.\.(?=\d)", " ", line)  # the two ends of an interval
    line = re.sub(r"\b\d+(?= ticks)|[<~-]?\b\d+\.\d+|\b\d{1,3}\b", "", line)
    return " ".join(re.sub(r"\b(?:ns|us|ms|s)\b|[<~]| -(?= )", "", line).split())


def environment():
    path = [str(DIRECTORY), os.environ["PATH"]]
    return dict(os.environ, PATH=os.pathsep.join(path), ASCRIBE_PAGER="cat")


def in_shell(command, wanted):
    ran = subprocess.run(["sh", "-c", command], cwd=DIRECTORY, env=environment(), text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check(ran.returncode == 0, f"{command}: status {ran.returncode}\n{ran.stdout}")
    printed = [without_times(line) for line in ran.stdout.splitlines()]
    for line in wanted.splitlines():
        check(without_times(line) in printed, f"{command} does not print:\n{line}\nbut:\n{ran.stdout}")


def the_page_does_what_it_says():
    shutil.copy(harness.SOURCE / "docs/tutorial/orders.cpp", DIRECTORY)
    (DIRECTORY / "ascribe").symlink_to(shutil.which(ASCRIBE))
    commands = 0
    for kind, text in BLOCK.findall(PAGE):
        if kind == "diff":
            subprocess.run(["patch", "--quiet", "-p0"], cwd=DIRECTORY, input=text, text=True, check=True)
            continue
        for command, wanted in COMMAND.findall(text):
            in_shell(command, wanted)
            commands += 1
    check(commands > 10, f"{commands} commands were found")


if __name__ == "__main__":
    harness.main(the_page_does_what_it_says)
