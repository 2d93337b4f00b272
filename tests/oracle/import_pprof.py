#!/usr/bin/env python3
"""Profiles that Go's own runtime writes, imported, beside what `go tool pprof` says of them: CPU time
with recursion and a goroutine, and memory.  Profiles of gperftools, through google-pprof."""

import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("import-pprof")
SUBJECT = pathlib.Path(__file__).resolve().parent / "pprof_subject.go"
TOP = re.compile(r"^\s*([\d.]+)(ms|B|s|) +[\d.]+% +[\d.]+% +([\d.]+)(ms|B|s|) +[\d.]+%  (\S.*)$")
GO = {"GO111MODULE": "off", "GOCACHE": str(DIRECTORY / "cache"), "GOFLAGS": None}
PROFILER = pathlib.Path("/usr/lib/x86_64-linux-gnu/libprofiler.so.0")


def imported(file, *options):
    output = pathlib.Path(f"{file}{''.join(options)}.ascribe")
    must([ASCRIBE, "import", "--quiet", *options, "-o", output, file])
    return Profile(output)


def top_of_go(file, unit, *options):
    """Name -> (flat, cumulative), as go's pprof sums them up."""
    text = must(["go", "tool", "pprof", "-top", "-nodefraction=0", "-nodecount=100000",
                 f"-unit={unit}", *options, file], environment=GO).output
    return {match[5].removesuffix(" (inline)"): (float(match[1]), float(match[3]))
            for match in map(TOP.match, text.splitlines()) if match}


def same_as_go(profile, metric, top, factor):
    ours = dict((name, (own, total)) for name, own, total in profile.rows(
        "select name, sum(self), sum(total) from metric_functions where metric = ? group by name", metric))
    check(len(top) > 5, "go's pprof says hardly anything")
    wrong = [f"{name}: {ours.get(name)}, pprof has {top[name]}" for name in top
             if name not in ours or any(abs(a - factor * b) > 0.51 * factor
                                        for a, b in zip(ours[name], top[name]))]
    check(not wrong, "\n    ".join(wrong))
    check(not profile.rows("select f.name from metric_functions f join metrics m on m.name = f.metric where f.total > m.whole"),
          "more than the whole")


def profiles_of_go():
    program, cpu, heap = (DIRECTORY / name for name in ("prog", "cpu.pb.gz", "heap.pb.gz"))
    must(["go", "build", "-o", program, SUBJECT], directory=DIRECTORY, environment=GO, timeout=600)
    must([program, cpu, heap])
    time = imported(cpu)
    same_as_go(time, "cpu", top_of_go(cpu, "ms"), 10**6)
    check(time.value("select ticks from runs") * 10**7 == time.value("select sampled_ns from runs"),
          "samples of 10 ms")
    check(time.value("select self_uncertainty_ns from functions where name = 'main.burn'") > 0,
          "no uncertainty")
    memory = imported(heap)
    check(memory.rows("select event, unit, evidence from origin")
          == [("inuse_space", "bytes", "unknown")], str(memory.rows("select * from origin")))
    again = DIRECTORY / "again.pb.gz"
    must([ASCRIBE, "export", "--to", "pprof", "-o", again, memory.path])
    for metric, unit in (("inuse_space", "B"), ("alloc_space", "B"), ("alloc_objects", ""), ("inuse_objects", "")):
        for file in heap, again:
            same_as_go(memory, metric, top_of_go(file, unit or "count", "-sample_index=" + metric), 1)
    allocated = imported(heap, "--event", "alloc_objects")
    check(allocated.value("select unit from origin") == "alloc_objects", "another unit")


def profiles_of_gperftools():
    if not PROFILER.exists() or not shutil.which("google-pprof"):
        print("not tried: gperftools is not installed")
        return
    program = harness.compile_program(harness.PROGRAMS / "easy_hard.c", DIRECTORY / "easy_hard",
                                      ["-O1", "-fno-omit-frame-pointer"], instrumented=False)
    raw = DIRECTORY / "raw.prof"
    must([program], environment={"LD_PRELOAD": str(PROFILER), "CPUPROFILE": str(raw)})
    samples = int(re.search(r"Total: (\d+) samples",
                            must(["google-pprof", "--text", program, raw]).output)[1])
    for form in ("callgrind", "collapsed"):
        file = DIRECTORY / f"gperftools.{form}"
        file.write_text(must(["google-pprof", f"--{form}", program, raw]).output)
        profile = imported(file)
        check(abs(profile.value("select sampled_ns from runs") - samples) <= samples // 50,
              f"{form}: other samples than {samples}")


def main():
    if not shutil.which("go"):
        harness.skip("go is not installed")
    os.chdir(DIRECTORY)
    harness.main(profiles_of_go, profiles_of_gperftools)


if __name__ == "__main__":
    main()
