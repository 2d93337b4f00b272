#!/usr/bin/env python3
"""ascribe export: where it writes, what it says, and that nothing half is left behind."""

import os
import resource

import exchange
import harness
from harness import ASCRIBE, check, must, run

DIRECTORY = harness.scratch("exchange-command")
SUFFIXES = {"pprof": ".pb.gz", "callgrind": ".callgrind", "collapsed": ".collapsed",
            "speedscope": ".speedscope.json", "flamegraph": ".svg"}


def export(*options, **how):
    return run([ASCRIBE, "export", *options], how.pop("directory", DIRECTORY), **how)


def failed(result, *words, status=1):
    check(result.status == status and not result.output, f"{result.ending}: {result.output}")
    for word in words:
        check(word in result.errors, f"no {word!r} in: {result.errors}")
    check(result.errors.startswith("ascribe export: "), result.errors)


def left_behind():
    return sorted(name for name in os.listdir(DIRECTORY) if name.startswith("out"))


def default_names():
    path = harness.made("plain", DIRECTORY)
    below = DIRECTORY / "below"
    below.mkdir()
    for form, suffix in SUFFIXES.items():
        result = export("--to", form, path, directory=below)
        check(result.status == 0 and f"saved plain{suffix}: for " in result.errors, result.errors)
        check((below / f"plain{suffix}").stat().st_size > 50, suffix)
    (DIRECTORY / "other.db").write_bytes(path.read_bytes())
    export("--to", "collapsed", "other.db")
    check((DIRECTORY / "other.db.collapsed").exists(), "suffix of another file")


def newest_profile():
    here = DIRECTORY / "newest"
    here.mkdir()
    failed(export("--to", "pprof", directory=here), "no *.ascribe here")
    harness.made("plain", here)
    check(export("--to", "pprof", directory=here).status == 0, "the newest profile")
    check((here / "plain.pb.gz").exists(), "the newest profile")


def standard_output():
    path = harness.made("plain", DIRECTORY)
    for form in SUFFIXES:
        result = run(["sh", "-c", '"$@" | cksum', "sh", ASCRIBE, "export", path, "--to", form,
                      "-o", "-"], DIRECTORY)
        check(not result.errors, result.errors)
        must([ASCRIBE, "export", path, "--to", form, "-o", DIRECTORY / "file"])
        size = (DIRECTORY / "file").stat().st_size
        check(result.output.split()[1] == str(size), f"{form}: {result.output}, {size} in a file")


def recordings():
    program = harness.compile_program(harness.PROGRAMS / "mutual.c", DIRECTORY / "mutual", ["-O2"])
    place = DIRECTORY / "recording"
    must([program], environment={"ASCRIBE_OUT": place})
    result = export("--to", "collapsed", f"{place}/")
    check(result.status == 0, result.errors)
    check((DIRECTORY / "recording.collapsed").exists(), result.errors)


def wrong_use():
    path = harness.made("plain", DIRECTORY)
    result = export("--to", "dot", path)
    failed(result, "--to dot: no such format", *SUFFIXES, status=2)
    failed(export(path), "name a format with --to", status=2)
    failed(export("--to", "pprof", path, path), "only one FILE", status=2)
    failed(export("--to", "pprof", "missing"), "missing cannot be read")
    failed(export("--to", "pprof", "/bin/true"), "/bin/true")
    failed(export("--to", "pprof", path, "--focus", "nowhere"), "--focus nowhere: no such function")
    failed(export("--to", "pprof", path, "--thread", "9"), "--thread 9: no such thread")
    result = export("--wrong")
    check(result.status == 2 and "try: ascribe export --help" in result.errors, result.errors)
    check(export("--help").status == 0, "help")


def stacks_that_are_not_there():
    path = harness.made("arcs_only", DIRECTORY)
    for form in set(SUFFIXES) - {"callgrind"}:
        failed(export("--to", form, path, "-o", "out.arcs"), f"--to {form} needs stacks",
               "imported from callgrind")
    check(not left_behind(), f"{left_behind()}")


def calls_that_have_no_stacks():
    path = exchange.counted_by_counters(DIRECTORY)
    result = export("--to", "pprof", path, "-o", DIRECTORY / "out.pprof")
    check(result.status == 0 and "counted without their stacks are not in it" in result.errors, result.errors)
    (DIRECTORY / "out.pprof").unlink()
    check("calls" not in export("--to", "pprof", harness.made("plain", DIRECTORY)).errors, "has calls")


def coverage_is_of_the_whole():
    path = exchange.counted_by_counters(DIRECTORY, "--expressions", rate=5000)
    for option, name in (("--focus", "leaf"), ("--thread", "1"), ("--process", "counters-expressions")):
        failed(export("--to", "lcov", option, name, path, "-o", "out.info"), "--to lcov cannot be combined with --focus")
    check(not left_behind(), f"{left_behind()}")


def names_of_clones():
    """A function has its own name, whether ticks fell into its clone or not."""
    for rate in (0, 10000):
        path = exchange.counted_by_counters(DIRECTORY, "--expressions", rate=rate)
        symbols = must(["nm", DIRECTORY / "counters-expressions"]).output
        check("scaled." in symbols, f"scaled has no clone: {symbols}")
        linkages = harness.Profile(path).rows("SELECT name, linkage FROM functions WHERE name LIKE 'scaled%'")
        check(linkages == [("scaled", "scaled")], f"{rate}: {linkages}")
        text = must([ASCRIBE, "export", "--to", "lcov", "-o", "-", path]).output
        check("FNDA:20050,scaled\n" in text and "scaled." not in text, text)


def no_room():
    """A device that is full, and a limit on the size of files: what stood there stays."""
    path = harness.made("recursion", DIRECTORY)
    target = DIRECTORY / "out.file"
    target.write_text("old")
    for form in SUFFIXES:
        failed(export("--to", form, path, "-o", "/dev/full"), "/dev/full", "No space left",
               "-o FILE")
        result = export("--to", form, path, "-o", target, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (100, 100)))
        failed(result, "out.file cannot be written: File too large")
        check(left_behind() == ["out.file"] and target.read_text() == "old", f"{left_behind()}")
    check(export("--to", "pprof", path, "-o", target).status == 0, "again")
    check(left_behind() == ["out.file"] and target.read_bytes()[:2] == b"\x1f\x8b", "replaced")


def not_writable():
    path = harness.made("plain", DIRECTORY)
    failed(export("--to", "pprof", path, "-o", "nowhere/out"), "nowhere/out cannot be written")
    failed(export("--to", "pprof", path, "-o", DIRECTORY), "Is a directory")
    closed = run(["sh", "-c", '"$@" >&-', "sh", ASCRIBE, "export", path, "--to", "collapsed", "-o",
                  "-"], DIRECTORY)
    failed(closed, "standard output cannot be written")


def a_reader_that_goes():
    path = harness.made("recursion", DIRECTORY)
    result = run(["sh", "-c", '"$@" | head -c 1 >/dev/null', "sh", ASCRIBE, "export", path, "--to",
                  "flamegraph", "-o", "-"], DIRECTORY)
    check(not result.errors, result.errors)


def modes():
    path = harness.made("plain", DIRECTORY)
    must([ASCRIBE, "export", path, "--to", "pprof", "-o", DIRECTORY / "out.mode"],
         preexec_fn=lambda: os.umask(0o027))
    check((DIRECTORY / "out.mode").stat().st_mode & 0o777 == 0o640, "mode of a new file")


if __name__ == "__main__":
    harness.main(default_names, newest_profile, standard_output, recordings, wrong_use,
                 stacks_that_are_not_there, calls_that_have_no_stacks, coverage_is_of_the_whole, names_of_clones,
                 no_room,
                 not_writable, a_reader_that_goes, modes)
