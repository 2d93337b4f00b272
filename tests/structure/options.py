#!/usr/bin/env python3
"""What is made of the options' tables (src/cli/options) works where it ends: bash, zsh and fish offer
the options and their arguments, the manual's pages have no mistakes, and each command, the compiler
wrapper too, takes each option.
options.py ASCRIBE MANUAL-DIRECTORY"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
COMPLETIONS = SOURCE / "completions"
COMMANDS = ("cc", "c++", "fc", "csc", "scheme", "record", "top", "report", "export", "start", "stop", "import", "merge", "diff",
            "gprof", "growth", "view", "html")
LONG = re.compile(r"^  (?:-\w, |    )?(--[a-z-]+)((?:\[=|=| )[^\s\]]+)?", re.M)


def said(*words, directory=None):
    return subprocess.run(words, capture_output=True, text=True, cwd=directory).stdout


def help_options(ascribe, command):
    """Names and what follows them, as =PATTERNS or [=NAME; of the wrapper without the compiler's."""
    return dict(LONG.findall(said(ascribe, command, "--help").split("ascribe-cc(1)")[0].split("ascribe-csc(1)")[0]
                             .split("ascribe-scheme(1)")[0]))


# ---- the shells ----

def completed(ascribe, shell, *words, directory=None):
    """What a shell's completion prints, the program being found as it is when installed."""
    path = f"{pathlib.Path(ascribe).resolve().parent}:{os.environ['PATH']}"
    return set(subprocess.run([*shell, *words], text=True, capture_output=True, check=True, cwd=directory,
                              env=dict(os.environ, PATH=path)).stdout.split("\n")) - {""}


def completed_by_bash(ascribe, *words, directory=None):
    """Bash has = and : as words of their own, and what stands before them does not come back."""
    script = (f'source "{COMPLETIONS}/ascribe"; COMP_WORDS=("$@"); '
              'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ascribe; printf "%s\\n" "${COMPREPLY[@]}"')
    split = [part for word in words for part in re.findall(r"[=:]|[^=:]+", word) or [""]]
    before = words[-1][:re.search(r"[^=:]*$", words[-1]).start()]
    found = completed(ascribe, ["bash", "-c", script, "bash", "ascribe"], *split, directory=directory)
    return {before + word for word in found}


def completed_by_zsh(ascribe, *words, directory=None):
    """Its own functions that offer words print them here; an editor's line is not needed."""
    script = ('_describe() { print -l -- "${(P@)2%%:*}"; }; _alternative() {}; _normal() print program; '
              '_files() { print -l -- ${~:-*}; }; compset() {}; '
              f'source "{COMPLETIONS}/_ascribe"; words=("$@"); CURRENT=$#; _ascribe; true')
    return completed(ascribe, ["zsh", "-f", "-c", script, "zsh", "ascribe"], *words, directory=directory)


def completed_by_fish(ascribe, *words, directory=None):
    script = f'source "{COMPLETIONS}/ascribe.fish"; complete -c grep -l word; complete -C "$argv"'
    found = completed(ascribe, ["fish", "--no-config", "-c", script, "ascribe"], *words, directory=directory)
    return {line.split("\t")[0] for line in found}


STACKS = pathlib.Path(__file__).parent.parent / "fuzz" / "corpus" / "import_perf_script" / "stacks"
SHELLS = {"bash": completed_by_bash, "zsh": completed_by_zsh, "fish": completed_by_fish}
# Words, and what has to be offered for the last; zsh leaves out itself what does not begin so.
ARGUMENTS = (
    (["export", "--to", ""], {"speedscope", "lcov"}),
    (["import", "--from", "p"], {"perf", "pprof"}),
    (["report", "--sort", ""], {"self", "total", "calls", "name"}),
    (["report", "--sort=s"], {"--sort=self"}),
    (["report", "-M", "waiting,page"], {"waiting,page-faults"}),
    (["record", "-e", "cycles,page"], {"cycles,page-faults"}),
    (["diff", "-n", "3", "--of", "s"], {"sites"}),
    (["cc", "--ascribe-placement="], {"--ascribe-placement=few"}),
    (["report", "events.ascribe", "--focus", "e"], {"even"}),
    (["report", "events.ascribe", "-M", "pa"], {"page-faults"}),
    (["report", "events.ascribe", "--thread="], {"--thread=1"}),
    (["report", "-n", "3", "events.profile", "--focus", "e"], {"even"}),
    (["report", "o"], {"one.ascribe"}),
    (["import", "-qo", "tw"], {"two.txt"}),
)


def wrong_in(shell, complete, ascribe, directory):
    commands = complete(ascribe, "")
    yield from (f"{command} is not completed" for command in COMMANDS if command not in commands)
    for command in COMMANDS:
        told = set(help_options(ascribe, command))
        offered = {word for word in complete(ascribe, command, "--") if word.startswith("--")}
        for option in sorted(told ^ offered):
            yield f"{command} {option}: only in one of --help and completion"
    for words, expected in ARGUMENTS:
        found = complete(ascribe, *words, directory=directory)
        if not expected <= found:
            yield f"{' '.join(words)}: {sorted(found)}"
    found = complete(ascribe, "record", "-o", "x", "grep", "--w", directory=directory)
    if found != {"zsh": {"program"}, "fish": {"--word"}, "bash": set()}[shell]:
        yield f"record grep --w: {sorted(found)}"


# ---- the rest ----

def wrong_pages(directory):
    for command in COMMANDS:
        page = directory / f"ascribe-{command.replace('c++', 'cc').replace('fc', 'cc')}.1"
        text = page.read_text()
        if "@OPTIONS@" in text or not text.startswith((".Dd", ".so man1/")):
            yield f"{page.name} is not made"
        elif text.startswith(".Dd") and shutil.which("mandoc"):
            yield from said("mandoc", "-T", "lint", "-W", "warning", page).splitlines()


def untaken(ascribe, directory):
    """Options that a command's code does not know, or whose value the table refuses."""
    for command in set(COMMANDS) - {"cc", "c++", "fc", "csc", "scheme"}:
        for option, argument in help_options(ascribe, command).items():
            offered = said(ascribe, "--complete", command, option + "=").splitlines()
            words = [line.split("\t")[0] for line in offered if line[0] == "-"]
            usual = f"{option}={'FROM/TO' if '/' in argument else 1}"
            word = (words or [usual])[0] if argument else option
            status = subprocess.run([ascribe, command, word, "--help"], capture_output=True, cwd=directory).returncode
            if status != 0:
                yield f"{command} {word} is not taken: {status}"


def wrong_in_wrapper(ascribe, directory):
    """Options that it does not know reach the compiler's command line."""
    for option, value in help_options(ascribe, "cc").items():
        word = option + value.split("|")[0]
        told = said(ascribe, "cc", "--ascribe-explain", word, "x.c", directory=directory)
        command = told.partition("\ncommand:")[2].split()
        if not command or word in command:
            yield f"cc {word} is not taken"
    for word in help_options(ascribe, "csc"):
        if word in said(ascribe, "csc", "--ascribe-explain", word, "x.scm", directory=directory).split():
            yield f"csc {word} is not taken"
    for word in help_options(ascribe, "scheme"):
        if word in said(ascribe, "scheme", "--ascribe-explain", word, "x.ss", directory=directory).split():
            yield f"scheme {word} is not taken"


def main():
    ascribe, manual = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    shells = {name: complete for name, complete in SHELLS.items() if shutil.which(name)}
    with tempfile.TemporaryDirectory() as directory:
        for name in ("one.ascribe", "two.txt"):
            pathlib.Path(directory, name).touch()
        said(ascribe, "import", "-q", "-o", f"{directory}/events.ascribe", STACKS)
        shutil.copy(f"{directory}/events.ascribe", f"{directory}/events.profile")
        wrong = [f"{shell}: {reason}" for shell, complete in shells.items()
                 for reason in wrong_in(shell, complete, ascribe, directory)]
        wrong += [*wrong_pages(manual), *untaken(ascribe, directory), *wrong_in_wrapper(ascribe, directory)]
    if wrong:
        sys.exit("\n".join(wrong))
    print("options and their arguments are completed by", *shells)
    absent = sorted(name for name in (*SHELLS, "mandoc") if not shutil.which(name))
    if absent:
        print("skipped:", *absent, "not installed")
        sys.exit(77)


if __name__ == "__main__":
    main()
