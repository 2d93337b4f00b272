#!/usr/bin/env python3
"""Text files as C strings: embed.py OUTPUT FILE...; NAME.css becomes NAME_css[]."""

import pathlib
import sys


def literal(line):
    line = line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")  # no trigraphs
    return '"' + line + '\\n"'


def main():
    output, files = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    with open(output, "w") as out:
        for file in files:
            out.write(f"static const char {file.name.replace('.', '_')}[] =\n")
            out.write("\n".join(literal(line) for line in file.read_text().rstrip("\n").split("\n")))
            out.write(";\n")


if __name__ == "__main__":
    main()
