#!/usr/bin/env python3
"""Limits and refusals of the system: the program runs as without us, and what could not be
measured is said."""

import atexit
import contextlib
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, run

DIRECTORY = harness.scratch("limits")
PROGRAM = DIRECTORY / "easy_hard"
RECURSION = DIRECTORY / "recursion"
CONTEXTS = DIRECTORY / "many_contexts"
OPEN = pathlib.Path(tempfile.mkdtemp(prefix="ascribe-tests-"))  # other users may look into it


def limited(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def runs_the_same(result, output="55 20001\n"):
    check(result.status == 0 and result.output == output,
          f"{result.ending}, output {result.output!r}\n{result.errors}")


def file_size_limit():
    """`ulimit -f`: no SIGXFSZ of our making."""
    for size in (0, 512, 65536, 1 << 20):
        place = DIRECTORY / "small"
        shutil.rmtree(place, ignore_errors=True)
        runs_the_same(run([RECURSION], DIRECTORY, {"ASCRIBE_OUT": place},
                          preexec_fn=limited(resource.RLIMIT_FSIZE, size)))
        runs_the_same(run([CONTEXTS], DIRECTORY, {"ASCRIBE_OUT": place},
                          preexec_fn=limited(resource.RLIMIT_FSIZE, size)), "done\n")


def no_file_at_all_under_record():
    """The program runs; afterwards, nothing can be saved."""
    result = run([ASCRIBE, "record", "-o", "f.ascribe", "--", RECURSION], DIRECTORY,
                 preexec_fn=limited(resource.RLIMIT_FSIZE, 0))
    check("55 20001" in result.output, f"{result.ending}, output {result.output!r}")


def no_room_to_save():
    """Too little memory or stack for saving: the program's status is its own, and the recording is
    there."""
    failed = 0
    for kind, value in ([(resource.RLIMIT_AS, kilobytes << 10) for kilobytes in range(31000, 60000, 4000)] +
                        [(resource.RLIMIT_STACK, 160 << 10)]):
        profile = DIRECTORY / "saved.ascribe"
        profile.unlink(missing_ok=True)
        result = run([ASCRIBE, "record", "-q", "-o", profile, "--", "sh", "-c", f"{RECURSION}; exit 7"],
                     DIRECTORY, preexec_fn=limited(kind, value))
        check(result.status == 7, f"{kind} {value}: {result.ending}\n{result.errors}")
        if profile.exists():
            continue
        failed += 1
        kept = result.errors.partition("the recording is kept: ascribe report ")[2].strip()
        check("nothing was recorded" in result.errors or os.path.isdir(kept),
              f"{kind} {value}: {result.errors}")
        if kept:
            shutil.rmtree(kept)
    check(failed, "there was always room")


def no_memory_meanwhile():
    """Who records runs out of memory before the program ends: the program's status is its own."""
    program = DIRECTORY / "takes_memory.py"
    program.write_text("""\
import os, pathlib, resource, subprocess
recorder = os.getppid()
pages = int(pathlib.Path(f"/proc/{recorder}/statm").read_text().split()[0])
resource.prlimit(recorder, resource.RLIMIT_AS, (pages * resource.getpagesize(),) * 2)
for _ in range(600):
    subprocess.run(["true"])
print("done")
raise SystemExit(7)
""")
    for options in (["--perf"], ["--perf", "--clock", "wall"], ["--clock", "wall"]):
        result = run([ASCRIBE, "record", "-q", *options, "-o", "short.ascribe", "--", sys.executable, program],
                     DIRECTORY)
        check(result.status == 7 and result.output == "done\n" and "out of memory" in result.errors,
              f"{options}: {result.ending}, {result.output!r}\n{result.errors}")


def file_size_limit_under_record():
    result = run([ASCRIBE, "record", "-o", "f.ascribe", "--", RECURSION], DIRECTORY,
                 preexec_fn=limited(resource.RLIMIT_FSIZE, 65536))
    check(result.output == "55 20001\n", f"{result.ending}, output {result.output!r}")
    check(result.status == 0, result.ending)
    check(len(result.errors.splitlines()) == 1 and "only write files of 64 KiB (ulimit -f)" in result.errors,
          result.errors)


def exact_counts_in_small_files():
    """`ulimit -f` of 1 MiB and more: an area of counters takes no more than it needs."""
    program = DIRECTORY / "counted"
    harness.must([ASCRIBE, "cc", "-O1", harness.PROGRAMS / "recursion.c", "-o", program])
    for size in (1, 2, 4):
        result = run([ASCRIBE, "record", "-q", "-o", "small.ascribe", "--", program], DIRECTORY,
                     preexec_fn=limited(resource.RLIMIT_FSIZE, size << 20))
        calls = Profile(DIRECTORY / "small.ascribe").value("select sum(calls) from functions")
        check(result.status == 0 and calls, f"{size} MiB: {result.ending}, {calls} calls")


def no_proc():
    """Without /proc nothing is known of objects; the report says so."""
    if subprocess.run(["unshare", "-m", "umount", "-l", "/proc"], capture_output=True).returncode:
        print("        no namespaces of mounts: left out")
        return
    program = DIRECTORY / "counted"
    record = f"umount -l /proc; {ASCRIBE} record -q -o bare.ascribe -- {program}"
    result = run(["unshare", "-m", "sh", "-c", record], DIRECTORY)
    check(result.status == 0, f"{result.ending} {result.errors}")
    head = harness.must([ASCRIBE, "report", DIRECTORY / "bare.ascribe", "--flat"]).output
    check("1 process could not read /proc/self/maps" in head, head)


def recording_at_its_limit():
    """No room for the counters of 40 threads: times are known, and why some calls are not."""
    program = DIRECTORY / "threads"
    harness.must([ASCRIBE, "cc", "-O1", "-pthread", harness.PROGRAMS / "few_descriptors.c", "-o", program])
    result = run([ASCRIBE, "record", "-o", "limited.ascribe", "--", program], DIRECTORY,
                 preexec_fn=limited(resource.RLIMIT_FSIZE, 1 << 20))
    check(result.status == 0 and "(ulimit -f, ulimit -n, ulimit -v)" in result.errors,
          f"{result.ending}, {result.errors}")
    head = harness.must([ASCRIBE, "report", DIRECTORY / "limited.ascribe", "--flat"]).output
    check("areas of counters\n" in head and "address space (ulimit -f, ulimit -n, ulimit -v)" in head, head)
    check("uncounted" not in head, head)


def children_without_room():
    """Who records says which children are missing, and why."""
    program = DIRECTORY / "forks"
    harness.must([ASCRIBE, "cc", "-O1", harness.PROGRAMS / "fork_without_room.c", "-o", program])
    result = run([ASCRIBE, "record", "-o", "forks.ascribe", "--", program], DIRECTORY)
    check(result.status == 0 and "dropped: 2 child processes\n" in result.errors
          and "(ulimit -f, ulimit -n, ulimit -v)" in result.errors, f"{result.ending}, {result.errors}")


def address_space_limit():
    for size in (64 << 20, 512 << 20):
        place = DIRECTORY / "narrow"
        shutil.rmtree(place, ignore_errors=True)
        runs_the_same(run([RECURSION], DIRECTORY, {"ASCRIBE_OUT": place},
                          preexec_fn=limited(resource.RLIMIT_AS, size)))
    # With little of it, all of it is the program's, and what is missing is said.
    for heap in [], ["--heap"]:
        result = run([ASCRIBE, "record", *heap, "-o", "narrow.ascribe", "--", "sh", "-c", f"ulimit -v 40000; exec {RECURSION}"],
                     DIRECTORY)
        check(result.status == 0 and "55 20001" in result.output and "64 MiB of address space (ulimit" in result.errors,
              f"{result.ending}, {result.output}, {result.errors}")
        head = run([ASCRIBE, "report", "narrow.ascribe"], DIRECTORY).output
        check("64 MiB of address space (ulimit" in head and "without exit" not in head, head)


def no_descriptors():
    place = DIRECTORY / "descriptors"
    runs_the_same(run([RECURSION], DIRECTORY, {"ASCRIBE_OUT": place},
                      preexec_fn=limited(resource.RLIMIT_NOFILE, 4)))


def closed_standard_files():
    """Descriptor 0, 1 or 2 is closed at start: we do not take its place."""
    place = DIRECTORY / "closed"
    command = f"{RECURSION} >&- 2>&-; test $? -eq 0 && {RECURSION} <&-"
    runs_the_same(run(["sh", "-c", command], DIRECTORY, {"ASCRIBE_OUT": place}))


def told_of_full_disk(mount):
    """Whether there was room for some of the recording or none, it is said that there was not for all."""
    for used, saved in ((256, False), (216, True), (200, True)):
        with contextlib.suppress(OSError):
            (mount / "filler").write_bytes(bytes(used << 10))
        result = run([ASCRIBE, "record", "-o", DIRECTORY / "full.ascribe", "--", RECURSION],
                     DIRECTORY, {"ASCRIBE_TMPDIR": mount})
        check(result.output == "55 20001\n", f"{used} of 256 KiB used: {result.output!r}")
        check(result.status == 0 and "ASCRIBE_TMPDIR" in result.errors,
              f"{used} of 256 KiB used: {result.ending}\n{result.errors}")
        if saved:
            head = harness.must([ASCRIBE, "report", DIRECTORY / "full.ascribe"]).output
            check("its disk was full" in head and "without exit" not in head, head)


def full_disk():
    if os.getuid() != 0:
        print("        (full disk: needs root to mount a small tmpfs)")
        return
    mount = DIRECTORY / "full"
    mount.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", mount],
                      stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("        (full disk: mounting is not permitted here)")
        return
    try:
        (mount / "filler").write_bytes(bytes(200 << 10))
        runs_the_same(run([RECURSION], DIRECTORY, {"ASCRIBE_OUT": mount / "a"}))
        runs_the_same(run([CONTEXTS], DIRECTORY, {"ASCRIBE_OUT": mount / "b"}), "done\n")
        (mount / "filler").unlink()
        shutil.rmtree(mount / "a", ignore_errors=True)
        shutil.rmtree(mount / "b", ignore_errors=True)
        runs_the_same(run([CONTEXTS], DIRECTORY, {"ASCRIBE_OUT": mount / "c"}), "done\n")
        result = run([ASCRIBE, "record", "-o", mount / "x.ascribe", "--", CONTEXTS], DIRECTORY)
        check(result.output == "done\n", result.output)
        check(result.status == 0, result.ending)
        check((mount / "x.ascribe").exists() or "the recording is kept" in result.errors,
              f"lost without a word: {result.errors}")
        (mount / "x.ascribe").unlink(missing_ok=True)
        shutil.rmtree(mount / "c", ignore_errors=True)
        told_of_full_disk(mount)
    finally:
        subprocess.run(["umount", mount], check=True)


def unwritable_directory():
    """Nobody may write here: that is said before the program runs."""
    if os.getuid() == 0:
        command = as_nobody() + [open_copy(ASCRIBE), "record", "--", open_copy(RECURSION)]
    else:
        command = [ASCRIBE, "record", "--", RECURSION]
    result = run(command, "/")
    check(result.status == 125 and result.output == "", f"{result.ending}, {result.output}")
    check("cannot be written" in result.errors and len(result.errors.splitlines()) == 1,
          result.errors)


def as_nobody():
    return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


def open_copy(program):
    """Of a program, where every user may run it."""
    copy = OPEN / pathlib.Path(program).name
    shutil.copy(program, copy)
    copy.chmod(0o755)
    return copy


def perf_refused():
    """With a filter that refuses perf_event_open, times come from CPU timers, and are right."""
    refuse = DIRECTORY / "refuse_perf"
    harness.must(["gcc", "-O1", harness.SOURCE / "tests/scenarios/refuse_perf.c", "-o", refuse])
    for command, name in (([refuse], "refused"),
                          (as_nobody() if os.getuid() == 0 else [], "unprivileged")):
        place = OPEN / name
        place.mkdir()
        place.chmod(0o777)
        output = place / "p.ascribe"
        result = run([*command, open_copy(ASCRIBE), "record", "-o", output, "--",
                      open_copy(PROGRAM)], place)
        runs_the_same(result, "done\n")
        if name == "refused":
            check(any("perf_event_open" in line for line in result.errors.splitlines()),
                  result.errors)
        profile = Profile(output)
        check(profile.calls("work") == 2, "calls of work")
        share = profile.total_share("hard")
        check(abs(share - 0.9) < 0.15, f"{name}: hard has {share:.1%}, {profile.all_ticks()} ticks")


def low_sample_rate():
    """Ticks come no faster than the kernel lets all of them through, and that is said."""
    setting = "/proc/sys/kernel/perf_event_max_sample_rate"
    fake = DIRECTORY / "rate"
    fake.write_text("1000\n")
    apart = ["unshare", "--mount", "sh", "-c", f'mount --bind {fake} {setting} && exec "$@"', "sh"]
    if run([*apart, "true"]).status != 0:
        print("        (low sample rate: may not mount)")
        return
    result = run([*apart, ASCRIBE, "record", "-r", "10000", "-o", "rate.ascribe", "--", PROGRAM],
                 DIRECTORY)
    runs_the_same(result, "done\n")
    period, source = Profile(DIRECTORY / "rate.ascribe").rows(
        "select period_ns, clock from processes, runs")[0]
    if "perf_event" in source:
        check(period == 2000000, f"a period of {period} ns")
        check("allows 500 ticks a second, not 10000" in result.errors, result.errors)


def setuid():
    """A setuid program is not recorded by the environment."""
    if os.getuid() != 0:
        print("        (setuid: needs root)")
        return
    program = open_copy(RECURSION)
    program.chmod(0o4755)
    place = OPEN / "setuid"
    place.mkdir()
    place.chmod(0o777)
    runs_the_same(run([*as_nobody(), program], "/", {"ASCRIBE_OUT": place / "x"}))
    check(not (place / "x").exists(), "recorded a setuid program")


if __name__ == "__main__":
    OPEN.chmod(0o755)
    atexit.register(shutil.rmtree, OPEN, ignore_errors=True)
    for program in (PROGRAM, RECURSION, CONTEXTS):
        harness.compile_program(harness.PROGRAMS / f"{program.name}.c", program, ["-O2"])
    harness.main(no_room_to_save, no_memory_meanwhile, file_size_limit, no_file_at_all_under_record, file_size_limit_under_record,
                 exact_counts_in_small_files, no_proc, recording_at_its_limit, children_without_room,
                 address_space_limit,
                 no_descriptors, closed_standard_files, full_disk, unwritable_directory,
                 perf_refused, low_sample_rate, setuid)
