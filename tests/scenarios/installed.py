#!/usr/bin/env python3
"""`make install` puts everything where it finds itself again, also under DESTDIR.
installed.py BUILD"""

import os
import pathlib
import re
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
    for completion in ("bash-completion/completions/ascribe", "zsh/site-functions/_ascribe",
                       "fish/vendor_completions.d/ascribe.fish"):
        installed(completion)
    top = installed("doc/ascribe/README.md").parent
    for page in top.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
            check("://" in target or (page.parent / target).exists(), f"{page.relative_to(top)}: there is no {target}")


def pkg_config_names_the_compilers():
    path = installed("ascribe.pc").parent
    found = must(["pkg-config", "--variable=cc", "ascribe"],
                 environment={"PKG_CONFIG_PATH": path}).output
    check(found.strip().endswith("/bin/ascribe cc"), found)
    version = must([installed("bin/ascribe"), "--version"]).output.split()[1]
    told = must(["pkg-config", "--modversion", "ascribe"], environment={"PKG_CONFIG_PATH": path}).output
    check(f"Version {version} " in installed("doc/ascribe/README.md").read_text(), "README.md's version")
    check(told.strip() == version == (harness.SOURCE / "VERSION").read_text().strip(), f"{told} {version}")


def is_stripped():
    for program in (installed("bin/ascribe"), installed("ascribe_gcc_plugin*.so")):
        sections = must(["readelf", "--section-headers", "--wide", program]).output
        check(".debug_info" not in sections, f"{program} has debug information")


def uninstalls_what_it_installed():
    stranger = installed("bin/ascribe").with_name("stranger")
    stranger.write_text("")
    install("uninstall")
    left = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if not path.is_dir()]
    check(left == [str(stranger.relative_to(ROOT))], f"left behind: {left}")


def install(target):
    """As the Makefile does it."""
    command = {"install": ["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--strip"],
               "uninstall": ["ninja", "-C", BUILD, "uninstall"]}[target]
    subprocess.run(command, check=True, env=dict(os.environ, DESTDIR=str(ROOT)),
                   stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    BUILD = sys.argv[1]
    install("install")
    harness.main(builds_and_records, documents_are_there, pkg_config_names_the_compilers, is_stripped,
                 uninstalls_what_it_installed)
