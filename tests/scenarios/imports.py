#!/usr/bin/env python3
"""ascribe import on good files, and on files that are cut, foreign or hostile: one line says what is
wrong, and nothing is saved."""

import gzip
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("imports")
CORPUS = harness.SOURCE / "tests" / "fuzz" / "corpus"
PERF = CORPUS / "import_perf_script" / "stacks"
PPROF = CORPUS / "import_pprof" / "compressed"
CALLGRIND = CORPUS / "import_callgrind" / "plain"
COLLAPSED = CORPUS / "import_collapsed" / "stacks"


def imported(file, *options, name="out"):
    output = DIRECTORY / f"{name}.ascribe"
    output.unlink(missing_ok=True)
    must([ASCRIBE, "import", "-q", "-o", output, *options, file])
    return Profile(output)


def refused(file, *options, part="", **more):
    output = DIRECTORY / "refused.ascribe"
    output.unlink(missing_ok=True)
    result = run([ASCRIBE, "import", "-o", output, *options, file], **more)
    name = pathlib.Path(file).name
    check(result.status == 1, f"{name} {options}: {result.ending}: {result.errors}")
    check(result.errors.startswith("ascribe import: ") and result.errors.count("\n") == 1,
          f"{name}: not one line: {result.errors!r}")
    check(part in result.errors, f"{name}: no {part!r} in {result.errors!r}")
    check(not output.exists(), f"{name}: a profile was saved")


def write(name, content):
    path = DIRECTORY / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def totals(profile):
    return dict(profile.rows("select name, total_ns from functions"))


def no_file_is_copied():
    """A file from elsewhere names a file of this machine."""
    secret = write("secret.c", "int secret;\n")
    profile = imported(write("names_a_file", f"events: Ir\nfl={secret}\nfn=f\n1 5\n"))
    check(profile.value("select count(*) from functions where file = ?", str(secret)) == 1,
          "the file is not named")
    check(profile.value("select count(*) from sources") == 0, "a file was copied")


def formats_are_guessed():
    for file, words in ((PERF, "perf script"), (PPROF, "pprof"), (CALLGRIND, "callgrind"),
                        (PPROF.with_name("two_types"), "pprof"), (COLLAPSED, "collapsed stacks"),
                        (CORPUS / "import_ghc_json" / "shapes", "GHC's profiler"),
                        (CORPUS / "import_ghc_prof" / "exact", "GHC's profiler"),
                        (CORPUS / "import_ghc_hp" / "stacks", "GHC's heap profile"),
                        (CORPUS / "import_chicken" / "statistical", "CHICKEN's profiler"),
                        (CORPUS / "import_chicken" / "old", "CHICKEN's profiler"),
                        (CORPUS / "import_massif" / "snapshots", "massif")):
        profile = imported(file)
        check(profile.value("select format from origin") == words, f"{file} is taken for "
              + profile.value("select format from origin"))
        report = must([ASCRIBE, "report", profile.path]).output
        check(f"from {words}" in report, report)
        json.loads(must([ASCRIBE, "report", "--json", profile.path]).output)


def numbers_that_are_no_samples():
    """Nanoseconds are not evidence, whoever forgets to say what they are."""
    stacks = write("nanoseconds", "main;f 2100000000\nmain;g 1190000000\n")
    profile = imported(stacks)
    report = must([ASCRIBE, "report", profile.path]).output
    check("--unit ns" in report and "uncertainty not known" in report, report)
    check(profile.value("select self_uncertainty_ns from functions where name = 'f'") is None,
          "an uncertainty is claimed")
    check(profile.value("select sum(self_ticks) from functions") == 0, "they are evidence")
    said = imported(stacks, "--unit", "samples")
    check(said.value("select sum(self_ticks) from functions") == 3290000000, "who says so is believed")


def perf_text():
    profile = imported(PERF)
    check(totals(profile)["even"] == 500000, totals(profile))
    check(totals(profile)["a::b()"] == 500000, "the outermost frame has not all of its stack")
    check(profile.rows("select inlined from functions where name = 'odd' order by 1")
          == [("some",)], "odd is both inlined and not")
    check(profile.value("select note from origin") == "12 samples that perf lost", profile.value("select note from origin"))
    check(profile.rows("select file, line from lines where function_name like 'a::b<%'")
          == [("prog.cc", 12)], "no line")
    names = [name for name, in profile.rows("select name from metrics order by id")]
    check(len(names) == 2 and names[1] == "page-faults", str(names))
    check("1 page-faults" in must([ASCRIBE, "report", "--metric", "page-faults", profile.path]).output, "the other event")
    faults = imported(PERF, "--event", "page-faults")
    check(faults.rows("select name from metrics order by id") == [(name,) for name in reversed(names)], "the other order")
    check(faults.value("select unit from origin") == "page-faults", "another unit")
    report = must([ASCRIBE, "report", faults.path]).output
    check("1 page-faults" in report and " ms" not in report[report.index("Flat"):], report)


def several_values_of_pprof():
    profile = imported(PPROF)
    check(totals(profile)["main"] == 40000000, totals(profile))
    check(profile.rows("select name, tid from threads where tid > 0") == [("worker", 77)],
          "threads are lost")
    check(profile.value("select ticks from runs") == 5, "samples are no evidence")
    samples = imported(PPROF, "--event", "samples")
    check(samples.value("select unit from origin") == "samples", "samples have another unit")
    check(totals(samples)["main"] == 4, totals(samples))
    refused(PPROF, "--event", "bytes", part="the file has samples, cpu")


def varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number, value):
    """Of a protocol buffer: a number, or the bytes of a message or text."""
    if isinstance(value, int): return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def pprof_file(name, types, samples, default=0):
    """Of two functions, main and make, which main calls; `types` are names and units."""
    texts = ["", "main", "make", "main.go", *(text for one in types for text in one)]
    data = b"".join(field(1, field(1, 4 + 2 * i) + field(2, 5 + 2 * i)) for i in range(len(types)))
    data += b"".join(field(2, field(1, bytes(stack)) + field(2, b"".join(map(varint, values)))) for stack, values in samples)
    data += b"".join(field(4, field(1, i) + field(4, field(1, i) + field(2, 3 * i))) for i in (1, 2))
    data += b"".join(field(5, field(1, i) + field(2, i) + field(4, 3)) for i in (1, 2))
    data += b"".join(field(6, text.encode()) for text in texts) + field(14, 4 + 2 * default)
    path = DIRECTORY / f"{name}.pb"
    path.write_bytes(data)
    return path


def pprof_of_a_heap():
    """As Go writes it: objects and bytes, allocated and still there."""
    types = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]
    return pprof_file("heap", types, [((2, 1), (10, 1 << 20, 0, 0)), ((1,), (5, 5120, 2, 2048))], default=3)


def pprof_of_perf():
    """As perf_to_profile writes it: each event has its samples."""
    types = [(f"{event}_{what}", "count") for event in ("cycles", "faults") for what in ("sample", "event")]
    return pprof_file("perf", types, [((2, 1), (2, 2000, 0, 0)), ((1,), (1, 1000, 3, 30))], default=1)


def all_values_are_metrics():
    """Bytes and objects stand beside each other, in the report and back in pprof's format."""
    query = "select metric, name, self, total, self_ticks, self_low from metric_functions where total order by 1, 2"
    profile = imported(pprof_of_a_heap())
    check(profile.rows("select name, unit, evidence from metrics")
          == [("inuse_space", "bytes", "unknown"), ("alloc_objects", "alloc_objects", "unknown"),
              ("alloc_space", "bytes", "unknown"), ("inuse_objects", "inuse_objects", "unknown")], str(profile.rows("select * from metrics")))
    figures = profile.rows(query)
    check(("alloc_space", "main", 5120, 5120 + (1 << 20), 0, None) in figures and ("alloc_objects", "make", 10, 10, 0, None) in figures
          and ("inuse_objects", "main", 2, 2, 0, None) in figures, str(figures))
    text = must([ASCRIBE, "report", "--flat", "--metric", "alloc_space,alloc_objects", profile.path]).output
    check("alloc_space" in text and "alloc_objects" in text and "CPU" not in text, text)
    check("1.05 MB" in must([ASCRIBE, "report", "--metric", "alloc_space", profile.path]).output, "bytes have their unit")
    pairs = imported(pprof_of_perf(), name="pairs")
    check(pairs.rows("select name, evidence, ticks, whole from metrics order by name")
          == [("cycles_event", "ticks", 3, 3000), ("faults_event", "ticks", 3, 30)], str(pairs.rows("select * from metrics")))
    for file in (profile.path, imported(PERF, name="perf").path, pairs.path):
        again = DIRECTORY / "again.pb.gz"
        must([ASCRIBE, "export", "--to", "pprof", "-o", again, file])
        before, after = Profile(file), imported(again, name="again")
        check(before.rows(query) == after.rows(query), f"{before.rows(query)}\n{after.rows(query)}")
        for view in ("select name, unit, evidence, ticks from metrics order by id",): check(before.rows(view) == after.rows(view), str(after.rows(view)))


def sample_types_that_are_no_metrics():
    """Too many, or of one name: said. Names with control characters cannot reach a terminal. Samples of
    time are no evidence for a count, and not all that ends in _samples counts them."""
    mixed = imported(pprof_file("mixed", [("samples", "count"), ("cpu", "nanoseconds"), ("calls", "count"), ("lost_samples", "count")],
                                [((1,), (2, 2000, 3, 4))]))
    check(mixed.rows("select name, evidence from metrics order by name")
          == [("calls", "unknown"), ("cpu", "ticks"), ("lost_samples", "unknown")], str(mixed.rows("select * from metrics")))
    many = imported(pprof_file("many", [(f"t{i}", "count") for i in range(100)], [((1,), range(1, 101))]))
    check(many.value("select count(*) from metrics") == 64, "how many")
    check(many.value("select note from origin").startswith("36 sample types"), many.value("select note from origin"))
    twice = imported(pprof_file("twice", [("x", "count"), ("x", "bytes"), ("a\x1b[31m\n", "b\nc")], [((1,), (1, 2, 3))]))
    check(sorted(twice.rows("select name, unit from metrics")) == [("a?[31m?", "b?c"), ("x", "x")], str(twice.rows("select * from metrics")))
    check(twice.value("select note from origin").startswith("1 sample type"), twice.value("select note from origin"))


def callgrind_has_no_contexts():
    profile = imported(CALLGRIND)
    check(profile.rows("select name, self_ns, total_ns from functions order by name")
          == [("f", 100, 200), ("g", 100, None), ("main", 400, 600)],
          str(profile.rows("select name, self_ns, total_ns from functions")))
    report = must([ASCRIBE, "report", "--contexts", "--cycles", "--misled", profile.path]).output
    check(report.count("but no contexts") == 3, report)
    result = run([ASCRIBE, "report", "--focus", "f", profile.path], DIRECTORY)
    check(result.status == 1 and "--focus needs contexts" in result.errors, result.errors)
    result = run([ASCRIBE, "export", "--to", "pprof", profile.path], DIRECTORY)
    check(result.status == 1 and "needs stacks" in result.errors, result.errors)
    again = DIRECTORY / "again.callgrind"
    must([ASCRIBE, "export", "--to", "callgrind", "-o", again, profile.path])
    check(totals(imported(again))["main"] == 600, totals(imported(again)))


def units_of_collapsed_stacks():
    samples = imported(COLLAPSED)
    check(totals(samples)["main"] == 20, totals(samples))
    check(samples.value("select self_uncertainty_ns from functions where name = 'work'") > 0,
          "samples without uncertainty")
    for unit, factor in (("ns", 1), ("us", 1000), ("s", 10**9)):
        times = imported(COLLAPSED, "--unit", unit)
        check(totals(times)["main"] == 20 * factor, totals(times))
        check(times.value("select unit from origin") == "ns", "no time")
        check(times.value("select count(self_uncertainty_ns) from functions") == 0,
              "uncertainty without samples")
    widgets = imported(COLLAPSED, "--unit", "widgets")
    check("20 widgets" in must([ASCRIBE, "report", widgets.path]).output, "the unit is not shown")


def from_standard_input():
    output = DIRECTORY / "standard.ascribe"
    with open(COLLAPSED, "rb") as file:
        result = subprocess.run([ASCRIBE, "import", "-q", "-o", output, "-"], stdin=file,
                                check=False, capture_output=True)
    check(result.returncode == 0, result.stderr)
    check(totals(Profile(output))["main"] == 20, "another profile")


def cut_files():
    text, packed = PERF.read_bytes(), PPROF.read_bytes()
    plain = gzip.decompress(packed)
    refused(write("cut.perf", text[:-20]), part="cut.perf:17: the file ends in the middle")
    for length in range(11, len(packed) - 8, 17):
        refused(write("cut.pb.gz", packed[:length]), part="cut off at byte")
    for length in range(1, len(plain), 5):
        file = write("cut.pb", plain[:length])
        result = run([ASCRIBE, "import", "-q", "-F", "pprof", "-o", DIRECTORY / "cut.ascribe", file])
        check(result.status in (0, 1), result.ending)
    lines = CALLGRIND.read_text().splitlines()
    refused(write("cut.callgrind", "\n".join(lines[:6]) + "\n"), part="before the costs of a call")


def foreign_files():
    refused("/bin/true", part="an unknown format")
    refused(write("empty", ""), part="an unknown format")
    refused(write("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(100)), part="unknown format")
    refused(write("prog.gcda", b"adcg*22B" + bytes(40)), part="prog.gcda is gcov's internal file: run gcov --json-format")
    refused(write("prog.profdata", b"\xfflprofi\x81" + bytes(40)), part="run llvm-cov export")
    refused(DIRECTORY, part="cannot be read: Is a directory")
    refused(DIRECTORY / "missing", part="No such file")
    refused(write("text.gz", gzip.compress(b"hello world\n")), part="not a pprof profile")
    refused(write("prose", "Call me 5\nSome years ago\n"), part="prose:2: not a stack and a number")
    for name in ("perf-script", "pprof", "callgrind", "collapsed", "ghc-json", "ghc-prof", "ghc-hp", "massif", "chicken"):
        refused("/bin/true", "--from", name)
        refused(write("empty", ""), "--from", name)


def hostile_files():
    refused(write("sums", "a;b 9000000000000000000\na;b 9000000000000000000\n"), part="too large")
    refused(write("name.callgrind", "events: Ir\nfn=(7)\n1 2\n"), part=":2: a name that was not")
    refused(write("lost.callgrind", "events: Ir\n1 2\n"), part=":2: costs before any function")
    refused(write("number.callgrind", "events: Ir\nfn=f\n1 x\n"), part=":3: no costs")
    refused(write("line", b"a;" * (9 << 20)), "--from", "collapsed", part="longer than 16 MB")
    bomb = write("bomb.pb.gz", gzip.compress(bytes(1 << 30) + b"x"))
    refused(bomb, part="more than 1024 MB")
    bomb.unlink()
    refused(write("broken.data", b"PERFILE2" + bytes(100)), part="perf script cannot read it")


def perf_that_is_not_installed():
    refused(write("other.data", b"PERFILE2" + bytes(100)), part="not installed (Debian: linux-perf)",
            environment={"PATH": str(DIRECTORY)})


def wrong_use():
    for options in ([], ["--from", "excel", "a"], ["--frobnicate", "a"]):
        result = run([ASCRIBE, "import", *options], DIRECTORY)
        check(result.status == 2, f"{options}: {result.ending}")
        check("ascribe import" in result.errors, result.errors)


def round_trips():
    """What is exported comes back."""
    original = imported(PPROF, name="original")
    for name, options in (("pprof", []), ("collapsed", ["--unit", "ns"])):
        file = DIRECTORY / f"again.{name}"
        must([ASCRIBE, "export", "--to", name, "-o", file, original.path])
        again = imported(file, *options, name=f"again-{name}")
        check(totals(again) == totals(original), f"{name}: {totals(again)}, not {totals(original)}")
    file = DIRECTORY / "again.callgrind"
    must([ASCRIBE, "export", "--to", "callgrind", "-o", file, original.path])
    again = imported(file, name="again-callgrind")
    check(totals(again) == totals(original), f"callgrind: {totals(again)}")
    check(again.value("select ticks from runs") == original.value("select ticks from runs"),
          "the evidence is lost")


def gmon_out():
    """Times and calls as gprof has them; what callees took is shared by calls, and marked."""
    program = DIRECTORY / "shares"
    (DIRECTORY / "shares.c").write_text("""
__attribute__((noinline)) int leaf(int n) { volatile int x = 0; while (n--) x++; return x; }
int alias(int) __attribute__((alias("leaf")));
__attribute__((noinline)) int again(int n) { return n ? leaf(100) + again(n - 1) : 0; }
int main(void) { int x = again(9); for (int i = 0; i < 50; i++) x += alias(8000000); return !x; }
""")
    must(["gcc", "-pg", "-g", "-O1", "-fno-optimize-sibling-calls", "shares.c", "-o", program],
         directory=DIRECTORY)
    must([program], directory=DIRECTORY)
    profile = imported(DIRECTORY / "gmon.out", "--executable", program, name="gmon")
    check(profile.calls("leaf") == 59, f"{profile.calls('leaf')} calls of leaf")
    arcs = {(caller, callee): calls for caller, callee, calls in profile.rows(
        "select caller_name, callee_name, calls from arcs")}
    check(arcs == {("main", "leaf"): 50, ("main", "again"): 1, ("again", "leaf"): 9}, f"{arcs}")
    (recursive,), = profile.rows("select recursive_calls from functions where name = 'again'")
    check(recursive == 9, f"{recursive} calls of itself")
    flat = must([ASCRIBE, "gprof", "-b", "-p", program, DIRECTORY / "gmon.out"]).output
    seconds = sum(float(line.split()[2]) for line in flat.splitlines() if line.endswith("leaf")
                  or line.endswith("alias"))
    self_ns = profile.value("select self_ns from functions where name = 'leaf'")
    check(abs(self_ns / 1e9 - seconds) < 0.006, f"{self_ns} ns, gprof {seconds} s")
    shared = dict((name, (total, uncertainty)) for name, total, uncertainty in profile.rows(
        "select name, total_ns, total_uncertainty_ns from functions"))
    whole = profile.value("select sum(self_ns) from functions")
    check(self_ns > 0 and abs(shared["main"][0] - whole) < 2 and shared["main"][1] is None, f"{shared} of {whole}")
    again = self_ns * 9 / 59 + profile.value("select self_ns from functions where name = 'again'")
    check(abs(shared["again"][0] - again) < 2 and shared["again"][1] is None, f"{shared}")
    passed = profile.rows("select in_child_ns, in_uncertainty_ns from arcs where caller_name = 'main'"
                          " and callee_name = 'leaf'")
    check(len(passed) == 1 and abs(passed[0][0] - self_ns * 50 / 59) < 2 and passed[0][1] is None, f"{passed}")
    text = must([ASCRIBE, "report", "--flat", profile.path]).output
    check("shared by calls" in text, text)
    check(next(line for line in text.splitlines() if line.endswith("]") and " main " in line).split()[5] == "?", text)
    for options, words in (([], "--executable"), (["-x", "/bin/true"], "symbol table"),
                           (["-x", DIRECTORY / "shares.c"], "ELF")):
        result = run([ASCRIBE, "import", *options, DIRECTORY / "gmon.out"], DIRECTORY)
        check(result.status == 1 and words in result.errors, f"{options}: {result.errors}")
        check(len(result.errors.splitlines()) == 1, result.errors)


if __name__ == "__main__":
    os.chdir(DIRECTORY)
    harness.main(formats_are_guessed, numbers_that_are_no_samples, no_file_is_copied, perf_text, several_values_of_pprof, all_values_are_metrics, sample_types_that_are_no_metrics,
                 callgrind_has_no_contexts, units_of_collapsed_stacks, from_standard_input,
                 cut_files, foreign_files, hostile_files, perf_that_is_not_installed, wrong_use,
                 round_trips, gmon_out)
