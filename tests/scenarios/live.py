#!/usr/bin/env python3
"""A program is shown while it runs (`ascribe top`, `ascribe view --pid`, `record --view`): what it has counted so
far is exact at each moment that the test knows, and it ends as it does alone."""

import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import termios
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run
from phases import Phases

DIRECTORY = harness.scratch("live")
SOURCE = harness.SOURCE / "tests/scenarios/phases.c"
COUNTED = DIRECTORY / "counted"


def record(name, *options, program=COUNTED):
    return Phases([ASCRIBE, "record", "-q", "-o", f"{name}.ascribe", *options, "--", program], DIRECTORY)


def shown_calls(text, name):
    """The figures of calls in the line of a function, the last of which is since the start."""
    lines = [line.split() for line in text.splitlines() if line.split()[-1:] == [name]]
    return [int(word) for word in lines[0] if word.isdigit()] if lines else []


def top_counts_so_far():
    phases = record("top")
    phases.tell("call_on 1000", "thread call_on 300")
    text = must([ASCRIBE, "top", "--once", "--pid", phases.pid]).output
    check(shown_calls(text, "called_on") == [1300], text)
    check("1 process, 2 threads" in text and "in the last" not in text, text)
    phases.tell("call_on 7", "fork", "call_on 20")
    text = must([ASCRIBE, "top", "--turns", 2, "-i", "0.01", "--pid", phases.process.pid]).output
    first, last = text.split("\n\n")
    check("2 processes" in first, first)
    check(shown_calls(first, "called_on") == [1327] and shown_calls(last, "called_on") == [0, 1327], text)
    phases.finish()
    check(Profile(DIRECTORY / "top.ascribe").calls("called_on") == 1327, "other calls in the end")


def top_starts_a_program():
    """Its status, its output and its profile are as with `record`."""
    def status_of(command, **variables):
        result = run([ASCRIBE, "top", "-q", "-i", "0.01", "-o", "started.ascribe", "--", *command], DIRECTORY,
                     **variables)
        check("CPU time" in result.output, result.output + result.errors)
        return result
    (DIRECTORY / "told").write_text("call_on 50\n")
    with open(DIRECTORY / "told") as told:
        result = status_of([COUNTED], stdin=told)
    check(result.status == 0 and "done" in result.output, result.output)
    check(Profile(DIRECTORY / "started.ascribe").calls("called_on") == 50, "calls")
    result = status_of(["sh", "-c", "kill -9 $$"])
    check(result.status == -signal.SIGKILL, result.ending)


def top_ends_with_its_process():
    phases = record("ends")
    top = subprocess.Popen([ASCRIBE, "top", "-i", "0.01", "--pid", str(phases.pid)], stdout=subprocess.PIPE,
                           text=True)
    top.stdout.readline()
    os.kill(phases.pid, signal.SIGKILL)
    top.communicate()
    check(top.returncode == 0, f"status {top.returncode}")
    phases.process.communicate()
    check(phases.process.returncode == -signal.SIGKILL, f"status {phases.process.returncode}")


def q_ends_the_display_only():
    """On a terminal, of which a program that top has started gets nothing meanwhile."""
    if not harness.has_terminals():
        return
    gate = DIRECTORY / "gate"
    os.mkfifo(gate)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(DIRECTORY)
        os.environ["TERM"] = "xterm"
        os.execv(ASCRIBE, [ASCRIBE, "top", "-q", "-i", "0.01", "-o", "key.ascribe", "--", "sh", "-c",
                           "cat; read line < gate; echo $line"])
    seen = b""

    def read_until(text):
        nonlocal seen
        while text not in seen:
            seen += os.read(terminal, 65536)
    read_until(b"CPU time")
    os.write(terminal, b"q")
    read_until(b"the program goes on")
    writer = None
    while writer is None and os.waitpid(child, os.WNOHANG) == (0, 0):
        try:
            writer = os.open(gate, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # the program is not there yet
            time.sleep(0.02)
    check(writer is not None, f"the program was ended: {seen}")
    os.write(writer, b"went on\n")
    os.close(writer)
    read_until(b"went on")
    check(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "status")
    os.close(terminal)
    check((DIRECTORY / "key.ascribe").exists(), "no profile")


def a_killed_display_leaves_the_terminal():
    """As it was, and what the program wrote, where there are no unnamed files."""
    if not harness.has_terminals() or not pathlib.Path(f"/proc/self/task/{os.getpid()}/children").exists():
        return
    gate = DIRECTORY / "end"
    os.mkfifo(gate)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(DIRECTORY)
        os.environ.update(TERM="xterm", TMPDIR=str(DIRECTORY / "none"))
        os.execv(ASCRIBE, [ASCRIBE, "top", "-q", "-i", "0.01", "-o", "killed.ascribe", "--", "sh", "-c",
                           "echo writ''ten; read line < end"])
    seen = b""
    while b"CPU time" not in seen:
        seen += os.read(terminal, 65536)
    check(not termios.tcgetattr(terminal)[3] & termios.ECHO, "the display does not read keys")
    check(b"written" not in seen, "the program writes across the display")
    listed = pathlib.Path(f"/proc/{child}/task/{child}/children")
    children = listed.read_text().split()
    displays = [pid for pid in children if pathlib.Path(f"/proc/{pid}/comm").read_text() == "ascribe\n"]
    check(len(displays) == 1, f"{displays} of {children}")
    os.kill(int(displays[0]), signal.SIGKILL)
    gate.write_text("end\n")
    while b"written" not in seen:
        seen += os.read(terminal, 65536)
    check(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "status")
    check(termios.tcgetattr(terminal)[3] & (termios.ECHO | termios.ICANON | termios.ISIG)
          == termios.ECHO | termios.ICANON | termios.ISIG, "the terminal is left raw")
    os.close(terminal)


class Live:
    """The API of a viewer."""

    def __init__(self, address):
        check(address.startswith("http://127.0.0.1:"), address)
        self.address = address.strip() + "api/"

    def get(self, question):
        with urllib.request.urlopen(self.address + question) as answer:  # of this machine
            return json.loads(answer.read())

    def next_turn(self):
        """As the overview does it."""
        turn = self.get("live")["turn"]
        while (live := self.get(f"live?turn={turn}&want=1"))["turn"] == turn and live["running"]:
            time.sleep(0.05)
        return live

    def calls(self, name):
        table = self.get(f"table?kind=functions&is.name={name}")
        rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
        return sum(row["calls"] or 0 for row in rows if row["id"])

    def waited_ns(self):
        rows = self.get("info")["profiles"][0]["lives"]
        return rows[0]["waited_ns"] if rows else 0

    def check_waiting(self):
        """Of a program that waits for its input most of the time."""
        for _ in range(200):
            if self.waited_ns():
                return
            self.next_turn()
        check(False, "no waiting is shown")

    def end(self):
        while (live := self.get("live"))["running"]:
            time.sleep(0.05)
        return live["note"]


def view_follows():
    phases = record("view")
    phases.tell("call_on 1000")
    view = subprocess.Popen([ASCRIBE, "view", "--no-browser", "--pid", str(phases.pid)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    live = Live(view.stdout.readline())
    check(live.calls("called_on") == 1000, "at first")
    first = live.get("live")["turn"]
    phases.tell("call_on 500")
    check(live.calls("called_on") == 1000, "a turn that nobody asked for")
    live.next_turn()
    check(live.calls("called_on") == 1500, "in the next turn")
    live.check_waiting()
    try:
        live.get(f"table?kind=functions&turn={first}")
        check(False, "ids of a turn that is past")
    except urllib.error.HTTPError as error:
        check(error.code == 409, f"status {error.code}")
    phases.tell("call_on 1")
    phases.finish()
    check("has ended" in live.end(), "the end")
    check(live.calls("called_on") in (1500, 1501), "at the end") # unless the recorder was faster
    check(view.poll() is None, "the viewer ends by itself")
    view.send_signal(signal.SIGTERM)
    view.communicate()
    check(view.returncode == 0, f"status {view.returncode}")


class Shown(Phases):
    """Its lines and the viewer's come from one pipe."""
    address = None

    def answer(self, expected):
        while (line := self.process.stdout.readline()).startswith("http"):
            self.address = line
        check(line.startswith(expected), f"{line!r} instead of {expected!r}")
        return line


def record_shows_and_saves():
    phases = Shown([ASCRIBE, "record", "-q", "--view", "--clock", "wall", "-o", "shown.ascribe", "--", COUNTED], DIRECTORY,
                   DISPLAY="", WAYLAND_DISPLAY="")
    phases.tell("call_on 11")
    while not phases.address:
        phases.tell("call_on 1")
    live = Live(phases.address)
    live.next_turn()
    calls = live.calls("called_on")
    phases.tell("call_on 1000")
    live.next_turn()
    check(live.calls("called_on") == calls + 1000, f"{live.calls('called_on')} calls, not 1000 more than {calls}")
    live.check_waiting()
    phases.process.stdin.close()
    check("whole profile" in live.end(), "the end")
    check(live.calls("called_on") == calls + 1000, "in the profile that was saved")
    check(Profile(DIRECTORY / "shown.ascribe").calls("called_on") == calls + 1000, "saved")
    phases.process.send_signal(signal.SIGTERM)
    phases.process.stdout.read()
    check(phases.process.wait() == 0, f"status {phases.process.returncode}")


def unusual_requests():
    def refused(words, *expected):
        result = run([ASCRIBE, *words])
        check(result.status in (1, 2, 125), f"{words}: {result.ending}")
        for text in expected:
            check(text in result.errors, f"{words}: {result.errors}")

    refused(["top"], "which program?")
    refused(["top", "--pid", "1", "true"], "name no PROGRAM")
    refused(["top", "--interval", "0", "true"], "above 0")
    for words in (["top", "--once"], ["view"]):
        refused([*words, "--pid", str(2**22 - 1)], "there is no process")
        refused([*words, "--pid", str(os.getpid())], "is not being recorded: start it with `ascribe record`")
    refused(["view", "--pid", "1", "x.ascribe"], "name no FILE")
    refused(["record", "--view", "--perf", "--", "true"], "cannot be combined with")
    refused(["record", "--view", "--repeat", "2", "--", "true"], "cannot be combined with")


if __name__ == "__main__":
    harness.compile_program(SOURCE, COUNTED, ["-O2", "-pthread"])
    harness.main(top_counts_so_far, top_starts_a_program, top_ends_with_its_process, q_ends_the_display_only,
                 a_killed_display_leaves_the_terminal, view_follows, record_shows_and_saves, unusual_requests)
