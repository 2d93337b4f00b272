"""The ways in which a program is built and run."""
import os
import shlex
import shutil
import subprocess
from collections import namedtuple

from ascribe_bench import measure

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = os.path.join(os.path.dirname(HERE), "include")

# build: which of the builds it runs; records: whether the run is recorded.
Variant = namedtuple("Variant", "name build records")

VARIANTS = [
    Variant("bare", "bare", False),
    Variant("gprof", "gprof", False),
    Variant("dummy", "dummy", False),
    Variant("counts", "counts", True),
    Variant("ascribe", "ascribe", True),
    Variant("not recording", "ascribe", False),
]

FLAGS = ["-O2", "-g"]


class Builder:
    """Builds programs in all ways, below the directory `work`."""

    def __init__(self, work, ascribe):
        self.work = work
        self.ascribe = ascribe
        self.built = {}

    def compiler(self, build):
        """The compiler's command and flags, as lists, for a build."""
        if build == "gprof":
            return ["gcc"], FLAGS + ["-pg"]
        if build == "dummy":
            return ["gcc"], FLAGS + ["-finstrument-functions", "-Wl," + self.empty_hooks()]
        if build == "gcov":
            return ["gcc"], FLAGS + ["--coverage"]
        if build == "clang":
            return ["clang"], FLAGS
        if build == "regions":
            return ["clang"], FLAGS + ["-fprofile-instr-generate", "-fcoverage-mapping"]
        if build == "counts":
            return [self.ascribe, "cc"], FLAGS
        if build == "expressions":
            return [self.ascribe, "cc", "--expressions"], FLAGS
        if build == "ascribe":
            return [self.ascribe, "cc", "--contexts"], FLAGS
        return ["gcc"], FLAGS

    def empty_hooks(self):
        hooks = os.path.join(self.work, "built", "empty_hooks.o")
        os.makedirs(os.path.dirname(hooks), exist_ok=True)
        source = os.path.join(HERE, "micro", "empty_hooks.c")
        measure.run(["gcc", "-O2", "-c", source, "-o", hooks])
        return hooks

    def program(self, name, build, shared=False):
        """Build one of bench/programs; returns its directory."""
        key = (name, build, shared)
        if key not in self.built:
            self.built[key] = self.build_program(name, build, shared)
        return self.built[key]

    def build_program(self, name, build, shared):
        out = os.path.join(self.work, "built", name + ("-shared" if shared else ""), build)
        done = os.path.join(out, "done")
        if build not in ("ascribe", "counts", "expressions") and os.path.exists(done):
            return out # nothing of it changes with Ascribe
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        compiler, flags = self.compiler(build)
        environment = dict(os.environ, ASCRIBE_BENCH_WORK=self.work)
        if shared:
            environment["BENCH_SHARED"] = "1"
        script = os.path.join(HERE, "programs", name, "build")
        measure.run([script, out, shlex.join(compiler)] + flags, environment,
                    log=os.path.join(out, "log"))
        with open(done, "w"):
            return out

    def micro(self, name, build):
        """Build one of bench/micro; returns the executable."""
        key = ("micro", name, build)
        if key not in self.built:
            out = os.path.join(self.work, "built", "micro", build)
            os.makedirs(out, exist_ok=True)
            compiler, flags = self.compiler(build)
            source = os.path.join(HERE, "micro", name + ".c")
            executable = os.path.join(out, name)
            measure.run(compiler + flags + ["-I", HEADERS, source, "-o", executable, "-pthread"])
            self.built[key] = executable
        return self.built[key]


def recording_directory_of(work, name):
    """The place for a recording: in memory where there is some, as `ascribe record` does."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else work
    return os.path.join(base, "ascribe-bench-%d" % os.getuid(), name)


def recording_directory(work, name):
    """The same, empty of an earlier one."""
    directory = recording_directory_of(work, name)
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(os.path.dirname(directory), exist_ok=True)
    return directory


def fixed_addresses():
    """What to put before a command so that addresses, and with them hashes, are always the same;
    nothing where that is not allowed."""
    allowed = subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL, check=False)
    return "setarch -R" if allowed.returncode == 0 else ""


def environment(variant, work, recording=None):
    """The environment of a run; recording: the directory to record in."""
    result = {key: value for key, value in os.environ.items() if not key.startswith("ASCRIBE_")}
    result["ASCRIBE_BENCH_WORK"] = work
    result["GMON_OUT_PREFIX"] = "gmon"
    if variant.records:
        result["ASCRIBE_OUT"] = recording
    return result
