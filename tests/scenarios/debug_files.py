#!/usr/bin/env python3
"""Debug information that lies elsewhere: a debuginfod server is asked if DEBUGINFOD_URLS names one,
and not otherwise; what takes long is said on a terminal."""

import http.server
import json
import os
import pathlib
import pty
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must

DIRECTORY = harness.scratch("debug_files")
SOURCE = """static volatile unsigned sink;
static inline void spin(unsigned n) {
  for (unsigned i = 0; i < n; i++)
    sink = sink * 3 + i;
}
__attribute__((noinline)) static void work(void) {
  spin(100000000);
}
int main(void) {
  work();
  return 0;
}
"""


def build():
    (DIRECTORY / "served").mkdir()
    (DIRECTORY / "spin.c").write_text(SOURCE)
    for name, compiler in (("spin", ["gcc"]), ("counted", [ASCRIBE, "cc", "--expressions"])):
        for command in ([*compiler, "-O2", "-g", "-Wl,--build-id", "spin.c", "-o", name],
                        ["objcopy", "--only-keep-debug", name, f"served/{name}.debug"],
                        ["strip", name]):
            must(command, directory=DIRECTORY)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def record(name, url, program="spin"):
    environment = {"DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": DIRECTORY / f"cache-{name}"}
    must([ASCRIBE, "record", "-o", f"{name}.ascribe", f"./{program}"], directory=DIRECTORY,
         environment=environment)
    report = must([ASCRIBE, "report", "--json", f"{name}.ascribe"], directory=DIRECTORY).output
    return json.loads(report)


def wait_for(url, process):
    for _ in range(200):
        try:
            return urllib.request.urlopen(url, timeout=5).status
        except OSError:
            check(process.poll() is None, "debuginfod has ended")
            time.sleep(0.1)
    raise harness.Failure(f"{url} does not answer")


def server_is_asked():
    """A stripped program has its names, inlined calls and lines, and what its counters counted, from
    the server."""
    if not shutil.which("debuginfod"):
        print("not tested: there is no debuginfod")
        return
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(["debuginfod", "-p", str(port), "-d", ":memory:", "-F",
                           DIRECTORY / "served"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        try:
            for program in ("spin", "counted"):
                note = must(["readelf", "-n", program], directory=DIRECTORY).output
                build_id = note.split("Build ID: ")[1].split()[0]
                wait_for(f"{url}/buildid/{build_id}/debuginfo", server)
            report = record("asked", url)
            counts = record("asked-counts", url, "counted")
        finally:
            server.terminate()
    functions = {function["name"]: function for function in report["functions"]}
    check({"spin", "work", "main"} <= functions.keys(), functions.keys())
    check(functions["spin"]["inlined"] == "all", functions["spin"])
    hot = max(report["lines"], key=lambda line: line["self_ns"])
    check(hot["file"].endswith("/spin.c") and hot["line"] in (3, 4), hot)
    calls = {function["name"]: function["calls"] for function in counts["functions"]
             if function["kind"] == "counted"}
    check(calls == {"main": 1, "work": 1, "spin": 1}, calls)
    with sqlite3.connect(DIRECTORY / "asked-counts.ascribe") as profile:
        in_loop = profile.execute("select max(count) from expressions"
                                  " where line = 4 and kind = 'code'").fetchone()[0]
    check(in_loop == 100000000, in_loop)


class Slow(http.server.BaseHTTPRequestHandler):
    """Has nothing, and takes its time to say so."""

    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        time.sleep(2)
        self.send_error(404)

    def log_message(self, *_):
        pass


def on_terminal(command, environment):
    """What a command writes to its terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(DIRECTORY)
        os.environ.update({name: str(value) for name, value in environment.items()})
        os.execv(command[0], command)
    text = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(terminal)
    os.waitpid(pid, 0)
    return text.decode(errors="replace")


def long_reading_is_said():
    if not harness.has_terminals():
        return
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    ascribe = str(pathlib.Path(shutil.which(ASCRIBE)).resolve())
    try:
        text = on_terminal([ascribe, "record", "-o", "slow.ascribe", "./spin"],
                           {"DEBUGINFOD_URLS": url,
                            "DEBUGINFOD_CACHE_PATH": DIRECTORY / "cache-slow"})
        asked = list(Slow.asked)
        quiet = must([ASCRIBE, "record", "-o", "slow.ascribe", "./spin"], directory=DIRECTORY,
                     environment={"DEBUGINFOD_URLS": url,
                                  "DEBUGINFOD_CACHE_PATH": DIRECTORY / "cache-quiet"})
    finally:
        server.shutdown()
    check(asked, "the server was not asked")
    check("\r\033[Kascribe record: reading the symbols of " in text, repr(text))
    check(text.rindex("\r\033[K") > text.rindex("reading the symbols"), "the line stays")
    check("reading the symbols" not in quiet.errors, quiet.errors)


def nobody_is_asked():
    """Without DEBUGINFOD_URLS no server is: the program stays without names."""
    report = record("alone", None)
    names = {function["name"] for function in report["functions"]}
    check("work" not in names and "spin" not in names, names)
    note = next(o["message"] for o in report["objects"] if o["path"].endswith("/spin"))
    check("has no symbols" in note and "DEBUGINFOD_URLS" in note, note)


if __name__ == "__main__":
    build()
    harness.main(server_is_asked, long_reading_is_said, nobody_is_asked)
