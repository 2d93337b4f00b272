#!/usr/bin/env python3
"""Pauses: --delay, --duration, --stopped, `ascribe start` and `ascribe stop`.  In a pause nothing is
recorded, and what there was of CPU time is told."""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run
from phases import Phases

DIRECTORY = harness.scratch("pauses")
SOURCE = harness.SOURCE / "tests/scenarios/phases.c"
COUNTED, SAMPLED = DIRECTORY / "counted", DIRECTORY / "sampled"
IN_KERNEL = DIRECTORY / "in_kernel"
ENDED = DIRECTORY / "ended_thread"
REFUSE = DIRECTORY / "refuse_perf"
SETTLE = "settle 0.25"  # CPU time after which a change has been seen: a tick in a pause, and more


def record(name, program, *options, wrapper=()):
    return Phases([*wrapper, ASCRIBE, "record", "-o", f"{name}.ascribe", *options, "--", program], DIRECTORY)


def ticks(profile, function):
    return profile.value("select coalesce(sum(self_ticks), 0) from functions where name = ?",
                         function)


def check_off(profile, machine, seconds_off, settled, seconds_on):
    """Nothing in off(), all of on(); the pauses' CPU time is known: off() was all paused, and each
    settling as much as the machine's ticks let it."""
    check(ticks(profile, "off") == 0, f"{ticks(profile, 'off')} ticks in off()")
    found, uncertainty = profile.rows(  # with the system call that asks how long it has run
        "select total_ns * 1e-9, total_uncertainty_ns * 1e-9 from functions where name = 'on'")[0]
    unsampled = profile.value("select unsampled_ns from runs") * 1e-9  # of any function
    margin = 2 * uncertainty + 0.02
    check(found - margin < seconds_on < found + unsampled + margin,
          f"{found} s +- {uncertainty} in on(), {unsampled} not sampled, not {seconds_on};"
          f" the machine delivers {machine.share:.1%}")
    paused = profile.value("select paused_ns from runs") * 1e-9
    check(seconds_off - 0.02 < paused < seconds_off + 0.25 * settled + 0.1,
          f"{paused} s in pauses, {seconds_off} of them in off() beside {settled} settlings")
    sampled, raw = profile.rows("select sampled_ns, (ticks + lost_ticks) * 1e6 from runs")[0]
    machine.check(raw, sampled, within=0.3)


def in_time(attempt):
    """Once more with more time, if the machine was too slow for what has to happen in time."""
    check(any(attempt(factor) for factor in (1, 4, 16)), "the machine is too slow for this test")


def stopped_and_started():
    """By the PID of the program, or of `ascribe record` itself."""
    for name, program, wrapper in (("perf", SAMPLED, []), ("timers", SAMPLED, [REFUSE]),
                                   ("counted", COUNTED, [])):
        with harness.TickYield(DIRECTORY, 1000000) as machine:
            phases = record(name, program, wrapper=wrapper)
            recorder = phases.process.pid
            phases.tell("on 0.2")
            must([ASCRIBE, "stop", phases.pid])
            phases.tell(SETTLE, "off 0.5")
            must([ASCRIBE, "start", recorder])
            phases.tell(SETTLE, "on 0.2")
            must([ASCRIBE, "stop", recorder])
            phases.tell(SETTLE, "off 0.3")
            phases.finish()
        check_off(Profile(DIRECTORY / f"{name}.ascribe"), machine, 0.8, 3, 0.4)
        check("in pauses" in phases.errors, phases.errors)


def calls_stop_too():
    phases = record("calls", COUNTED)
    phases.tell("call_on 1000", "thread call_on 500")
    must([ASCRIBE, "stop", phases.pid])
    phases.tell(SETTLE, "thread " + SETTLE, "call_off 100000", "thread call_off 100000")
    must([ASCRIBE, "start", phases.pid])
    phases.tell(SETTLE, "thread " + SETTLE, "call_on 2000", "thread call_on 700")
    phases.finish()
    profile = Profile(DIRECTORY / "calls.ascribe")
    check(profile.calls("called_on") == 4200, f"{profile.calls('called_on')} calls in ticks' time")
    check(profile.calls("called_off") == 0, f"{profile.calls('called_off')} calls in the pause")


def children_and_execs():
    """What starts in a pause is paused, and a start is for all."""
    for kind in ("fork", "exec"):
        with harness.TickYield(DIRECTORY, 1000000) as machine:
            phases = record(kind, SAMPLED, "--stopped")
            phases.tell("off 0.1", kind, "off 0.3")
            must([ASCRIBE, "start", phases.pid])
            phases.tell(SETTLE, "on 0.3")
            phases.finish()
        check_off(Profile(DIRECTORY / f"{kind}.ascribe"), machine, 0.4, 1, 0.3)


def stopped_from_the_start():
    """Not one call is counted, not one tick taken."""
    def attempt(factor):
        phases = record("stopped", COUNTED, "--stopped")
        phases.tell("call_off 1000", "off 0.2", "thread call_off 1000")
        end = time.monotonic() + 3 * factor
        must([ASCRIBE, "start", "--duration", 3 * factor, phases.pid])
        phases.tell("settle 0.25")
        was_in_time = time.monotonic() < end
        time.sleep(max(0, end + 0.1 - time.monotonic()))
        phases.tell(SETTLE, "off 0.2", "call_off 1000")
        phases.finish()
        return was_in_time

    in_time(attempt)
    profile = Profile(DIRECTORY / "stopped.ascribe")
    check(ticks(profile, "off") == 0 and profile.calls("called_off") == 0, "recorded in a pause")
    check(ticks(profile, "settle") > 0, "not recorded after the start")


def delay_and_duration():
    def attempt(factor):
        begin = time.monotonic()
        phases = record("delay", SAMPLED, "--delay", 1.5 * factor, "--duration", 1)
        phases.tell("off 0.2")
        was_in_time = time.monotonic() < begin + 1.5 * factor
        time.sleep(max(0, begin + 1.5 * factor + 0.1 - time.monotonic()))
        phases.tell(SETTLE)
        phases.tell("on 0.2")
        time.sleep(max(0, begin + 1.5 * factor + 1.5 - time.monotonic()))
        phases.tell(SETTLE, "off 0.2")
        phases.finish()
        check("not recorded: " in phases.errors, phases.errors)
        return was_in_time

    in_time(attempt)
    profile = Profile(DIRECTORY / "delay.ascribe")
    check(ticks(profile, "off") == 0, f"{ticks(profile, 'off')} ticks out of time")
    check(ticks(profile, "settle") + ticks(profile, "on") > 0, "no ticks in time")


def a_daemon_of_its_own():
    """Started with ASCRIBE_OUT, without `ascribe record`."""
    for stopped in (True, False):
        place = DIRECTORY / f"daemon{stopped:d}"
        phases = Phases([COUNTED], DIRECTORY, ASCRIBE_OUT=str(place), ASCRIBE_STOPPED=f"{stopped:d}")
        if not stopped:
            must([ASCRIBE, "stop", phases.pid])
        phases.tell(SETTLE, "call_off 1000", "off 0.2")
        must([ASCRIBE, "start", phases.pid])
        phases.tell(SETTLE, "call_on 1000")
        phases.finish()
        report = must([ASCRIBE, "report", "--flat", place]).output
        check("called_on" in report and "called_off" not in report, report)


def unusual_requests():
    def refused(words, *expected):
        result = run([ASCRIBE, *words])
        check(result.status in (1, 2, 125), f"{words}: {result.ending}")
        for text in expected:
            check(text in result.errors, f"{words}: {result.errors}")

    refused(["stop"], "which process?")
    refused(["stop", "1", "2"], "only one PID")
    refused(["stop", "--duration", "1", "1"], "--help")
    refused(["start", "x"], "not x")
    refused(["start", "--duration", "0", "1"], "above 0")
    refused(["start", str(2**22 + 1)], "there is no process")
    refused(["stop", str(os.getpid())], "is not being recorded")
    refused(["record", "--delay", "x", "--", "true"], "--delay x: expected a number")
    refused(["record", "--duration", "-1", "--", "true"], "--duration -1: expected a number")
    refused(["record", "--stopped", "--delay", "1", "--", "true"], "cannot be combined with")
    refused(["record", "--rate", "0", "--delay", "1", "--", "true"], "need ticks")
    phases = record("counts_only", COUNTED, "--rate", "0")
    refused(["stop", str(phases.pid)], "takes no ticks")
    phases.finish()


def threads_that_ended_keep_their_counts():
    """A pause takes no area that has counts of a thread that has ended."""
    def attempt(factor):
        must([ASCRIBE, "record", "-q", "-o", "ended.ascribe", "--duration", 0.5 * factor, "--",
              ENDED, factor], directory=DIRECTORY)
        return Profile(DIRECTORY / "ended.ascribe").calls("work") == 1000
    in_time(attempt)


def ends_in_the_kernel_too():
    """A tick comes where it finds user code, which is seldom in a program that mostly reads."""
    must([ASCRIBE, "record", "-q", "-o", "in_kernel.ascribe", "--delay", "0.1", "--", IN_KERNEL,
          3000000, "exit", 16], directory=DIRECTORY)
    profile = Profile(DIRECTORY / "in_kernel.ascribe")
    paused = profile.value("select sum(paused_ns) * 1e-9 from processes")
    used = profile.value("select sum(user_ns + system_ns) * 1e-9 from processes")
    check(used > 0.6, f"only {used} s in all")
    check(paused < 0.5, f"{paused} s of {used} in the pause of 0.1 s")


if __name__ == "__main__":
    harness.compile_program(SOURCE, COUNTED, ["-O2", "-pthread"])
    harness.compile_program(SOURCE, SAMPLED, ["-O2", "-pthread"], instrumented=False)
    harness.compile_program(harness.SOURCE / "tests/scenarios/ended_thread.c", ENDED,
                            ["-O2", "-pthread"], instrumented="counts")
    must(["gcc", "-O2", harness.SOURCE / "tests/scenarios/in_kernel.c", "-o", IN_KERNEL])
    must(["gcc", "-O1", harness.SOURCE / "tests/scenarios/refuse_perf.c", "-o", REFUSE])
    harness.main(stopped_and_started, calls_stop_too, children_and_execs, stopped_from_the_start,
                 threads_that_ended_keep_their_counts, ends_in_the_kernel_too, delay_and_duration, a_daemon_of_its_own, unusual_requests)
