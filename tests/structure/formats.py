#!/usr/bin/env python3
"""docs/FORMATS.md describes the structs of src/recording/layout.h byte by byte: every offset and
size in its tables is the compiler's, and no field is left out.  formats.py COMPILER..."""

import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
ROW = re.compile(r"\| (\d+) \| (\d*) \| `(\w+)` \|")


def documented(text):
    """Struct: [(field, offset, bytes or None)]."""
    structs = {}
    for section in re.split(r"\n##+ ", text):
        match = re.match(r"`struct (\w+)`", section)
        if match:
            structs[match[1]] = [(name, int(offset), int(size) if size else None)
                                 for offset, size, name in ROW.findall(section)]
    return structs


def assertions(name, rows):
    end = 0
    for field, offset, size in rows:
        yield f"offsetof(struct {name}, {field}) == {offset}", f"{name}.{field}: offset"
        if size is not None:
            yield (f"sizeof ((struct {name} *)0)->{field} == {size}", f"{name}.{field}: bytes")
        yield f"{offset} == {end}", f"{name}: something is missing before {field}"
        end = offset + (size or 0)
    yield f"sizeof(struct {name}) == {end}", f"{name}: something is missing at its end"


def main():
    structs = documented((SOURCE / "docs/FORMATS.md").read_text())
    layout = (SOURCE / "src/recording/layout.h").read_text()
    declared = set(re.findall(r"^struct (\w+) \{", layout, re.M)) | {"ascribe_slot"}
    for name in sorted(declared ^ set(structs)):
        print(f"struct {name} is only in one of FORMATS.md and layout.h")
    lines = ['#include <stddef.h>', '#include "recording/layout.h"']
    for name in structs.keys() & declared:
        for condition, message in assertions(name, structs[name]):
            lines.append(f'static_assert({condition}, "{message}");')
    with tempfile.NamedTemporaryFile("w", suffix=".c") as program:
        program.write("\n".join(lines) + "\n")
        program.flush()
        compiled = subprocess.run(
            [*sys.argv[1:], "-fsyntax-only", f"-I{SOURCE}/src", f"-I{SOURCE}/include",
             program.name], capture_output=True, text=True, check=False)
    print("\n".join(line for line in compiled.stderr.splitlines() if "error" in line))
    sys.exit(bool(compiled.returncode or declared ^ set(structs)))


if __name__ == "__main__":
    main()
