#!/usr/bin/env python3
"""`make install` puts everything where it finds itself again, also under DESTDIR.
installed.py BUILD"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import Profile, check, must

DIRECTORY = harness.scratch("installed")
ROOT = DIRECTORY / "root"


def installed(pattern):
    found = sorted(ROOT.rglob(pattern))
    check(found, f"{pattern} is not installed")
    return found[0]


def builds_and_records():
    ascribe = installed("bin/ascribe")
    must([ascribe, "cc", "--contexts", "-O2", "-I", harness.PROGRAMS,
          harness.PROGRAMS / "recursion.c", "-o", DIRECTORY / "recursion"])
    must([ascribe, "record", "-o", DIRECTORY / "p.ascribe", "--", DIRECTORY / "recursion"])
    check(Profile(DIRECTORY / "p.ascribe").calls("fib") == 177, "calls of fib")
    must([ascribe, "report", DIRECTORY / "p.ascribe"])


def documents_are_there():
    for page in ("ascribe.1", "ascribe-cc.1", "ascribe-record.1", "ascribe-report.1"):
        installed(f"man1/{page}")
    installed("bash-completion/completions/ascribe")
    installed("doc/ascribe/README.md")


def pkg_config_names_the_compilers():
    path = installed("ascribe.pc").parent
    found = must(["pkg-config", "--variable=cc", "ascribe"],
                 environment={"PKG_CONFIG_PATH": path}).output
    check(found.strip().endswith("/bin/ascribe cc --contexts"), found)


if __name__ == "__main__":
    subprocess.run(["meson", "install", "-C", sys.argv[1], "--no-rebuild", "--quiet"], check=True,
                   env=dict(os.environ, DESTDIR=str(ROOT)), stdout=subprocess.DEVNULL)
    harness.main(builds_and_records, documents_are_there, pkg_config_names_the_compilers)
