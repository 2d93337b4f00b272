#!/usr/bin/env python3
"""Each heading of docs/TROUBLESHOOTING.md is a message that the source really prints: its pieces
between the dots stand in string literals of one source file."""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def literals(path):
    """All string literals of a file, neighbours joined, as the compiler sees them."""
    text = re.sub(r'"\s*\n\s*"', "", path.read_text())
    return " ".join(STRING.findall(text)).replace('\\"', '"')


def main():
    headings = re.findall(r"^### `(.*)`$", (SOURCE / "docs/TROUBLESHOOTING.md").read_text(), re.M)
    sources = [literals(path) for path in (SOURCE / "src").rglob("*.[ch]*")]
    wrong = []
    for heading in headings:
        pieces = [piece.strip() for piece in heading.removeprefix("ascribe: ").split("…")]
        pieces = [piece for piece in pieces if piece]
        if not any(all(piece in text for piece in pieces) for text in sources):
            wrong.append(heading)
    for heading in wrong:
        print("not in the source any more:", heading)
    print(len(headings), "messages")
    sys.exit(bool(wrong) or not headings)


if __name__ == "__main__":
    main()
