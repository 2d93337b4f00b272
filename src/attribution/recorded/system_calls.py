"""Writes the names of system calls by their numbers, as the compiler's headers have them."""

import re
import subprocess
import sys


def main(output, *compiler):
    macros = subprocess.run([*compiler, "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    calls = re.findall(r"^#define __NR_(\w+) (\d+)$", macros, re.M)
    with open(output, "w", encoding="ascii") as out:
        for name, number in sorted(calls, key=lambda call: int(call[1])):
            out.write(f'[{number}] = "{name}",\n')


main(*sys.argv[1:])
