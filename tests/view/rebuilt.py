#!/usr/bin/env python3
"""web/dist is what web/src builds, whose types are right."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
import viewer
from harness import check, must

DIRECTORY = harness.scratch("view-rebuilt")


def equal_to_a_rebuild():
    packages = viewer.node_packages(DIRECTORY)
    built = DIRECTORY / "dist"
    must(["nice", "node", packages / "build.mjs", built], timeout=None)
    must(["nice", "node", packages / "node_modules" / "typescript" / "bin" / "tsc", "--noEmit", "-p", packages],
         timeout=None)
    for name in ("viewer.js", "viewer.css", "LICENSES.txt"):
        check((built / name).read_bytes() == (viewer.WEB / "dist" / name).read_bytes(),
              f"web/dist/{name} is not what web/src builds: run make web")


if __name__ == "__main__":
    harness.main(equal_to_a_rebuild)
