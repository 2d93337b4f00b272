#!/usr/bin/env python3
"""docs/FORMATS.md describes the structs of src/recording/layout.h byte by byte: every offset and
size in its tables is the compiler's, and no field is left out.  The benchmark's own reader of
recordings has the same version, units and sizes.  docs/PROFILE.md names the profile's versions.
formats.py COMPILER..."""

import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "bench"))

from ascribe_bench import recording  # noqa: E402
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


def of_benchmark():
    sizes = {"recording_header": recording.HEADER, "block_header": recording.BLOCK,
             "recorded_thread": recording.THREAD, "recorded_context": recording.CONTEXT,
             "ascribe_slot": recording.SLOT, "recorded_object": recording.OBJECT,
             "recorded_tick": recording.TICK}
    for name, layout in sizes.items():
        yield (f"sizeof(struct {name}) == {layout.size}",
               f"{name}: another size in bench/ascribe_bench/recording.py")
    yield (f"RECORDING_VERSION == {recording.VERSION} && RECORDING_UNIT == {recording.UNIT}",
           "another version or unit in bench/ascribe_bench/recording.py")


def of_profiles():
    """The versions that PROFILE.md names."""
    text = " ".join((SOURCE / "docs/PROFILE.md").read_text().split())
    said = re.search(r"`user_version` is (\d+),.* reads profiles since version (\d+)", text)
    yield (f"PROFILE_SCHEMA_VERSION == {said[1]} && PROFILE_OLDEST_VERSION == {said[2]}",
           "other versions of profiles in docs/PROFILE.md")


def main():
    structs = documented((SOURCE / "docs/FORMATS.md").read_text())
    layout = (SOURCE / "src/recording/layout.h").read_text()
    declared = set(re.findall(r"^struct (\w+) \{", layout, re.M))
    declared |= {"ascribe_slot", "ascribe_row", "ascribe_slot_direct", "ascribe_slot_pointer"}
    for name in sorted(declared ^ set(structs)):
        print(f"struct {name} is only in one of FORMATS.md and layout.h")
    lines = ['#include <stddef.h>', '#include "recording/layout.h"', '#include "store/schema.h"']
    for name in structs.keys() & declared:
        for condition, message in assertions(name, structs[name]):
            lines.append(f'static_assert({condition}, "{message}");')
    lines += [f'static_assert({condition}, "{message}");' for condition, message in [*of_benchmark(), *of_profiles()]]
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
