#!/usr/bin/env python3
"""GCC's own torture programs behave with hooks and under a recorder as they do bare:
torture.py [WAY [LEVEL...]]     WAY: contexts (default), counts

From the test suite in Debian's package gcc-N-source, unpacked into bench/work: gcc.c-torture/execute, and what is to
be run of g++.dg/eh and g++.dg/torture. A sample, different programs at each level; ASCRIBE_TORTURE=all tests all of
them at every level, ASCRIBE_TORTURE=SEED takes another sample. Programs that do not build or do not end well bare
are left out, and counted. ASCRIBE_TORTURE_JOBS: how many run at once."""

import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
import harness
from harness import ASCRIBE, skip

WORK = pathlib.Path(os.environ.get("ASCRIBE_BENCH_WORK", harness.SOURCE / "bench/work")) / "gcc-testsuite"
FOLDERS = ("gcc.c-torture/execute", "g++.dg/eh", "g++.dg/torture")
LEVELS = ("-O0", "-O2", "-O3")
SAMPLE = 60
OPTIONS = re.compile(r'dg-(?:additional-)?options\s+"([^"]*)"\s*}')
RUN_SECONDS = 60  # the machine may be busy
KINDS = ("same", "not built bare", "ends badly bare")


def sources():
    if not (WORK / "unpacked").exists():
        packages = sorted(pathlib.Path("/usr/src").glob("gcc-*/gcc-*.tar.xz"))
        if not packages:
            skip("there is no gcc-*-source: apt-get install gcc-12-source")
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        harness.must(["tar", "-xJf", packages[-1], "-C", WORK, "--strip-components=3", "--wildcards",
                      *(f"*/gcc/testsuite/{folder}" for folder in FOLDERS)], timeout=600)
        (WORK / "unpacked").touch()
    found = [path for path in (WORK / FOLDERS[0]).rglob("*.c") if "builtins" not in path.parts]
    for folder in FOLDERS[1:]:
        found += [path for path in (WORK / folder).rglob("*.C")
                  if re.search(r"dg-do\s+run", path.read_text(errors="replace"))]
    if not found:
        skip(f"no programs in {WORK}")
    return sorted(found)


def options_of(path):
    """Only those for any machine."""
    words = [word for options in OPTIONS.findall(path.read_text(errors="replace")) for word in options.split()]
    return ["-w", *(["-std=gnu17"] if path.suffix == ".c" else []), *words]


def build(compiler, path, level, target):
    command = [*compiler, level, *options_of(path), path, "-o", target, "-lm"]
    try:
        return subprocess.run(command, cwd=target.parent, capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return None


def end_of(command, directory):
    """Status and output, without addresses; None: it takes too long."""
    try:
        done = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=RUN_SECONDS, check=False)
        return done.returncode, re.sub(rb"0x[0-9a-f]+", b"0x", done.stdout)
    except (subprocess.TimeoutExpired, OSError):
        return None


def bare_end(path, level, target):
    """How it ends bare, or why it cannot be compared."""
    built = build(["gcc" if path.suffix == ".c" else "g++"], path, level, target)
    if built is None or built.returncode:
        return "not built bare"
    end = end_of([target], target.parent)
    return "ends badly bare" if end is None or end[0] else end


def hooked_ends(path, way, level, target):
    """How it ends with hooks, alone and recorded; or a word on what went wrong. A profile is made of samples only."""
    built = build([ASCRIBE, "cc" if path.suffix == ".c" else "c++", f"--{way}"], path, level, target)
    if built is None or built.returncode:
        return [f"not built: {built and built.stderr.decode(errors='replace')[:500]}"]
    ends = [end_of([target], target.parent)]
    recorded = target.with_name(target.name + ".recorded")
    if everything():
        ends.append(end_of(["env", f"ASCRIBE_OUT={recorded}", target], target.parent))
    else:
        ends.append(end_of([ASCRIBE, "record", "--quiet", "-o", recorded, "--", target], target.parent))
    return ends if recorded.exists() else ["nothing was recorded"]


def judge(path, way, level, directory):
    """`same`, `not built bare`, `ends badly bare`, or what differs. Few of the programs write anything: they abort if
    something is wrong, so that most need no bare build to compare with."""
    name = re.sub(r"\W", "_", str(path.relative_to(WORK))) + level
    try:
        ends = hooked_ends(path, way, level, directory / f"{name}.hooks")
        if all(end == (0, b"") for end in ends):
            return "same"
        if None in ends:  # the machine may have stood still: once more
            ends = hooked_ends(path, way, level, directory / f"{name}.hooks")
        expected = bare_end(path, level, directory / name)
        if isinstance(expected, str):
            return expected
        return "same" if all(end == expected for end in ends) else f"bare {expected}, with hooks {ends}"
    finally:
        for left in directory.glob(f"{name}*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def everything():
    return os.environ.get("ASCRIBE_TORTURE") == "all"


def chosen(found, level):
    if everything():
        return found
    choice = os.environ.get("ASCRIBE_TORTURE", "1")
    return random.Random(f"{choice} {level}").sample(found, min(SAMPLE, len(found)))


def main():
    if harness.WITHOUT_PLUGIN:
        skip("needs the GCC plugin, which was not built")
    way = sys.argv[1] if len(sys.argv) > 1 else "contexts"
    found, failed = sources(), 0
    for level in sys.argv[2:] or LEVELS:
        directory = harness.scratch(f"torture-{way}{level}")
        programs = chosen(found, level)
        counts = collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("ASCRIBE_TORTURE_JOBS", os.cpu_count()))) as pool:
            for path, word in zip(programs, pool.map(lambda path: judge(path, way, level, directory), programs)):
                kind = word if word in KINDS else "differ"
                counts[kind] += 1
                if kind == "differ":
                    failed += 1
                    print(f"FAILED  {path.relative_to(WORK)} {level}: {word}", flush=True)
        print(f"{'FAILED ' if counts['differ'] else 'ok     '} {way} {level}: {len(programs)} programs: "
              + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())), flush=True)
        if not counts["same"]:
            failed += 1
            print("FAILED  no program could be tested")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
