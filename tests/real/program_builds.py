"""Builds of a real program and what was recorded of them, each made once: a test of several
questions asks all of one build."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "oracle")]
import harness
from callgrind import Calls
from harness import Profile

BENCH = harness.SOURCE / "bench"
# What of each program has hooks or counters: an executable and its libraries.
OBJECTS = {"tex": ["tex"], "tcc": ["tcc"], "lua": ["lua"], "sqlite": ["sqlite3"],
           "jsoncpp": ["jsoncpp_test"], "lapack": ["xlintstrfd"], "xz": ["xz", "liblzma.so"]}
FLAGS = ["-O2", "-g"]
HIGH = ["-O3", "-g"]
WHOLE_PROGRAM = FLAGS + ["-flto", "-Wno-lto-type-mismatch"]
NO_TAIL_CALLS = FLAGS + ["-fno-optimize-sibling-calls"]
RECORD_SECONDS = 300


def fetch(name):
    result = subprocess.run([BENCH / "fetch", name], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False)
    if result.returncode:
        said = result.stdout.decode(errors="replace").strip().splitlines()
        harness.skip(said[-1] if said else "the sources cannot be fetched")


class Builds:
    """Of one program.  All lie in directories of names of one length: programs see their paths."""

    def __init__(self, name):
        self.name = name
        self.programs, self.profiles, self.truths = {}, {}, {}

    def program(self, way, flags):
        """The directory that it was built into; `way`: options of ascribe cc."""
        key = (way, *flags)
        if key not in self.programs:
            directory = harness.scratch(f"real-{self.name}-{len(self.programs):02}") / "program"
            harness.must([BENCH / "programs" / self.name / "build", directory,
                          f"{harness.ASCRIBE} cc {way}", *flags], timeout=600)
            self.programs[key] = directory
        return self.programs[key]

    def run(self, way, flags, environment, *small):
        program = self.program(way, flags)
        harness.must([BENCH / "programs" / self.name / "run", program, program.parent / "result",
                      *small], environment=environment, timeout=RECORD_SECONDS)

    def record(self, way, flags, name, under=""):
        profile = self.program(way, flags).parent / f"{name}.ascribe"
        recorder = f"{harness.ASCRIBE} record --quiet --rate 0 -o {profile} --"
        self.run(way, flags, {"BENCH_UNDER": f"{recorder} {under}", "LD_BIND_NOW": "1",
                              "BENCH_THREADS": None if under else "1"}, "small")
        return Profile(profile)

    def profile(self, way, flags):
        """Of a run that is the same however the program was built: with one thread."""
        key = (way, *flags)
        if key not in self.profiles:
            self.profiles[key] = self.record(way, flags, "alone")
        return self.profiles[key]

    def profile_and_truth(self, way, flags):
        """Run under callgrind and record at once; the profile and callgrind's calls."""
        key = (way, *flags)
        if key not in self.truths:
            program = self.program(way, flags)
            output = program.parent / "callgrind.out"
            profile = self.record(way, flags, "observed", "valgrind -q --tool=callgrind --demangle=no"
                                                          f" --callgrind-out-file={output}")
            self.truths[key] = profile, Calls(output, [program / name
                                                       for name in OBJECTS[self.name]])
        return self.truths[key]


def scratch_of(builds, what):
    return harness.scratch(f"real-{builds.name}-{what}")
