#!/usr/bin/env python3
"""Signals under `ascribe record`: they reach the program, and what was counted is saved."""

import fcntl
import os
import pathlib
import pty
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check

DIRECTORY = harness.scratch("signals")
PROGRAM = DIRECTORY / "counts_calls"
PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


def start(name, *arguments, terminal=None):
    """record in a session of its own; `terminal`: with this controlling terminal, in its
    foreground."""
    def prepare():
        for number in PASSED_ON:  # nohup, for one, has some ignored
            signal.signal(number, signal.SIG_DFL)
        if terminal is not None:
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    progress = DIRECTORY / f"{name}.progress"
    recorder = subprocess.Popen(
        [ASCRIBE, "record", "-o", DIRECTORY / f"{name}.ascribe", "--", PROGRAM, progress,
         *arguments], cwd=DIRECTORY, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=prepare)
    deadline = time.monotonic() + 20
    while not progress.exists() or progress.stat().st_size < 16 or read(progress)[1] < 1000:
        check(time.monotonic() < deadline, "the program does not start")
        time.sleep(0.01)
    return recorder, progress


def read(progress):
    content = progress.read_bytes()
    return int.from_bytes(content[:8], "little"), int.from_bytes(content[8:16], "little")


def finish(recorder):
    output, errors = recorder.communicate(timeout=30)
    return recorder.returncode, output.decode(), errors.decode()


def counts_agree(name, progress):
    """The program notes each call before it makes it and is stopped anywhere: one may be open."""
    noted = read(progress)[1]
    counted = Profile(DIRECTORY / f"{name}.ascribe").calls("work")
    check(counted in (noted - 1, noted), f"{noted} calls noted, {counted} counted")


def killed_in_the_middle():
    """SIGKILL from outside at any moment: the counts up to it are there."""
    for attempt in range(3):
        name = f"killed{attempt}"
        recorder, progress = start(name)
        time.sleep(0.03 * attempt)
        os.kill(read(progress)[0], signal.SIGKILL)
        status, _, errors = finish(recorder)
        check(status in (-signal.SIGKILL, 128 + signal.SIGKILL), f"status {status}\n{errors}")
        check("saved " in errors, errors)
        counts_agree(name, progress)


def interrupted_from_the_terminal():
    """Ctrl-C goes to the whole foreground group: the program handles it, once; record saves."""
    if not harness.has_terminals():
        return
    keyboard, terminal = pty.openpty()
    recorder, progress = start("interrupted", "handle", terminal=terminal)
    os.write(keyboard, b"\x03")
    status, output, errors = finish(recorder)
    os.close(keyboard)
    os.close(terminal)
    check(output == "handled 1\n", f"output {output!r}")
    check(status == 6, f"status {status}")
    check("saved " in errors, errors)
    counts_agree("interrupted", progress)


def passed_on():
    """A signal to record alone is passed on."""
    for number in PASSED_ON:
        name = signal.Signals(number).name
        recorder, progress = start(name)
        os.kill(recorder.pid, number)
        status, _, errors = finish(recorder)
        check(status in (-number, 128 + number), f"{name}: status {status}\n{errors}")
        check("saved " in errors, f"{name}: {errors}")
        counts_agree(name, progress)


def waits_with_other_masks():
    """A tick that is due when a signal ends a wait does not keep the program's handler out of it:
    with CPU timers about one of a thousand waits finds one due."""
    program, refuse = DIRECTORY / "waits_for_signals", DIRECTORY / "refuse_perf"
    for source, target in (("waits_for_signals", program), ("refuse_perf", refuse)):
        harness.must(["gcc", "-O1", harness.SOURCE / f"tests/scenarios/{source}.c", "-o", target])
    for before in ([], [refuse]):
        result = harness.run([*before, ASCRIBE, "record", "-o", DIRECTORY / "waits.ascribe", "--",
                              program], DIRECTORY)
        check(result.output == "0 without, mask kept\n", f"{before}: {result.output}{result.errors}")


def handlers_are_called_by_signals():
    """libc's code that a handler returns to has no name of its own."""
    source, program = DIRECTORY / "handles.c", DIRECTORY / "handles"
    source.write_text("""#include <signal.h>
static void handler(int number) { for (volatile long i = 0; i < 200000000; i++) (void)number; }
int main(void) { signal(SIGUSR1, handler); return raise(SIGUSR1); }""")
    harness.must(["gcc", "-O1", "-g", source, "-o", program])
    harness.must([ASCRIBE, "record", "-q", "-o", DIRECTORY / "handles.ascribe", "--", program])
    profile = Profile(DIRECTORY / "handles.ascribe")
    callers = {name for name, in profile.rows("select caller_name from arcs where callee_name = 'handler'")}
    check(callers == {"(signal)"}, f"handler is called by {callers}")
    check(profile.total_share("main") > 0.5, "main has no handler")


def handlers_on_their_own_stack():
    """No tick comes there: each is charged, once the handler has returned, to where it was due. The
    functions that called that one are unknown, and so is their time. CPU timers do not tell any of
    it, and the report says that."""
    source, refuse = harness.SOURCE / "tests/scenarios/alternate_handler.c", DIRECTORY / "refuse_perf"
    for how, compiler in (("plain", ["gcc"]), ("counted", [ASCRIBE, "cc"]),
                          ("contexts", [ASCRIBE, "cc", "--contexts"])):
        program, path = DIRECTORY / how, DIRECTORY / f"{how}.ascribe"
        harness.must([*compiler, "-O2", "-g", source, "-o", program])
        true = int(harness.must([ASCRIBE, "record", "-q", "-o", path, "--", program]).output)
        profile = Profile(path)
        found, uncertainty = profile.rows("select self_ns, self_uncertainty_ns from functions"
                                          " where name = 'works'")[0]
        check(abs(found - true) < 2 * uncertainty and found > 0.3 * true,
              f"{how}: {found} ns +- {uncertainty} in the handler, not {true}")
        calling = profile.rows("select total_ns, total_uncertainty_ns from functions"
                               " where name = 'handler'")
        check(calling or how == "plain", f"{how}: no handler")
        for total, unknown in calling:
            check(total < true < total + unknown + uncertainty, f"{how}: {total} +- {unknown}, not {true} ns")
        check(profile.total_share("main") > 0.9, f"{how}: main has no handlers")
        text = harness.must([ASCRIBE, "report", path]).output
        check("signal handlers on an alternate stack: ticks there know" in text, text)
    harness.must([refuse, ASCRIBE, "record", "-q", "-o", DIRECTORY / "timers.ascribe", "--",
                  DIRECTORY / "plain"])
    text = harness.must([ASCRIBE, "report", DIRECTORY / "timers.ascribe"]).output
    check("alternate stack: their time is charged to the code that they interrupted" in text, text)


if __name__ == "__main__":
    harness.compile_program(harness.SOURCE / "tests/scenarios/counts_calls.c", PROGRAM, ["-O2"])
    harness.main(killed_in_the_middle, interrupted_from_the_terminal, passed_on,
                 waits_with_other_masks, handlers_are_called_by_signals, handlers_on_their_own_stack)
