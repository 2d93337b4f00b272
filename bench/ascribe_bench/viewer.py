"""How long the viewer takes on a profile of 1 000 000 contexts and 50 000 functions and on two of them compared, what
memory its server needs, how soon the first view is there and how smoothly its flame graph zooms, and how long ascribe
diff of two such profiles takes."""
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from collections import namedtuple

from ascribe_bench import measure
from ascribe_bench.variants import HERE

# A title, the question, and whether it is asked for the first time: then numbers are read from the profile.
Question = namedtuple("Question", "title name parameters first")


def table(title, first=False, **parameters):
    return Question(title, "table", parameters, first)


QUESTIONS = [
    Question("what the profile is", "info", {}, False),
    table("functions by self time", kind="functions", sort="self_ns"),
    table("functions by name", kind="functions", sort="name", up=1),
    table("functions, filtered", kind="functions", filter="function_123"),
    table("calls between functions by time", True, kind="arcs"),
    table("calls between functions by calls", kind="arcs", sort="calls"),
    table("calls between functions by caller", kind="arcs", sort="caller_name", up=1),
    table("calls between functions, filtered", True, kind="arcs", filter="function_124"),
    table("calls between functions, filtered", kind="arcs", filter="function_123"),
    table("calls between functions, a filter that finds all", kind="arcs", filter="module"),
    table("calls between functions, filtered and by callee", kind="arcs", filter="function_1", sort="callee_name"),
    table("callers of a function", kind="arcs", **{"is.callee": 77}),
    table("call sites by calls", True, kind="sites"),
    table("call sites by caller", True, kind="sites", sort="caller_name"),
    table("call sites by caller", kind="sites", sort="caller_name"),
    table("call sites, filtered", True, kind="sites", filter="function_12"),
    table("call sites, filtered", kind="sites", filter="function_123"),
    table("lines by time", True, kind="lines"),
    table("lines by function", kind="lines", sort="function_name"),
    table("lines by file", kind="lines", sort="file"),
    table("lines, filtered", kind="lines", filter="function_123"),
    table("cycles by calls", kind="cycles"),
    Question("flame graph", "flame", {}, True),
    Question("flame graph", "flame", {}, False),
    Question("flame graph, zoomed", "flame", {"root": "module_0::function_0(int, char const*)"}, False),
    Question("flame graph, bottom-up", "flame", {"up": 1}, False),
]

def comparisons():
    """Of both profiles: the first question of each kind matches and evaluates all entries."""
    found = []
    for kind, by in (("functions", "b.self - a.self"), ("arcs", "b.total - a.total"), ("sites", "b.calls - a.calls"),
                     ("lines", "b.self - a.self")):
        asked = {"kind": "compared", "of": kind, "other": 2, "by": by}
        found += [table(f"{kind} compared", True, **asked), table(f"{kind} compared", **asked),
                  table(f"{kind} compared, by name", sort="name", up=1, **asked),
                  table(f"{kind} compared, filtered", filter="function_123", **asked)]
        if kind in ("functions", "arcs"):
            found += [table(f"{kind} compared, by b's calls", True, sort="b_calls", **asked),
                      table(f"{kind} compared, by b's calls", sort="b_calls", **asked)]
        found.append(table(f"{kind} with the comparison as a column, by it", kind=kind, other=2, by=by, sort="value"))
    return found


# How the kernel names a process's clock of CPU time: linux/posix-timers.h.
CPUCLOCK_SCHED = 2

# Milliseconds of the server's CPU time for an answer; bytes; the first views: [{"table", "flame"}: wall ms];
# zooms: rectangles, [ms between pictures]; diff: seconds.
Figures = namedtuple("Figures", "answers peak_bytes compared compared_peak_bytes first zoom diff")


def cpu_seconds(pid):
    """To the nanosecond: what all threads, ended ones too, had of a processor (clock_getcpuclockid(3))."""
    return time.clock_gettime(~pid << 3 | CPUCLOCK_SCHED)


def peak_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return 0


def ask(address, question):
    with urllib.request.urlopen(
            f"{address}api/{question.name}?{urllib.parse.urlencode(question.parameters)}") as answer:
        answer.read()


def answers(questions, address, pid, rounds):
    found = []
    for question in questions:
        times = []
        for _ in range(1 if question.first else rounds):
            before = cpu_seconds(pid)
            ask(address, question)
            times.append(1000 * (cpu_seconds(pid) - before))
        found.append((question.title + (", first" if question.first else ""), statistics.median(times)))
    return found


def in_browser(script, *words):
    """What the script prints; None where there is no browser to drive."""
    browser = next((shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")
                    if shutil.which(name)), None)
    playwright = os.path.join(HERE, "..", "web", "node_modules", "playwright-core")
    if not browser or not shutil.which("node") or not os.path.exists(playwright):
        return None
    result = subprocess.run(["node", os.path.join(HERE, "ascribe_bench", script), os.path.abspath(playwright),
                             browser, *map(str, words)], capture_output=True, text=True, check=False)
    if result.returncode:
        raise measure.Failed("the browser: " + result.stderr[-300:])
    return json.loads(result.stdout)


def zoom(address, rounds):
    found = in_browser("zoom.mjs", address, rounds)
    return found and (found["rectangles"], [step for steps in found["zooms"] for step in steps])


@contextlib.contextmanager
def serving(ascribe, *profiles):
    server = subprocess.Popen([ascribe, "view", "--no-browser", *profiles], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        yield server.stdout.readline().strip(), server.pid
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def first_views(ascribe, profile, rounds):
    """Each of a server that has just started."""
    found = []
    for _ in range(rounds):
        with serving(ascribe, profile) as (address, _):
            found.append(in_browser("first_view.mjs", address))
    return [one for one in found if one]


def diff_seconds(ascribe, profiles, rounds):
    times = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([ascribe, "diff", *profiles], stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def measure_viewer(build, rounds, say):
    ascribe = os.path.join(build, "src", "cli", "ascribe")
    with tempfile.TemporaryDirectory() as directory:
        profiles = []
        for kind in ("million_large", "million_again"):
            profiles.append(os.path.join(directory, kind + ".ascribe"))
            say("a profile of a million contexts")
            subprocess.run([os.path.join(build, "tests", "exchange", "exchange_profiles"), kind, profiles[-1]],
                           check=True)
        say("the viewer's answers")
        with serving(ascribe, profiles[0]) as (address, pid):
            found = answers(QUESTIONS, address, pid, rounds)
            say("the viewer's flame graph")
            smooth = zoom(address, rounds)
            peak = peak_bytes(pid)
        say("the viewer's comparisons")
        with serving(ascribe, *profiles) as (address, pid):
            compared = answers(comparisons(), address, pid, rounds)
            compared_peak = peak_bytes(pid)
        say("the viewer's first view")
        first = first_views(ascribe, profiles[0], rounds)
        say("ascribe diff of two large profiles")
        return Figures(found, peak, compared, compared_peak, first, smooth, diff_seconds(ascribe, profiles, rounds))
