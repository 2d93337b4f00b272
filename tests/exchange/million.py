#!/usr/bin/env python3
"""A profile of a million contexts, in every format: whole, in seconds, in less than a gigabyte."""

import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check

DIRECTORY = harness.scratch("exchange-million")
PATH = DIRECTORY / "million.ascribe"
MOST_SECONDS, MOST_BYTES = 30, 1 << 30  # of CPU time and of memory


def take(stream, path):
    """Write a stream to a file and return its bytes."""
    size = 0
    with open(path, "wb") as file:
        while data := stream.read(1 << 20):
            size += file.write(data)
    return size


def exported(form, read):
    """What `read` makes of the stream; the seconds and the memory that the export took."""
    process = subprocess.Popen([ASCRIBE, "export", PATH, "--to", form, "-o", "-"],
                               stdout=subprocess.PIPE)
    found = read(process.stdout)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    check(process.returncode == 0, f"{form}: ended with {process.returncode}")
    return found, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10


def collapsed(stream):
    return sum(int(line[line.rindex(b" ") + 1:]) for line in stream)


def callgrind(stream):
    return int(re.search(rb"^summary: (\d+)", stream.read(), re.M)[1])


def flamegraph(stream):
    size = take(stream, DIRECTORY / "million.svg")
    check(size < 20 << 20, f"{size} bytes")
    root = xml.parse(DIRECTORY / "million.svg").getroot()
    check(any(text.text and text.text.startswith("Not drawn: ") for text in root),
          "what is not drawn is not said")
    return int(root.get("data-whole"))


def size_only(stream):
    check(take(stream, os.devnull) > 1 << 20, "hardly anything was written")


def every_format():
    harness.made_once("million", DIRECTORY)
    whole = Profile(PATH).value("select sum(self_ns) from functions")
    readers = {"pprof": size_only, "callgrind": callgrind, "collapsed": collapsed,
               "speedscope": size_only, "flamegraph": flamegraph}
    for form, read in readers.items():
        found, seconds, memory = exported(form, read)
        print(f"        {form:11} {seconds:5.1f} s {memory >> 20:5} MB")
        check(seconds < MOST_SECONDS, f"{form}: {seconds:.0f} s")
        check(memory < MOST_BYTES, f"{form}: {memory >> 20} MB")
        check(found is None or abs(found - whole) <= 2000,
              f"{form}: {found} ns, the profile has {whole}")
    PATH.unlink()


if __name__ == "__main__":
    harness.main(every_format)
