"""What the tests of exports share: profiles to export, exports, and what the report says."""

import collections
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must

HERE = pathlib.Path(__file__).resolve().parent

# Stands in a stack where recursion was folded and frames are missing: it is no function.
HOLE = "(recursion)"

# Kinds of exchange_profiles with one function for each name, as reports print it.
COMPARED = ("plain", "recursion", "no_lines", "no_time", "nothing")


def recorded(name, directory, counted=True):
    """The profile of a run of tests/programs/NAME; counted, or sampled as it is."""
    program = harness.compile_program(harness.PROGRAMS / name, directory / "program", ["-O2"],
                                      instrumented=counted, link=["-lpthread"])
    kind = "counted" if counted else "sampled"
    result = harness.record(program, directory, output=f"{name}.{kind}.ascribe")
    check(result.status == 0, result.errors)
    return directory / f"{name}.{kind}.ascribe"


def runs(directory):
    """Profiles of runs that compare well: recursion, threads, with and without counts."""
    return [recorded("mutual_time.c", directory), recorded("threads.c", directory),
            recorded("mutual_time.c", directory, counted=False)]


def compiled_by_ghc(directory):
    """ghc_shapes.hs, compiled for profiling; null if GHC is not there or cannot."""
    program = directory / "shapes"
    if not judge("ghc"):
        return None
    result = harness.run(["ghc", "-v0", "-prof", "-fprof-auto", "-O1", "-rtsopts", "-outputdir", directory,
                          HERE / "ghc_shapes.hs", "-o", program], environment={"LANG": "C.UTF-8"})
    if result.status != 0:
        print(f"        ghc cannot compile for profiling: not asked: {result.errors[:200]}")
        return None
    return program


METRICS = ("cpu", "waiting", "allocations", "allocated", "live", "peak", "temporary")


def measured(directory):
    """The profile of a run of holds.c with all of METRICS, and cost centres."""
    program, path = directory / "holds", directory / "holds.ascribe"
    must(["gcc", "-O1", "-g", "-I", harness.HEADERS, "-o", program, HERE / "holds.c"])
    must([ASCRIBE, "record", "-q", "--heap", "--clock", "wall", "-o", path, "--", program], directory=directory)
    found = [name for name, in harness.Profile(path).rows("select name from metrics order by id")]
    check(set(found) == set(METRICS), f"{found}")
    return path


def centres_of(path, metric):
    """What each cost centre cost, alone and with those inside it."""
    rows = harness.Profile(path).rows("select name, self, total from metric_centres where metric = ?", metric)
    outside = "(in no cost centre)"
    whole = sum(own for own, in harness.Profile(path).rows("select self from metric_functions where metric = ?", metric))
    own = {name: amount for name, amount, _ in rows} | {outside: whole - sum(row[1] for row in rows)}
    return own, {name: amount for name, _, amount in rows} | {outside: own[outside]}


def samples_of_ghc(file):
    """[(ns, {band: bytes})] of what is complete, and when the program ended or null."""
    samples, bands = [], None
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line.startswith("BEGIN_SAMPLE"):
            bands, time = {}, round(float(line.split()[1]) * 1e9)
        elif line.startswith("END_SAMPLE"):
            samples.append((time, bands))
            bands = None
        elif bands is not None and re.search(r"\t\d+$", line):
            name, amount = line.rsplit("\t", 1)
            name = re.sub(r"^\((\d+)\)(.+)$", r"\2 (\1)", name)
            bands[name] = bands.get(name, 0) + int(amount)
    if bands is None and not samples[-1][1]:
        return samples[:-1], samples[-1][0]
    return samples, None


def counted_by_counters(directory, *way, rate=0):
    """The profile of a run of counted_calls.c that `ascribe cc` compiled."""
    name = "-".join(word.strip("-") for word in ("counters", *way))
    program, path = directory / name, directory / f"{name}.{rate}.ascribe"
    must([ASCRIBE, "cc", *way, "-O2", "-g", "-o", program, HERE / "counted_calls.c"])
    must([ASCRIBE, "record", "-q", "--rate", str(rate), "-o", path, "--", program])
    return path


def export(profile, form, *options):
    """The bytes of an export."""
    target = profile.with_suffix(f".{form}.export")
    must([ASCRIBE, "export", profile, "--to", form, "-o", target, *options])
    return target.read_bytes()


class Report:
    """What `ascribe report` says: figures of functions by name, in nanoseconds."""

    def __init__(self, profile, *options):
        report = json.loads(must([ASCRIBE, "report", "--json", "--graph", *options, profile]).output)
        self.run = report["run"]
        self.threads = report["threads"]
        self.objects = report["objects"]
        self.self_ns, self.total_ns, self.calls = {}, {}, {}
        for f in report["functions"]:
            self.add(self.self_ns, f, f["self_ns"])
            self.add(self.total_ns, f, self.total(f))
            self.add(self.calls, f, f["calls"])
        # The start of the program, above main: of most stacks it is left out, and has no total.
        self.without_total = {f["name"] for f in report["functions"] if f["total_ns"] is None and not f["self_ns"]}
        self.whole_ns = sum(self.self_ns.values())
        self.ticks = sum(f["self_ticks"] for f in report["functions"])

    def told(self, totals):
        """Of the totals of an export, those that the report has."""
        return {name: ns for name, ns in totals.items() if name not in self.without_total}

    @staticmethod
    def add(table, function, amount):
        """Functions of one name (in libraries) are one here."""
        if amount:
            table[function["name"]] = table.get(function["name"], 0) + amount

    @staticmethod
    def total(function):
        """Reports give no total to code without hooks; it has no callees either."""
        return function["self_ns"] if function["total_ns"] is None else function["total_ns"]


class Stacks:
    """Stacks with weights, and what a reader makes of them: each function counts once a stack."""

    def __init__(self):
        self.whole = 0
        self.self = collections.Counter()
        self.total = collections.Counter()

    def add(self, names, weight):
        """`names` from the outermost to the running function."""
        self.whole += weight
        if not weight:
            return
        self.self[names[-1]] += weight
        for name in set(names):
            self.total[name] += weight


PLACE = re.compile(r" \((?:[^()]*:\d+)?(?: ?in [^()]*)?\)(?: #\d+)?$")


def without_places(found):
    """Functions of one name are one, as in a Report."""
    table = {}
    for name, ns in found.items():
        name = PLACE.sub("", name)
        table[name] = table.get(name, 0) + ns
    return table


def equal(what, found, expected, tolerance=1000):
    """Two tables of nanoseconds agree to the microsecond; 0 and nothing are the same."""
    found = without_places(found)
    wrong = [f"{name}: {found.get(name, 0)} ns, the report has {expected.get(name, 0)} ns"
             for name in sorted((set(found) | set(expected)) - {HOLE})
             if abs(found.get(name, 0) - expected.get(name, 0)) > tolerance]
    check(not wrong, f"{what}:\n    " + "\n    ".join(wrong))


def same_as_report(stacks, report, what, tolerance=1000):
    check(abs(stacks.whole - report.whole_ns) <= tolerance,
          f"{what}: {stacks.whole} ns in all, the report has {report.whole_ns} ns")
    equal(f"{what}, self", stacks.self, report.self_ns, tolerance)
    equal(f"{what}, total", report.told(stacks.total), report.total_ns, tolerance)
    check(all(total <= stacks.whole for total in stacks.total.values()), f"{what}: above 100 %")


def same_in_all_metrics(path, form, read):
    """`read` makes Stacks of an export. Bytes and numbers are exact, functions' as well as cost centres'."""
    for metric in METRICS:
        tolerance = 1000 if metric in ("cpu", "waiting") else 0
        stacks = read(export(path, form, "--metric", metric))
        same_as_report(stacks, Report(path, "--metric", metric), metric, tolerance)
        stacks = read(export(path, form, "--metric", metric, "--centres"))
        own, total = centres_of(path, metric)
        equal(f"{metric}, cost centres", stacks.self, own, tolerance)
        equal(f"{metric}, cost centres, total", stacks.total, total, tolerance)


def judge(command):
    """Whether a judge is installed; says so if it is not."""
    found = shutil.which(command)
    if not found:
        print(f"        {command} is not installed: not asked")
    return found


# Names of the kind "names" as exports write them: control characters became '?', bad bytes U+FFFD.
CLEAN_NAMES = [
    "std::map<int, std::vector<char>>::operator[](int const&)",
    "operator()<a & b>(char const*, ...) const",
    "f(std::array<int, 4>; semi;colons)",
    "two?lines?and?tabs",
    "quote\"s and 'others' \\ back",
    "(anonymous namespace)::g(int)",
    "(7) looks compressed",
    "ends with a number 42",
    "]]></title><script>alert(1)</script>",
    "fn=(1) calls=3",
    "# no comment",
    "gr\u00fc\u00df dich \u20ac \U0001f525",
    "broken \ufffd\ufffd utf-8 \ufffd",
    "not a character \uffff",
    "?",
    "_ZN3foo3barEv",
]
NAMES_NS = {name: (10 + i) * 1000000 for i, name in enumerate(CLEAN_NAMES)}
NAMES_NS["main"] = 5000000
