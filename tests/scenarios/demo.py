#!/usr/bin/env python3
"""`make demo` shows its three parts and ends with a picture and a page that are there: demo.py BUILD"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import check, must


def demo():
    output = must([harness.SOURCE / "scripts/demo", sys.argv[1]], timeout=None).output
    for shown in ("gprof shares the time", "Where the average-time assumption of gprof misleads", "saved liar.html"):
        check(shown in output, f"no {shown!r} in {output}")
    check(re.search(r"Counting 24734169 calls took .* %\) of the CPU time", output), f"no cost in {output}")
    for name in ("A picture of the viewer", "The same page to try"):
        path = re.search(rf"{name}: +(\S+)", output)
        check(path and pathlib.Path(path[1]).stat().st_size > 10000, f"{name}: {path and path[1]}")


if __name__ == "__main__":
    harness.main(demo)
