"""What the tests of the whole command share: building programs with and without Ascribe, running
them, and asking the profile.  Standard library only.

Tests find the built command through the environment variable ASCRIBE (set by meson)."""

import ctypes
import fcntl
import json
import os
import pathlib
import pty
import shlex
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = SOURCE / "tests" / "programs"
HEADERS = SOURCE / "include"
ASCRIBE = os.environ.get("ASCRIBE", "ascribe")
if not shutil.which(ASCRIBE):
    sys.exit(f"there is no {ASCRIBE}: build it, and set ASCRIBE to its path")
ASCRIBE = os.path.abspath(shutil.which(ASCRIBE)) # tests run it in directories of their own
PROFILES = os.environ.get("EXCHANGE_PROFILES", "exchange_profiles")
SKIP_STATUS = 77  # meson counts the test as skipped
WITHOUT_PLUGIN = "ASCRIBE_WITHOUT_PLUGIN" in os.environ  # set by meson

# Whether threads may set any base of %gs: AT_HWCAP2 has HWCAP2_FSGSBASE (docs/LIMITS.md).
SETS_ANY_BASE = ctypes.CDLL(None).getauxval(26) & 2

BARE = {".c": "gcc", ".cc": "g++", ".f90": "gfortran"}
INSTRUMENTED = {".c": "cc", ".cc": "c++", ".f90": "fc"}


class Failure(Exception):
    """One expectation that did not hold."""


def check(condition, message):
    if not condition:
        raise Failure(message)


class Skipped(SystemExit):
    """Something is not there that the test needs."""


def skip(reason):
    print("skipped:", reason)
    raise Skipped(SKIP_STATUS)


class Result:
    """How a command ended: status, or the name of the signal, with what it wrote."""

    def __init__(self, completed):
        self.status = completed.returncode
        self.output = completed.stdout.decode(errors="replace")
        self.errors = completed.stderr.decode(errors="replace")

    @property
    def ending(self):
        if self.status < 0:
            return "signal " + signal.Signals(-self.status).name[3:]
        return f"status {self.status}"


def run(command, directory=None, environment=None, timeout=600, **options):
    """Run a command to its end. `environment` adds to ours; a value of None removes."""
    if WITHOUT_PLUGIN and command[0] == ASCRIBE and command[1:2] and command[1] in INSTRUMENTED.values():
        skip("needs the GCC plugin, which was not built")
    variables = dict(os.environ)
    for name, value in (environment or {}).items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = str(value)
    completed = subprocess.run(
        [str(word) for word in command], cwd=directory, env=variables, timeout=timeout,
        stdin=options.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, check=False, **options)
    return Result(completed)


def must(command, **options):
    """Run a command that has to succeed."""
    result = run(command, **options)
    check(result.status == 0,
          f"{shlex.join(map(str, command))}\n  ended with {result.ending}\n"
          f"{result.output}{result.errors}")
    return result


def counts_without_gs(flags):
    """What a program that is linked with these flags needs for its counts to be kept on this machine."""
    return ["--without-gs"] if "-static-pie" in flags and not SETS_ANY_BASE else []


def compiler(path, instrumented):
    """`instrumented`: false, true for contexts, or the name of a way."""
    suffix = pathlib.Path(path).suffix
    if instrumented:
        way = "contexts" if instrumented is True else instrumented
        return [ASCRIBE, INSTRUMENTED[suffix], "--" + way]
    return [BARE[suffix]]


def compile_program(source, target, flags=(), instrumented=True, plain=(), also=(), link=()):
    """Compile and link in separate steps, as build systems do.  `plain` files never get hooks."""
    target = pathlib.Path(target)
    objects = []
    for file, hooks in [(source, instrumented)] + [(f, False) for f in plain] + [
            (f, instrumented) for f in also]:
        file = pathlib.Path(file)
        compiled = target.with_name(f"{target.name}.{file.name}.o")
        must(compiler(file, hooks) + ["-g", "-w", "-D_GNU_SOURCE", "-I", PROGRAMS, "-I", HEADERS, *flags, "-c",
                                      file, "-o", compiled], directory=target.parent)
        objects.append(compiled)
    linker = compiler(source, instrumented)
    if any(pathlib.Path(f).suffix == ".cc" for f in plain):
        linker = compiler("x.cc", instrumented)
    must(linker + ["-g", *flags, *objects, "-o", target, *link], directory=target.parent)
    return target


def compile_library(source, target, flags=(), instrumented=True):
    target = pathlib.Path(target)
    must(compiler(source, instrumented) + ["-g", "-w", "-I", PROGRAMS, "-I", HEADERS, "-fPIC", "-shared", *flags,
                                           f"-Wl,-soname,{target.name}", source, "-o", target],
         directory=target.parent)
    return target


def record(program, directory, options=(), arguments=(), output="profile.ascribe", **run_options):
    """`ascribe record`; the result is the program's own, as record passes it on."""
    return run([ASCRIBE, "record", "-o", output, *options, "--", program, *arguments],
               directory=directory, **run_options)


class Profile:
    """Questions to a .ascribe file, through its documented views."""

    def __init__(self, path):
        check(os.path.exists(path), f"no profile was saved as {path}")
        self.path = path
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def rows(self, query, *values):
        return self.connection.execute(query, values).fetchall()

    def value(self, query, *values):
        return self.connection.execute(query, values).fetchone()[0]

    @staticmethod
    def _matching(name, column="name"):
        """A condition on functions: a name (as in the source, or with its parameters), or
        name@object, name@file."""
        name, _, place = name.partition("@")
        condition = f"{column} = ?"
        values = [name]
        if place:
            condition += " and (object like ? or file like ?)"
            values += ["%/" + place] * 2
        return condition, values

    def ids(self, name):
        condition, values = self._matching(name)
        return [row[0] for row in self.rows(f"select id from functions where {condition}", *values)]

    def calls(self, name):
        condition, values = self._matching(name)
        return self.value(f"select coalesce(sum(calls), 0) from functions where {condition}", *values)

    def calls_like(self, pattern):
        return self.value("select coalesce(sum(calls), 0) from functions where name like ?", pattern)

    def arc(self, caller, callee):
        if caller == callee:
            condition, values = self._matching(caller)
            return self.value(
                f"select coalesce(sum(recursive_calls), 0) from functions where {condition}",
                *values)
        return self._arc_sum("calls", caller, callee)

    def tail_calls(self, caller, callee):
        """Tail calls that were put back."""
        return self._calls_and_sites("tail_calls", "tail", caller, callee)

    def doubtful_calls(self, caller, callee):
        """Those that others may have made, by tail calls."""
        return self._calls_and_sites("doubtful_calls", "in_doubt", caller, callee)

    def _calls_and_sites(self, column, flag, caller, callee):
        """The call sites must say the same as the arcs."""
        found = self._arc_sum(column, caller, callee)
        at_sites = self.value(
            f"select coalesce(sum(calls), 0) from call_sites where {flag} and caller_name = ?"
            " and callee_name = ?", caller, callee)
        check(found == at_sites, f"{found} {column} by arcs, {at_sites} by call sites")
        return found

    def _arc_sum(self, column, caller, callee):
        marks = lambda ids: ",".join("?" * len(ids))
        callers, callees = self.ids(caller), self.ids(callee)
        return self.value(
            f"select coalesce(sum({column}), 0) from arcs where caller in ({marks(callers)})"
            f" and callee in ({marks(callees)})", *callers, *callees)

    def all_ticks(self):
        return self.value("select ticks from runs")

    def undelivered_share(self):
        """The share of user time that lacks ticks, one for each period."""
        return self.value("select 1 - sum(period_ns) * (select ticks from runs) * 1.0"
                          " / nullif(sum(user_ns) * count(*), 0) from processes") or 0

    def total_share(self, name):
        """Total time of a function, as a share of what all functions of the program took."""
        condition, values = self._matching(name)
        total = self.value(f"select coalesce(sum(total_ns), 0) from functions where {condition}",
                           *values)
        return total / max(1, self.value("select sum(self_ns) from functions"))

    def cycles(self):
        """The cycles that occurred, as sets of names."""
        report = json.loads(must([ASCRIBE, "report", "--cycles", "--json", self.path]).output)
        names = dict(self.rows("select id, name from functions"))
        return [{names[identity] for identity in cycle["functions"]} for cycle in report["cycles"]]

    def histories(self):
        """Of each context: its function ids, outermost first, negative where not marked."""
        return {row[0]: json.loads(row[1]) for row in self.rows("select id, history from contexts")}

    def together(self, first, second):
        """Whether two functions are active at once in some context."""
        first, second = set(self.ids(first)), set(self.ids(second))
        return any(first & set(history) and second & set(history) for history in self.histories().values())


class TickYield:
    """The share of its periods for which this machine delivered a tick, while a block ran: see
    scenarios/tick_yield.c."""

    def __init__(self, directory, period_ns):
        self._program = directory / "tick_yield"
        if not self._program.exists():
            must(["gcc", "-O2", SOURCE / "tests/scenarios/tick_yield.c", "-o", self._program])
        self._period = period_ns

    def __enter__(self):
        self._process = subprocess.Popen([self._program, str(self._period)],
                                         stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self.share = min(float(self._process.communicate()[0]), 1)

    def check(self, ticks_ns, cpu_ns, within=0.1):
        """Ticks for all CPU time, or for as much of it as the machine has ticks for."""
        least = 1 - within if self.share > 0.95 else 0.6 * self.share
        check(least < ticks_ns / cpu_ns < 1 + within, f"ticks for {ticks_ns} of {cpu_ns} ns;"
              f" the machine delivers {self.share:.1%}")

    def check_run(self, profile):
        """Ticks, dropped ones too, for what the run took."""
        self.check(profile.all_ticks() * profile.value("select period_ns from processes"),
                   profile.value("select user_ns + system_ns from runs"))


def scratch(name):
    """A fresh directory of the test's own; it stays after a failure, to be looked at."""
    base = pathlib.Path(os.environ.get("ASCRIBE_TEST_WORK") or tempfile.gettempdir())
    directory = base / f"ascribe-tests-{os.getuid()}" / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


def made(kind, directory):
    """A profile of that kind (tests/exchange/profiles.c)."""
    path = directory / f"{kind}.ascribe"
    must([PROFILES, kind, path])
    return path


def made_once(kind, directory):
    """The same, of a kind that takes long to make: the next test that asks, in a directory beside, takes it over."""
    path, spare = directory / f"{kind}.ascribe", directory.parent / f"{kind}.spare"
    with open(spare.with_suffix(".lock"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if spare.exists() and spare.stat().st_mtime > os.stat(shutil.which(PROFILES)).st_mtime:
            spare.rename(path)
        else:
            spare.unlink(missing_ok=True)
            os.link(made(kind, directory), spare)
    return path


def copy_source(target):
    """Ascribe's own source, without what .gitignore names."""
    def left_out(folder, names):
        top = pathlib.Path(folder) == SOURCE
        return [name for name in names if name in (".git", "node_modules") or name.endswith(".ascribe")
                or (top and name.startswith("build")) or (name == "work" and folder.endswith("bench"))]
    shutil.copytree(SOURCE, target, symlinks=True, ignore=left_out)


def mpirun():
    """The words that start a job of MPI before `-n`; skips the test where nothing does."""
    if not shutil.which("mpirun"):
        skip("there is no mpirun")
    words = ["mpirun"]
    if "Open MPI" in must(["mpirun", "--version"]).output:
        # As root, more ranks than processors, and in containers that forbid to read another process's memory.
        words += ["--allow-run-as-root", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none"]
    if run([*words, "-n", "2", "true"]).status != 0:
        skip("mpirun starts nothing here")
    return words


def has_terminals():
    """Whether pseudo terminals can be had here: a bare root may have no /dev/pts."""
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError as refusal:
        print(f"        (no pseudo terminal: {refusal})")
        return False
    return True


def on_terminal(command, size, **environment):
    """Run it on a terminal of so many rows and columns: its status, and all that the terminal saw."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    process = subprocess.Popen([str(word) for word in command], stdin=terminal, stdout=terminal,
                               stderr=terminal, env={**os.environ, "TERM": "xterm", **environment})
    os.close(terminal)
    seen = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:  # its last writer has ended
            break
        if not block:
            break
        seen += block
    os.close(master)
    return process.wait(timeout=60), seen.decode()


def main(*tests):
    """Run each test (a function of no arguments) and say which failed."""
    failed = skipped = 0
    for test in tests:
        name = test.__name__.replace("_", " ")
        try:
            test()
            print(f"ok      {name}")
        except Skipped:
            skipped += 1
        except (Failure, subprocess.TimeoutExpired, sqlite3.Error) as failure:
            failed += 1
            print(f"FAILED  {name}: {failure}")
    sys.exit(1 if failed else SKIP_STATUS if skipped else 0)
