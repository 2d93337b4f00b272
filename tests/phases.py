"""A program that does what it is told, line by line, so that a test knows what it has done (scenarios/phases.c)."""

import os
import subprocess

from harness import check


class Phases:
    """The program phases.c, run by a command, told what to do line by line."""

    def __init__(self, command, directory, **variables):
        self.process = subprocess.Popen(
            [str(word) for word in command], cwd=directory, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=dict(os.environ, **variables))
        self.pid = int(self.answer("ready ").split()[1])

    def answer(self, expected):
        line = self.process.stdout.readline()
        check(line.startswith(expected), f"{line!r} instead of {expected!r}")
        return line

    def tell(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            self.answer("ready " if line == "exec" else "done")

    def finish(self):
        _, self.errors = self.process.communicate(timeout=60)
        check(self.process.returncode == 0, f"status {self.process.returncode}\n{self.errors}")
