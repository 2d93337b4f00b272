#!/usr/bin/env python3
"""The manual pages and the completions of bash, zsh and fish offer the options that --help names,
and no others.
options.py ASCRIBE"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
COMPLETIONS = SOURCE / "completions"
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


def offered(ascribe, shell, *words):
    """What a shell's completion prints, the command being found as it is when installed."""
    path = f"{pathlib.Path(ascribe).resolve().parent}:{os.environ['PATH']}"
    return set(subprocess.run([*shell, "ascribe", *words], text=True, capture_output=True, check=True,
                              env=dict(os.environ, PATH=path)).stdout.split("\n")) - {""}


def completed_by_bash(ascribe, *words):
    """What is offered after these words; the last may be begun."""
    script = (f'source "{COMPLETIONS}/ascribe"; COMP_WORDS=("$@"); '
              'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ascribe; printf "%s\\n" "${COMPREPLY[@]}"')
    return offered(ascribe, ["bash", "-c", script, "bash"], *words)


def completed_by_zsh(ascribe, *words):
    """Its own functions that offer words print them here; an editor's line is not needed."""
    script = ('compadd() { [[ $1 == -- ]] && shift; print -l -- "$@"; }; '
              '_describe() { print -l -- "${(P@)2%%:*}"; }; _files() {}; _alternative() {}; '
              f'source "{COMPLETIONS}/_ascribe"; words=("$@"); CURRENT=$#; _ascribe; true')
    return offered(ascribe, ["zsh", "-f", "-c", script, "zsh"], *words)


def completed_by_fish(ascribe, *words):
    script = f'source "{COMPLETIONS}/ascribe.fish"; complete -C "$argv"'
    found = offered(ascribe, ["fish", "--no-config", "-c", script], *words)
    return {line.split("\t")[0] for line in found}


SHELLS = {"bash": completed_by_bash, "zsh": completed_by_zsh, "fish": completed_by_fish}


def main():
    ascribe = sys.argv[1]
    wrong = []
    shells = {name: completed for name, completed in SHELLS.items() if shutil.which(name)}
    for command in ("cc", "record", "report", "export", "start", "import", "merge", "diff",
                    "gprof", "growth", "view", "html"):
        told = help_options(ascribe, command)
        offers = {shell: completed(ascribe, command, "--") for shell, completed in shells.items()}
        for name, options in {"manual": manual_options(f"ascribe-{command}.1"), **offers}.items():
            for option in sorted(told ^ options):
                wrong.append(f"{command} {option}: only in one of --help and the {name}")
    commands = {shell: completed(ascribe, "") for shell, completed in shells.items()}
    for command in ("cc", "c++", "fc", "record", "report", "export", "start", "stop", "import", "merge",
                    "diff", "gprof", "growth", "view", "html"):
        for shell in shells:
            if command not in commands[shell]:
                wrong.append(f"{command} is not completed by {shell}")
        if not (SOURCE / "docs" / "man" / f"ascribe-{WRAPPERS.get(command, command)}.1").exists():
            wrong.append(f"{command} has no manual page")
    for shell, completed in shells.items():
        if "speedscope" not in completed(ascribe, "export", "--to", ""):
            wrong.append(f"{shell} does not complete formats")
    if wrong:
        sys.exit("\n".join(wrong))
    print("the same options in --help, the manual and the completions of", *shells)
    absent = sorted(SHELLS.keys() - shells.keys())
    if absent:
        print("skipped:", *absent, "not installed")
        sys.exit(77)


if __name__ == "__main__":
    main()
