#!/usr/bin/env python3
"""What the kernel's settings, filters of system calls and the program itself refuse is said, with
what would help.  Settings of the whole machine are not touched: files lie over them, for the
recorder's own view."""

import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("refusals")
SCENARIOS = harness.SOURCE / "tests/scenarios"
PROGRAMS = harness.SOURCE / "tests/programs"
REFUSE, WORKS, TAKES = (DIRECTORY / name for name in ("refuse_perf", "works", "takes_signal"))
SETTINGS = pathlib.Path("/proc/sys/kernel")


def with_setting(name, value):
    """The words before a command that sees this value; none where that cannot be done."""
    file = DIRECTORY / name.replace("/", "_")
    file.write_text(f"{value}\n")
    private = ["unshare", "--mount"] + (["--user", "--map-root-user"] if os.getuid() else [])
    words = [*private, "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', file,
             SETTINGS / name]
    return words if run([*words, "true"], DIRECTORY).status == 0 else []


def record(*words, wrapper=()):
    result = run([*wrapper, ASCRIBE, "record", "-o", "p.ascribe", *words], DIRECTORY)
    return result.status, result.errors


def paranoid():
    wrapper = with_setting("perf_event_paranoid", 3)
    if not wrapper:
        print("        (no mounts of its own here)")
        return
    status, errors = record("--perf", "--", WORKS, wrapper=[*wrapper, REFUSE])
    check(status == 125 and "kernel.perf_event_paranoid=3): sudo sysctl" in errors, errors)
    status, errors = record("--", WORKS, wrapper=[*wrapper, REFUSE])
    check(status == 0 and "ticks came from CPU timers" in errors
          and "kernel.perf_event_paranoid=2" in errors, errors)


def refused_though_permitted():
    status, errors = record("--perf", "--", WORKS, wrapper=[REFUSE])
    level = int((SETTINGS / "perf_event_paranoid").read_text())
    expected = ("permits it: a container's seccomp filter" if level <= 2
                else f"kernel.perf_event_paranoid={level})")
    check(status == 125 and expected in errors, errors)


def slow_rate():
    wrapper = with_setting("perf_event_max_sample_rate", 1000)
    if not wrapper:
        print("        (no mounts of its own here)")
        return
    status, errors = record("--", WORKS, wrapper=wrapper)
    if "perf_event_open refused" not in errors:
        check(status == 0 and "allows 500 ticks a second, not 1000: sudo sysctl" in errors, errors)


def yama():
    """Where nobody may look at others' memory."""
    scope = SETTINGS / "yama/ptrace_scope"
    if not scope.exists() or int(scope.read_text()) < 2 or not os.getuid():
        print("        (this kernel lets us look)")
        return
    _, errors = record("--clock", "wall", "--", "sleep", "0.5")
    check("where threads waited could not be seen" in errors and "ptrace_scope" in errors, errors)


def confined():
    """The report says what is missing; what it costs is in no function."""
    source = PROGRAMS / "confined.c"
    program = DIRECTORY / "confined"
    harness.compile_program(source, program, ["-O2", "-pthread"], instrumented=False)
    status, errors = record("--", program)
    check(status == 0, errors)
    report = must([ASCRIBE, "report", "p.ascribe"], directory=DIRECTORY).output
    check("1 process forbade system calls to itself (seccomp)" in report
          and "1 process could not be sampled afterwards" in report
          and "(not sampled)" in report, report)


def signal_taken():
    """The profile says so, whichever signal it was."""
    for number, wrapper in ((signal.SIGTRAP, []), (signal.SIGPROF, [REFUSE])):
        status, errors = record("--", TAKES, str(int(number)), wrapper=wrapper)
        check(status == 0, errors)
        report = must([ASCRIBE, "report", "p.ascribe"], directory=DIRECTORY).output
        uses_perf = "ticks (samples) of perf_event" in report
        if uses_perf == (number == signal.SIGTRAP):
            check("1 process took the signal of the ticks by a system call of its own" in report,
                  report)


def ended_by_a_tick():
    _, errors = record("--", TAKES, str(int(signal.SIGPROF)), "default", wrapper=[REFUSE])
    check("was ended by SIGPROF, a signal of the ticks" in errors, errors)


def threads_without_ticks():
    """From outside, threads shorter than a period have no ticks: their time is nobody else's."""
    program = DIRECTORY / "short_threads"
    harness.compile_program(PROGRAMS / "short_threads.c", program, ["-O2", "-pthread"],
                            instrumented=False)
    status, errors = record("--perf", "--rate", "20", "--", program)
    if status == 125 and "perf_event_open" in errors:
        harness.skip("perf events are refused here")
    check(status == 0, errors)
    profile = Profile(DIRECTORY / "p.ascribe")
    cpu, sampled, unsampled, kernel = profile.rows(
        "select user_ns + system_ns, sampled_ns, unsampled_ns, kernel_ns from runs")[0]
    check(abs(cpu - sampled - unsampled - kernel) < 0.05 * cpu,
          f"{cpu} ns are not {sampled} + {unsampled} + {kernel}")
    check(unsampled > 0.1 * cpu, f"{unsampled} ns of {cpu} not sampled")


if __name__ == "__main__":
    for source, program in (("refuse_perf.c", REFUSE), ("works.c", WORKS), ("takes_signal.c", TAKES)):
        must(["gcc", "-O1", "-g", SCENARIOS / source, "-o", program])
    harness.main(paranoid, refused_though_permitted, slow_rate, yama, confined, signal_taken, ended_by_a_tick,
                 threads_without_ticks)
