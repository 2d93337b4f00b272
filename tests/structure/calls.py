#!/usr/bin/env python3
"""Filters of system calls are asked for each call that the runtime makes: the list of them in
confinement.c is complete, and has no others."""

import pathlib
import re
import sys

RUNTIME = pathlib.Path(__file__).resolve().parents[2] / "src" / "runtime"
NOT_OURS = {"SYS_exit", "SYS_seccomp",  # of strict mode; looked at for the program:
            "SYS_execve", "SYS_execveat", "SYS_prlimit64"}
BEFORE_LIBC = {"SYS_arch_prctl"}  # in static programs, just before libc makes the same call
BY_THE_KERNEL = {"SYS_rt_sigreturn"}  # a handler's return


def names(text):
    return set(re.findall(r"\bSYS_\w+", text))


def main():
    confinement = (RUNTIME / "guise" / "confinement.c").read_text()
    listed = names(re.search(r"calls\[\] = \{(.*?)\};", confinement, re.S).group(1))
    at_start = names(re.search(r"calls_of_start\[\] = \{(.*?)\};", confinement, re.S).group(1))
    made = set().union(*(names(file.read_text()) for file in RUNTIME.rglob("*")
                         if file.suffix in {".c", ".h", ".S"} and file.name != "confinement.c"))
    wrong = [f"the runtime calls {name}: it is missing in confinement.c"
             for name in sorted(made - listed - NOT_OURS - BEFORE_LIBC)]
    wrong += [f"the runtime does not call {name}, which confinement.c lists"
              for name in sorted(listed - made - BY_THE_KERNEL)]
    wrong += [f"{name} is in the list of the start only" for name in sorted(at_start - listed)]
    print("\n".join(wrong))
    sys.exit(bool(wrong) or not made)


if __name__ == "__main__":
    main()
