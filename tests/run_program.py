#!/usr/bin/env python3
"""Check one of tests/programs: build it bare and with hooks, run it bare, by itself and under
`ascribe record`, and hold the profile against its EXPECT lines (tests/programs/README.md).  At the
level `sampled` only the bare one is built, and is recorded too."""

import functools
import math
import os
import pathlib
import re
import shlex
import sys
import zlib

import harness
from harness import SKIP_STATUS, Failure, Profile, Skipped, check

# A share is checked at this many standard errors, so that a right profiler fails once in 15 000
# checks; what the printed 95 % intervals are worth is measured by tests/scenarios/coverage.py.
SIGMAS = 4
# The program's own calibration: loops of equal length do not take exactly equal time.
SHARE_TOLERANCE = 0.02
# Where a processor is taken away from a virtual machine, the kernel counts that as CPU time, and no
# tick comes: a phase may lack so many.  That ticks are delivered is judged elsewhere, beside others.
MUCH_LOST = 0.1
SAMPLED_RATE = "4000"
# Before a level: with counters, not contexts.
COUNTED = ["counts", "expressions"]
FEW, FEW_SHARE = 6, 0.005
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class Expectations:
    """The EXPECT lines of one program."""

    def __init__(self, path):
        self.lines = []
        for line in path.read_text().splitlines():
            match = re.match(r"\s*[*!]\s*EXPECT\s+([a-z-]+)\s*(.*)", line)
            if match:
                self.lines.append((match[1], match[2].strip()))

    def all(self, word):
        return [rest for name, rest in self.lines if name == word]

    def one(self, word, default=""):
        found = self.all(word)
        return found[-1] if found else default

    def words(self, word):
        return [part for rest in self.all(word) for part in shlex.split(rest)]


    def when_counted(self):
        """Those that hold for counters, which know no contexts: arcs go by the call site."""
        own = [tuple((rest + " ").split(" ", 1)) for rest in self.all("counted")]
        replaced = {word for word, _ in own}
        lines = [(word, rest) for word, rest in self.lines
                 if word in ALSO_COUNTED and word not in replaced]
        return lines + own

    def when_sampled(self):
        """Those that hold for sampled stacks: counts do not."""
        lines = [(word, rest) for word, rest in self.lines if word in ALSO_SAMPLED]
        return lines + [tuple((rest + " ").split(" ", 1)) for rest in self.all("sampled")]


def build(source, expectations, directory, level, instrumented):
    directory.mkdir(parents=True)
    parts = harness.PROGRAMS / "parts"
    flags = [level] + expectations.words("compile")
    if instrumented in COUNTED:
        flags += expectations.words("counted-compile")
        flags += harness.counts_without_gs(flags)
    origin = ["-Wl,-rpath,$ORIGIN"] if expectations.all("library") else []
    for library in expectations.all("library"):
        file, target, *extra = shlex.split(library)
        extra = [parts / word if word.endswith(".c") else word for word in extra]
        (directory / target).parent.mkdir(exist_ok=True)
        harness.compile_library(parts / file, directory / target, [level, *extra], instrumented)
    return harness.compile_program(
        source, directory / source.stem, flags, instrumented,
        plain=[parts / name for name in expectations.words("plain")],
        also=[parts / name for name in expectations.words("also")],
        link=origin + expectations.words("link"))


def check_calls(profile, rest):
    name, count = rest.rsplit(None, 1)
    found = profile.calls(name)
    check(found == int(count), f"{name} was called {count} times, the profile says {found}")


def check_calls_like(profile, rest):
    pattern, count = rest.rsplit(None, 1)
    found = profile.calls_like(pattern)
    check(found == int(count), f"{pattern}: {count} calls, the profile says {found}")


def check_arc(profile, rest):
    caller, callee, count = rest.split()
    found = profile.arc(caller, callee)
    check(found == int(count), f"{caller} called {callee} {count} times, the profile says {found}")


def check_entries(profile, rest):
    centre, entries, *recursive = shlex.split(rest)
    found = profile.rows("select sum(entries), sum(recursive_entries) from cost_centres where name = ?", centre)[0]
    check(found[0] == int(entries), f"{centre} was entered {entries} times, the profile says {found[0]}")
    if recursive:
        check(found[1] == int(recursive[0]), f"{centre}: {recursive[0]} entries by itself, the profile says {found[1]}")


def check_centres(profile, rest):
    """All the profile has, by their names."""
    found = {name for name, in profile.rows("select name from cost_centres where entries or self_ns")}
    check(found == set(shlex.split(rest)), f"centres {rest}, the profile has {sorted(found)}")


def check_inside(profile, rest):
    """Entries of the centre below the others, which stand outermost first; `-`: below none."""
    *outer, centre, entries = shlex.split(rest)
    parents = profile.rows("select id, parent, centre_name, entries from centre_contexts")
    names = {id: (parent, name) for id, parent, name, _ in parents}

    def stack(id):
        found = []
        while id is not None:
            id, name = names[id]
            found.append(name)
        return [name for name in found[::-1] if name]

    found = sum(count for id, _, _, count in parents if stack(id) == [name for name in outer if name != "-"] + [centre])
    check(found == int(entries), f"{rest}: the profile says {found}")


def share_error(profile, share):
    """How far a share that is sampled may be from the true one."""
    ticks = profile.all_ticks()
    check(ticks >= 100, f"only {ticks} ticks")
    lost = profile.undelivered_share()
    return (SHARE_TOLERANCE + SIGMAS * math.sqrt(max(share * (1 - share), 1 / ticks) / ticks)
            + (lost if lost > MUCH_LOST else 0))


def check_centre_share(profile, rest):
    """Its total or own share of the time that was charged to functions."""
    name, kind, *bounds = shlex.split(rest)
    least, most = map(float, bounds)
    whole = profile.value("select sum(self_ns) from functions")
    found = profile.value(f"select sum({kind}_ns) from cost_centres where name = ?", name) / whole
    check(least - share_error(profile, least) <= found <= most + share_error(profile, most),
          f"{kind} of {name}: {least} to {most}, the profile says {found:.3f} (allowed: {share_error(profile, most):.3f})")


def check_tail(profile, rest):
    caller, callee, count = rest.split()
    found = profile.tail_calls(caller, callee)
    check(found == int(count),
          f"{caller} tail-called {callee} {count} times, the profile says {found}")


def check_doubt(profile, rest):
    caller, callee, count = rest.split()
    found = profile.doubtful_calls(caller, callee)
    check(found == int(count), f"{count} calls of {callee} that others than {caller} may have made,"
          f" the profile says {found}")


def check_share(profile, rest):
    name, share = rest.split()
    share = float(share)
    found = profile.total_share(name)
    allowed = share_error(profile, share)
    check(found <= 1.000001, f"total of {name} is {found:.1%} of the program")
    check(abs(found - share) <= allowed,
          f"total of {name} is {share:.1%} of the program, the profile says {found:.1%}"
          f" (allowed: {allowed:.1%})")


def check_cycle(profile, rest):
    names = set(rest.split())
    check(any(names <= cycle for cycle in profile.cycles()),
          f"the cycle of {rest} is not in the profile")


def check_never(profile, rest):
    first, second = rest.split()
    check(not profile.together(first, second), f"{first} and {second} are active together")


def check_contexts_below(profile, rest):
    found = profile.value("select count(*) from contexts")
    check(found < int(rest), f"{found} contexts, expected fewer than {rest}")


def cut_ticks(profile):
    return profile.value("select coalesce(sum(total_ticks), 0) from functions"
                         " where name = '(stack cut off)'")


def check_cut(profile, rest):
    """`all`, `none`, `some` or `any`; a few always may be: code of crti.o and the like has no tables."""
    found, ticks = cut_ticks(profile), profile.all_ticks()
    few = max(FEW, ticks * FEW_SHARE)
    counted = f"{found} of {ticks} stacks are cut off"
    check(rest != "none" or found <= few, counted)
    check(rest != "all" or found >= ticks - few, counted)
    check(rest != "some" or found > few, counted)


def check_outermost(profile, rest):
    """All stacks but a few (of the program's start and end) begin with one of these functions, or
    with the dynamic linker's, which starts the program's libraries."""
    known = set(shlex.split(rest))
    known |= {name for name, in profile.rows("select name from functions where object like ?",
                                             "%/ld-linux%")}
    names = dict(profile.rows("select id, name from functions"))
    ticks = dict(profile.rows("select id, self_ticks from contexts"))
    others = {}
    for context, history in profile.histories().items():
        name = names[abs(history[0])] if history else None
        if name not in known and ticks[context]:
            others[name] = others.get(name, 0) + ticks[context]
    few = max(FEW, profile.all_ticks() * FEW_SHARE)
    check(sum(others.values()) <= few, f"stacks begin with {others}")


def check_spawned(profile, rest):
    """A thread that begins with the first function was made while the second ran."""
    start, maker = rest.split()
    found = [row[0] for row in profile.rows(
        "select c.function_name from threads t left join contexts c on c.id = t.spawned_in_context"
        " where t.start_function_name = ?", start)]
    check(found and set(found) == {maker}, f"{start}: made by {found}, expected {maker}")


def check_present(profile, rest):
    check(profile.ids(rest), f"no {rest} in the profile")


def check_absent(profile, rest):
    check(not profile.ids(rest), f"{rest} is in the profile")


def check_sums(profile):
    """Nothing is above the whole, whatever the recursion."""
    whole = profile.value("select coalesce(sum(self_ns), 0) from functions")
    for name, total in profile.rows("select name, total_ns from functions"
                                    " where total_ns > ? + 1000", whole):
        raise Failure(f"{name} has {total} ns of {whole}")


def check_rows(table):
    def compare(profile, rest):
        found = profile.value(f"select count(*) from {table}")
        check(found == int(rest), f"{found} {table} in the profile, expected {rest}")
    return compare


def check_profile_below(profile, rest):
    number, unit = rest.split()
    found = os.path.getsize(profile.path)
    check(found < int(number) * UNITS[unit], f"the profile has {found} bytes, expected below {rest}")


def check_dropped(profile, rest):
    """Something of this kind (enum drop) was given up, and the profile says so."""
    found = profile.value(f"select sum(drop_{int(rest)}) from raw_processes")
    check(found > 0, f"nothing of kind {rest} was dropped")


CHECKS = {
    "dropped": check_dropped,
    "calls": check_calls,
    "calls-like": check_calls_like,
    "arc": check_arc,
    "entries": check_entries,
    "centres": check_centres,
    "inside": check_inside,
    "centre-share": check_centre_share,
    "tail": check_tail,
    "doubt": check_doubt,
    "share": check_share,
    "cycle": check_cycle,
    "never": check_never,
    "contexts-below": check_contexts_below,
    "processes": check_rows("processes"),
    "threads": check_rows("threads"),
    "profile-below": check_profile_below,
    "cut": check_cut,
    "outermost": check_outermost,
    "present": check_present,
    "spawned": check_spawned,
    "absent": check_absent,
}
MEASURED = "measured"
ALSO_SAMPLED = {"share", "never", "entries", "centres", "inside", "centre-share"}
ALSO_COUNTED = ALSO_SAMPLED | {"calls", "calls-like", "arc", "processes", "threads"}
ENVIRONMENT = {"LD_LIBRARY_PATH": None, "ASCRIBE_OUT": None}
# Of runs that are not recorded: no time is measured (burn in program.h).
BRIEF = dict(ENVIRONMENT, BRIEF_RUN="1")
# Words that say how to build and run the program.
SETTINGS = {"levels", "compile", "link", "plain", "also", "library", "record", "output", "status",
            "signal", "recording-below", "sampled", "unsampled",
            "counted", "counted-compile", "counted-levels", "uncounted"}


def expected_ending(expectations):
    name = expectations.one("signal")
    return f"signal {name}" if name else f"status {expectations.one('status', '0')}"


def check_run(result, expectations, how):
    ending = expected_ending(expectations)
    check(result.ending == ending,
          f"{how}: ended with {result.ending}, expected {ending}\n{result.errors}")
    wanted = " ".join(expectations.words("output"))
    found = " ".join(result.output.split())
    check(found == wanted, f"{how}: wrote {found!r}, expected {wanted!r}\n{result.errors}")


@functools.cache
def bare_program(source, expectations, level):
    """Without hooks, and it did what is expected: one for all that is compared with it."""
    directory = harness.scratch(f"{source.stem}-bare{level}") / "bare"
    bare = build(source, expectations, directory, level, instrumented=False)
    check_run(harness.run([bare], directory, BRIEF), expectations, "bare")
    return bare


def check_sampled(source, expectations):
    directory = harness.scratch(source.stem + "-sampled")
    bare = bare_program(source, expectations, "-O2")
    options = expectations.words("record") or ["--rate", SAMPLED_RATE]
    # To some programs the file's name says that they have hooks.
    learned = directory / "expect"
    measured = any(MEASURED in rest.split() for _, rest in expectations.lines)
    environment = dict(ENVIRONMENT, EXPECT_FILE=str(learned)) if measured else ENVIRONMENT
    result = harness.record(bare, bare.parent, options, output=directory / "profile.ascribe",
                            environment=environment)
    check_recorded(result, expectations)
    profile = Profile(directory / "profile.ascribe")
    check_sums(profile)
    lines = expectations.when_sampled()
    if not any(word == "cut" for word, _ in lines):
        lines.append(("cut", "none"))
    check_lines(profile, with_learned(lines, learned, ALSO_SAMPLED))


def split_level(level):
    """The way that stands before a level, or nothing, and the level."""
    way, dash, optimization = level.rpartition("-")
    return way, dash + optimization


def check_level(source, expectations, level):
    if level == "sampled":
        check_sampled(source, expectations)
        return
    directory = harness.scratch(source.stem + level)
    environment = dict(ENVIRONMENT)
    way, level = split_level(level)
    counted = way in COUNTED
    bare_program(source, expectations, level)

    program = build(source, expectations, directory / "hooks", level, way or True)
    before = sorted(os.listdir(directory / "hooks"))
    result = harness.run([program], directory / "hooks", BRIEF)
    check_run(result, expectations, "started by itself")
    check(result.errors == "", f"started by itself: wrote {result.errors!r} to standard error")
    left = sorted(set(os.listdir(directory / "hooks")) - set(before))
    check(not left, f"started by itself: left {left}")

    learned = directory / "expect"
    environment["EXPECT_FILE"] = str(learned)
    profile_path = directory / "profile.ascribe"
    options = expectations.words("record") or (["--rate", SAMPLED_RATE] if counted else [])
    result = harness.record(program, directory / "hooks", options,
                            output=profile_path, environment=environment)
    check_recorded(result, expectations)
    profile = Profile(profile_path)
    lines = expectations.when_counted() if counted else list(expectations.lines)
    check_lines(profile, with_learned(lines, learned, ALSO_COUNTED - {"arc"} if counted else CHECKS))
    if expectations.one("recording-below") and not counted:
        check_recording_size(program, expectations, directory)


def with_learned(lines, learned, words):
    """The lines, and those of these words that the run itself has written.  A share that is to be
    measured has to be among them."""
    found = [tuple(line.split(None, 1)) for line in learned.read_text().splitlines()
             ] if learned.exists() else []
    told = {rest.split()[0] for word, rest in found if word == "share"}
    wanted = {rest.split()[0] for word, rest in lines if word == "share" and MEASURED in rest.split()}
    check(wanted <= told, f"the program did not tell the shares of {sorted(wanted - told)}")
    return ([line for line in lines if line[0] != "share" or MEASURED not in line[1].split()]
            + [line for line in found if line[0] in words])


def check_lines(profile, lines):
    failures = []
    for word, rest in lines:
        if word in SETTINGS:
            continue
        try:
            CHECKS[word](profile, rest.strip())
        except Failure as failure:
            failures.append(str(failure))
    check(not failures, "\n    ".join(failures))


def check_recorded(result, expectations):
    """record shows the program's own output, then its summary, and ends as the program did."""
    check_run(result, expectations, "recorded")
    check("saved " in result.errors, f"record did not say what it saved:\n{result.errors}")


def check_recording_size(program, expectations, directory):
    """Bytes on disk of the recording that the program makes by itself."""
    number, unit = expectations.one("recording-below").split()
    place = directory / "recording"
    harness.run([program], directory, {"ASCRIBE_OUT": str(place)})
    files = [place] if place.is_file() else list(place.rglob("*"))
    size = sum(file.stat().st_blocks * 512 for file in files if file.is_file())
    check(files, "no recording")
    check(size < int(number) * UNITS[unit], f"the recording takes {size} bytes")


def chosen_levels(expectations):
    levels = expectations.words("levels") or ["-O0", "-O2"]
    if levels != ["sampled"] and not expectations.all("uncounted"):
        levels += ["counts" + level for level in levels if level != "sampled"]
        levels += expectations.words("counted-levels")
    if expectations.all("unsampled") or "sampled" in levels:
        return levels
    return levels + ["sampled"]


def one_of(levels, name):
    """Always the same of a program, another of another."""
    return [levels[zlib.crc32(name.encode()) % len(levels)]]


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    expectations = Expectations(source)
    unknown = {word for word, _ in expectations.lines} - SETTINGS - set(CHECKS)
    if unknown:
        sys.exit(f"{source.name}: unknown expectations {unknown}")
    levels = sys.argv[2:] or chosen_levels(expectations)
    if os.environ.get("ASCRIBE_TEST_TIER") == "short":
        levels = one_of(levels, source.name)
    failed = skipped = 0
    for level in levels:
        try:
            check_level(source, expectations, level)
            print(f"ok      {source.name} {level}")
        except Skipped:
            skipped += 1
        except Failure as failure:
            failed += 1
            print(f"FAILED  {source.name} {level}: {failure}")
    sys.exit(1 if failed else SKIP_STATUS if skipped else 0)


if __name__ == "__main__":
    main()
