#!/usr/bin/env python3
"""web/dist is small enough, and has the licences of its parts (rebuilt.py: it is what web/src builds)."""

import gzip
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
import viewer
from harness import check

DIST = viewer.WEB / "dist"
FILES = ("viewer.js", "viewer.css", "LICENSES.txt")
MOST_BYTES, MOST_SCRIPT = 150000, 400000


def small():
    size = sum(len(gzip.compress((DIST / name).read_bytes())) for name in FILES[:2])
    check(size < MOST_BYTES, f"{size} bytes, compressed")
    size = (DIST / "viewer.js").stat().st_size
    check(size < MOST_SCRIPT, f"viewer.js has {size} bytes")


def no_addresses_of_packages():
    check('"resolved"' not in (viewer.WEB / "package-lock.json").read_text(), "package-lock.json")


def licences():
    text = (DIST / "LICENSES.txt").read_text()
    for name in ("@dagrejs/dagre", "@dagrejs/graphlib", "uplot"):
        check(f"---- {name} " in text, f"no licence of {name}")


if __name__ == "__main__":
    harness.main(small, no_addresses_of_packages, licences)
