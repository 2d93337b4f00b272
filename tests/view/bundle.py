#!/usr/bin/env python3
"""web/dist is what web/src builds, small enough, with the licences of its parts."""

import gzip
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
import viewer
from harness import check, must

DIRECTORY = harness.scratch("view-bundle")
DIST = viewer.WEB / "dist"
FILES = ("viewer.js", "viewer.css", "LICENSES.txt")
MOST_BYTES = 300000


def small():
    size = sum(len(gzip.compress((DIST / name).read_bytes())) for name in FILES[:2])
    check(size < MOST_BYTES, f"{size} bytes, compressed")


def no_addresses_of_packages():
    check('"resolved"' not in (viewer.WEB / "package-lock.json").read_text(), "package-lock.json")


def licences():
    text = (DIST / "LICENSES.txt").read_text()
    for name in ("@codemirror/view", "@dagrejs/dagre", "@lezer/common"):
        check(f"---- {name} " in text, f"no licence of {name}")


def equal_to_a_rebuild():
    packages = viewer.node_packages(DIRECTORY) if shutil.which("node") else None
    if not packages:
        print("        not rebuilt")
        return
    built = DIRECTORY / "dist"
    must(["nice", "node", packages / "build.mjs", built], timeout=300)
    must(["nice", "node", packages / "node_modules" / "typescript" / "bin" / "tsc", "--noEmit", "-p", packages],
         timeout=300)
    for name in FILES:
        check((built / name).read_bytes() == (DIST / name).read_bytes(),
              f"web/dist/{name} is not what web/src builds: run make web")


if __name__ == "__main__":
    harness.main(small, no_addresses_of_packages, licences, equal_to_a_rebuild)
