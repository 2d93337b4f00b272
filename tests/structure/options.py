#!/usr/bin/env python3
"""The manual pages and the completion offer the options that --help names, and no others.
options.py ASCRIBE"""

import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
WRAPPERS = {"c++": "cc", "fc": "cc"}  # have the same manual page
LONG = re.compile(r"(?:^|[\s,\[])(--[a-z][a-z-]+)")


def help_options(ascribe, *command):
    """Of the compiler wrapper: without what the compiler says of its own."""
    text = subprocess.run([ascribe, *command, "--help"], capture_output=True, text=True,
                          check=True).stdout
    return set(LONG.findall(text.split("ascribe-cc(1)")[0]))


def manual_options(page):
    """Long options of the list: .It Fl o , -output Ar file -> --output."""
    options = set()
    for line in (SOURCE / "docs" / "man" / page).read_text().splitlines():
        if line.startswith(".It Fl"):
            options |= {"--" + name for name in re.findall(r"(?<=[ ,])-([a-z][a-z-]+)", line)}
    return options


def completed(ascribe, *words):
    """What bash offers after these words; the last may be begun."""
    script = (f'source "{SOURCE}/completions/ascribe"; COMP_WORDS=("$@"); '
              'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ascribe; printf "%s\\n" "${COMPREPLY[@]}"')
    path = f"{pathlib.Path(ascribe).resolve().parent}:{os.environ['PATH']}"
    offered = subprocess.run(["bash", "-c", script, "bash", "ascribe", *words], text=True,
                             capture_output=True, check=True, env=dict(os.environ, PATH=path))
    return set(offered.stdout.split())


def main():
    ascribe = sys.argv[1]
    wrong = []
    for command in ("cc", "record", "report", "export", "start", "import", "merge", "diff",
                    "gprof", "growth", "view", "html"):
        told = help_options(ascribe, command)
        for name, options in (("manual", manual_options(f"ascribe-{command}.1")),
                              ("completion", completed(ascribe, command, "--"))):
            for option in sorted(told ^ options):
                wrong.append(f"{command} {option}: only in one of --help and the {name}")
    commands = completed(ascribe, "")
    for command in ("cc", "c++", "fc", "record", "report", "export", "start", "stop", "import", "merge",
                    "diff", "gprof", "growth", "view", "html"):
        if command not in commands:
            wrong.append(f"{command} is not completed")
        if not (SOURCE / "docs" / "man" / f"ascribe-{WRAPPERS.get(command, command)}.1").exists():
            wrong.append(f"{command} has no manual page")
    print("\n".join(wrong) or "the same options everywhere")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
