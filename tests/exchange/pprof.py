#!/usr/bin/env python3
"""Exports to pprof: protoc decodes them without a field left over, and they say what the report
says; go's pprof, where it is installed, prints the same figures."""

import gzip
import re
import subprocess

import exchange
import harness
from exchange import Report, Stacks, export, judge, same_as_report
from harness import check, run

DIRECTORY = harness.scratch("exchange-pprof")
FIELD = re.compile(r"(\w+)(?:: (.*)| \{)$")


def text_value(text):
    if not text.startswith('"'):
        return {"true": True, "false": False}.get(text) or int(text)
    raw = re.sub(rb"\\([0-7]{3}|.)", lambda match: bytes([int(match[1], 8)]) if len(match[1]) == 3
                 else {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(match[1], match[1]),
                 text[1:-1].encode())
    return raw.decode()


def parse(lines):
    """protoc's text format: each field a list of its values, messages as dictionaries."""
    message = {}
    for line in lines:
        if line.strip() == "}":
            break
        field = FIELD.match(line.strip())
        check(field and not field[1].isdigit(), f"protoc does not know a field: {line}")
        value = parse(lines) if field[2] is None else text_value(field[2])
        message.setdefault(field[1], []).append(value)
    return message


def one(message, field, default=0):
    values = message.get(field, [default])
    check(len(values) == 1, f"{field} stands {len(values)} times")
    return values[0]


class Profile:
    def __init__(self, data):
        decoded = subprocess.run(
            ["protoc", f"--proto_path={exchange.HERE}", "--decode=judge.Profile",
             "profile.proto"], input=gzip.decompress(data), capture_output=True, check=True).stdout
        self.message = parse(iter(decoded.decode().splitlines()))
        self.texts = self.message["string_table"]
        check(self.texts[0] == "", "string 0 is not empty")
        check(len(set(self.texts)) == len(self.texts), "a string stands twice")
        self.mappings = self.by_id("mapping")
        self.functions = self.by_id("function")
        self.locations = self.by_id("location")
        self.types = [self.texts[one(t, "type")] for t in self.message["sample_type"]]
        self.units = [self.texts[one(t, "unit")] for t in self.message["sample_type"]]
        self.samples = self.message.get("sample", [])

    def by_id(self, field):
        found = {one(message, "id"): message for message in self.message.get(field, [])}
        check(0 not in found and len(found) == len(self.message.get(field, [])), f"{field} ids")
        return found

    def text(self, message, field):
        return self.texts[one(message, field)]

    def frame(self, identity):
        """(function's name, line) of a location."""
        location = self.locations[identity]
        mapping = one(location, "mapping_id")
        check(mapping == 0 or mapping in self.mappings, f"no mapping {mapping}")
        line = one(location, "line", None)
        return self.text(self.functions[one(line, "function_id")], "name"), one(line, "line")

    def stacks(self, kind):
        stacks = Stacks()
        for sample in self.samples:
            check(len(sample["value"]) == len(self.types), "values and their types")
            names = [self.frame(identity)[0] for identity in sample["location_id"]]
            stacks.add(names[::-1], sample["value"][self.types.index(kind)])
        return stacks

    def labels(self):
        """Nanoseconds by (thread, tid, pid)."""
        found = {}
        for sample in self.samples:
            labels = {self.text(label, "key"): self.text(label, "str") if "str" in label
                      else one(label, "num") for label in sample["label"]}
            key = labels.get("thread"), labels.get("tid"), labels.get("pid")
            found[key] = found.get(key, 0) + sample["value"][self.types.index("cpu")]
        return found


def compare(path):
    report, data = Report(path), export(path, "pprof")
    profile = Profile(data)
    check(profile.types[:2] == ["samples", "cpu"], f"{profile.types}")
    check(profile.units[:2] == ["count", "nanoseconds"], f"{profile.units}")
    check(profile.text(profile.message, "default_sample_type") == "cpu", "default type")
    same_as_report(profile.stacks("cpu"), report, path.name)
    check(profile.stacks("samples").whole == report.ticks, "ticks")
    calls = {name: count for name, count in report.calls.items() if count}
    if "calls" in profile.types:
        found = exchange.without_places(profile.stacks("calls").self)
        check(dict(found) == calls, f"{path.name}: calls {dict(found)}, the report has {calls}")
    else:
        check(not calls, f"{path.name}: no calls, the report has {calls}")
    by_thread = {}
    for (name, _, _), ns in profile.labels().items():
        by_thread[name] = by_thread.get(name, 0) + ns
    expected = {}
    for thread in report.threads:
        name = thread["name"] or None
        expected[name] = expected.get(name, 0) + thread["self_ns"]
    exchange.equal("threads", by_thread, expected)
    paths = {o["path"]: o["build_id"] for o in report.objects}
    mapped = {profile.text(m, "filename"): profile.text(m, "build_id")
              for m in profile.mappings.values()}
    check(mapped == paths, f"mappings {mapped}, the report has {paths}")
    return data, report


def equals_the_report():
    for kind in exchange.COMPARED:
        compare(harness.made(kind, DIRECTORY))


def equals_the_report_of_a_run():
    for path in exchange.runs(DIRECTORY):
        compare(path)


def lines():
    path = harness.made("plain", DIRECTORY)
    profile = Profile(export(path, "pprof"))
    frames = {tuple(profile.frame(i) for i in sample["location_id"])
              for sample in profile.samples if sample["value"][1]}
    # The line that ran, then those that called (profile_fixture.h has these lines).
    check((("burn", 40), ("work", 35), ("hard", 55), ("main", 15)) in frames, f"{frames}")
    starts = {profile.text(f, "name"): one(f, "start_line") for f in profile.functions.values()}
    check(starts["hard"] == 50 and starts["main"] == 10, f"{starts}")


def code_of_other_files():
    profile = Profile(export(harness.made("inlined", DIRECTORY), "pprof"))
    places = {(profile.text(f, "name"), profile.text(f, "filename"), one(f, "start_line"))
              for f in profile.functions.values()}
    check({("work", "header.h", 0), ("work", "fixture.c", 30)} <= places, f"{places}")
    leaves = {profile.frame(sample["location_id"][0]) for sample in profile.samples
              if sample["value"][1]}
    check(("work", 7) in leaves, f"{leaves}")


def another_unit_than_time():
    profile = Profile(export(harness.made("faults", DIRECTORY), "pprof"))
    check(profile.types == ["samples", "page-faults", "calls"], f"{profile.types}")
    check(profile.units == ["count", "count", "count"], f"{profile.units}")
    check(profile.stacks("page-faults").self["burn"] == 1003000000, "burn")


def metrics():
    """All of them are in one profile, memory under the names that Go's runtime gives it; --metric puts one first."""
    path = exchange.measured(DIRECTORY)
    names = {"allocated": "alloc_space", "live": "inuse_space"}
    profile = Profile(export(path, "pprof"))
    for metric in exchange.METRICS:
        kind = names.get(metric, metric)
        tolerance = 1000 if metric in ("cpu", "waiting") else 0
        same_as_report(profile.stacks(kind), Report(path, "--metric", metric), metric, tolerance)
        first = Profile(export(path, "pprof", "--metric", metric))
        check(first.text(first.message, "default_sample_type") == kind, f"default type of {metric}")
        check(first.stacks(kind).self == profile.stacks(kind).self, f"--metric {metric}")
    units = dict(zip(profile.types, profile.units))
    check([units[kind] for kind in ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space")]
          == ["count", "bytes"] * 2, f"{units}")
    heap = dict(zip(("alloc_objects", "inuse_objects"),
                    harness.Profile(path).rows("select allocations, live_blocks from heap")[0]))
    check({kind: profile.stacks(kind).whole for kind in heap} == heap, f"{heap}")


def names():
    path = harness.made("names", DIRECTORY)
    profile = Profile(export(path, "pprof"))
    exchange.equal("names", profile.stacks("cpu").self, exchange.NAMES_NS, 0)
    threads = {name for name, _, _ in profile.labels()}
    check(threads == {"fixture", "wor;ker <&\">?"}, f"{threads}")


def same_names_stay_apart():
    path = harness.made("same_names", DIRECTORY)
    found = Profile(export(path, "pprof")).stacks("cpu").self
    check(sorted(found.values()) == [20000000, 50000000, 80000000], f"{found}")


def selections():
    path = harness.made("recursion", DIRECTORY)
    for options in (["--focus", "parse"], ["--thread", "2"], ["-t", "second", "-f", "odd"]):
        same_as_report(Profile(export(path, "pprof", *options)).stacks("cpu"),
                       Report(path, *options), f"{options}")


def figures(text):
    """Rows of `pprof -top`: flat and cumulative nanoseconds by name."""
    rows = re.findall(r"^ *(\d+(?:\.\d+)?)(?:ns)? +\S+ +\S+ +(\d+(?:\.\d+)?)(?:ns)? +\S+ +(.+)$",
                      text, re.M)
    return ({name: float(flat) for flat, _, name in rows},
            {name: float(total) for _, total, name in rows})


def go_pprof():
    """Skipped without go."""
    if not judge("go"):
        return
    for path in (harness.made("recursion", DIRECTORY),
                 exchange.recorded("mutual_time.c", DIRECTORY)):
        data, report = compare(path)
        file = DIRECTORY / "judged.pb.gz"
        file.write_bytes(data)
        result = run(["go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=0", "-nodefraction=0",
                      file], environment={"HOME": DIRECTORY})
        check(result.status == 0 and "cpu" in result.output, result.errors)
        flat, total = figures(result.output)
        exchange.equal("pprof -top, flat", flat, report.self_ns)
        exchange.equal("pprof -top, cum", report.told(total), report.total_ns)


if __name__ == "__main__":
    if not judge("protoc"):
        harness.skip("protoc (package protobuf-compiler) is not installed")
    harness.main(equals_the_report, equals_the_report_of_a_run, lines,
                 code_of_other_files, metrics, another_unit_than_time, names, same_names_stay_apart, selections, go_pprof)
