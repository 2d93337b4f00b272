#!/usr/bin/env python3
"""Data flows down the list of folders (docs/ARCHITECTURE.md): a folder includes only what the
list names for it.  Nothing includes cli/."""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BASE = {"base", "ascribe"}
# Folder: the folders whose headers it may include, besides its own.
MAY_INCLUDE = {
    "base": set(),
    "recording": BASE,
    "unwind": set(),
    "outside": BASE | {"recording", "unwind"},
    "runtime": {"recording", "unwind", "ascribe"},  # and the parts of base that are headers only
    "instrument": BASE | {"recording"},
    "symbols": BASE | {"unwind"},
    "profile": BASE | {"recording"},
    "flow": BASE,
    "attribution": BASE | {"recording", "symbols", "profile", "flow"},
    "store": BASE | {"recording", "profile", "attribution"},
    "report": BASE | {"recording", "symbols", "profile", "attribution", "store"},
    "exchange": BASE | {"recording", "symbols", "profile", "attribution", "report"},
    "compare": BASE | {"store"},
    "view": BASE | {"symbols", "profile", "attribution", "store", "report", "compare"},
    "cli": BASE | {"recording", "outside", "instrument", "symbols", "profile", "attribution", "store",
                   "report", "exchange", "compare", "view"},
}

def includes(file):
    for number, line in enumerate(file.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([a-z_]+)/([^"]+)"', line)
        if match:
            yield number, match[1], match[2]


def header_only(folder, header):
    return not (SOURCE / "src" / folder / header).with_suffix(".c").exists()


def allowed(own, folder, header):
    if folder == own:
        return True
    if own == "runtime" and folder == "base":
        return header_only(folder, header)
    return folder in MAY_INCLUDE[own]


def main():
    wrong = []
    for folder in sorted((SOURCE / "src").iterdir()):
        if folder.name not in MAY_INCLUDE:
            wrong.append(f"src/{folder.name}: not in the list of folders")
            continue
        for file in sorted(folder.rglob("*.[ch]*")):
            for number, other, header in includes(file):
                if (SOURCE / "src" / other).is_dir() or other == "ascribe":
                    if not allowed(folder.name, other, header):
                        wrong.append(f"{file.relative_to(SOURCE)}:{number}: {folder.name} may not "
                                     f"include {other}/{header}")
    for file in sorted((SOURCE / "include").rglob("*.h")):
        for number, other, header in includes(file):
            if other != "ascribe":
                wrong.append(f"{file.relative_to(SOURCE)}:{number}: public headers include only "
                             f"public headers")
    print("\n".join(wrong) or "every include follows the list")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
