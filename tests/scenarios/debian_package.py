#!/usr/bin/env python3
"""Debian's tools build the package from debian/, lintian finds nothing wrong with it, and what it
installs counts and records (debian/tests/smoke)."""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import check, must, run

DIRECTORY = harness.scratch("debian-package")
SOURCE = DIRECTORY / "ascribe"
TOOLS = ("dpkg-buildpackage", "dh", "lintian")


def builds():
    # The parts' tests are run beside this one, which is about the package: it compiles in two thirds of the time.
    environment = {"DEB_BUILD_OPTIONS": "nocheck noautodbgsym parallel=2",
                   "DEB_CFLAGS_APPEND": "-O1 -g0", "DEB_CXXFLAGS_APPEND": "-O1 -g0"}
    must(["dpkg-buildpackage", "-us", "-uc", "-b"], directory=SOURCE, environment=environment,
         timeout=None)
    version = (harness.SOURCE / "VERSION").read_text().strip()
    check((DIRECTORY / f"ascribe_{version}_amd64.deb").exists(), f"debian/changelog is not of {version}")


def lintian_finds_nothing():
    result = run(["lintian", "--fail-on", "error,warning", "--allow-root",
                  *DIRECTORY.glob("*.changes")], timeout=None)
    check(result.status == 0, result.output + result.errors)


def works_as_installed():
    root = DIRECTORY / "root"
    must(["dpkg-deb", "--extract", next(DIRECTORY.glob("ascribe_*.deb")), root])
    must([harness.SOURCE / "debian/tests/smoke"], timeout=None,
         environment={"PATH": f"{root}/usr/bin:{os.environ['PATH']}", "AUTOPKGTEST_TMP": DIRECTORY})


def main():
    absent = [tool for tool in TOOLS if not shutil.which(tool)]
    if absent:
        harness.skip(f"{', '.join(absent)} not installed")
    harness.copy_source(SOURCE)
    lacking = subprocess.run(["dpkg-checkbuilddeps"], cwd=SOURCE, stderr=subprocess.PIPE, text=True,
                             check=False)
    if lacking.returncode:
        harness.skip(lacking.stderr.strip())
    harness.main(builds, lintian_finds_nothing, works_as_installed)


if __name__ == "__main__":
    main()
