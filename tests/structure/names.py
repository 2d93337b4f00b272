#!/usr/bin/env python3
"""One name for one thing: no two files of src/ and include/ have the same name, and no two headers
declare a type of the same name. The plugins are C++ of their own, which share the compilers' words."""

import collections
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
TYPE = re.compile(r"^(?:struct|enum|union) (\w+) \{", re.M)
ENDINGS = (".c", ".h", ".cc", ".S")
PLUGINS = ("src/instrument/common/", "src/instrument/gcc/", "src/instrument/llvm/")


def twice(places):
    """What stands at several places."""
    return [f"{name}: {', '.join(sorted(found))}" for name, found in sorted(places.items()) if len(found) > 1]


def main():
    files, types = collections.defaultdict(set), collections.defaultdict(set)
    for room in ("src", "include"):
        for path in (SOURCE / room).rglob("*"):
            where = str(path.relative_to(SOURCE))
            if path.suffix in ENDINGS:
                files[path.name].add(where)
            if path.suffix == ".h" and not where.startswith(PLUGINS):
                for name in TYPE.findall(path.read_text()):
                    types[name].add(where)
    wrong = twice(files) + twice(types)
    print("\n".join(wrong) or f"{len(files)} files and {len(types)} types have names of their own")
    sys.exit(bool(wrong) or not files or not types)


if __name__ == "__main__":
    main()
