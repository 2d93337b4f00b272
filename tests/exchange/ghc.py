#!/usr/bin/env python3
"""Profiles of GHC, imported: sums and calls are those of the file, and recursion is counted once. Where GHC is
installed with its profiling libraries, of a program that it compiles here, too."""

import json
import re

import exchange
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("exchange-ghc")
CORPUS = harness.SOURCE / "tests" / "fuzz" / "corpus"
SHAPES = CORPUS / "import_ghc_json" / "shapes"
RECURSION = CORPUS / "import_ghc_json" / "recursion"
BUILT_IN = {"GC", "IDLE", "SYSTEM", "SYSTEM.PINNED", "PROFILING.OVERHEAD_of", "MAIN.DONT_CARE"}


def imported(file, *options):
    output = DIRECTORY / f"{file.parent.name}.{file.name}.ascribe"
    must([ASCRIBE, "import", "-q", "-o", output, *options, file])
    return Profile(output)


def refused(content, part, name="damaged.prof"):
    path = DIRECTORY / name
    path.write_text(content, encoding="utf-8")
    result = run([ASCRIBE, "import", "-o", DIRECTORY / "refused.ascribe", path])
    check(result.status == 1 and part in result.errors and result.errors.count("\n") == 1,
          f"{part!r} is not in {result.ending}, {result.errors!r}")
    check(not (DIRECTORY / "refused.ascribe").exists(), "a profile was saved")


def full_name(label, module):
    return label if label == module else f"{module}.{label}"


class Figures:
    """By function: what it cost itself and, each stack once, with all below it; calls by caller and callee."""

    def __init__(self):
        self.self, self.total, self.calls = {}, {}, {}

    def add(self, stack, entries, ns, size):
        """`stack`: names, outermost first."""
        for table, names in ((self.self, stack[-1:]), (self.total, set(stack))):
            for name in names:
                old = table.get(name, (0, 0))
                table[name] = (old[0] + ns, old[1] + size)
        key = (stack[-2] if len(stack) > 1 else None, stack[-1])
        if entries:
            self.calls[key] = self.calls.get(key, 0) + entries


def figures_of_json(text):
    document, figures = json.loads(text), Figures()
    names = {c["id"]: full_name(c["label"], c["module"]) for c in document["cost_centres"]}

    def walk(node, above):
        stack = [*above, names[node["id"]]]
        figures.add(stack, node["entries"], node["ticks"] * document["tick_interval"] * 1000, node["alloc"])
        for child in node["children"]:
            walk(child, stack)
    walk(document["profile"], [])
    sums = [sum(cost[i] for cost in figures.self.values()) for i in (0, 1)]
    check(sums[1] == document["total_alloc"] and sums[0] == document["total_ticks"] * 1000000, f"{sums}")
    return figures


def without_zeros(table):
    return {name: cost for name, cost in table.items() if any(cost)}


def same(profile, figures):
    found = {"self": {}, "total": {}}
    for metric, index in (("time", 0), ("allocated", 1)):
        for name, own, total in profile.rows(
                "select name, self, total from metric_functions where metric = ?", metric):
            for table, value in (("self", own), ("total", total)):
                old = found[table].get(name, (0, 0))
                found[table][name] = (value, old[1]) if index == 0 else (old[0], value)
    for table, expected in (("self", figures.self), ("total", figures.total)):
        check(without_zeros(found[table]) == without_zeros(expected),
              f"{table}: {found[table]}\n    the file has {expected}")
    calls = {(None if caller == "<spontaneous>" else caller, callee): count for caller, callee, count in profile.rows(
        "select caller_name, callee_name, calls from arcs where calls")}
    direct = dict(profile.rows("select name, recursive_calls from functions where recursive_calls"))
    calls.update(((name, name), count) for name, count in direct.items())
    check(calls == figures.calls, f"calls {calls}\n    the file has {figures.calls}")


def json_equals_its_file():
    for file in (SHAPES, RECURSION):
        same(imported(file), figures_of_json(file.read_text(encoding="utf-8")))


def what_a_profile_is():
    profile = imported(SHAPES)
    check(profile.rows("select name, unit, kind, evidence from metrics order by id")
          == [("time", "ns", "imported", "ticks"), ("allocated", "bytes", "imported", "counted")],
          f"{profile.rows('select name, unit, kind, evidence from metrics')}")
    check(profile.rows("select file, line, source_column from functions where name = 'Main.main'")
          == [("shapes.hs", 32, 1)], "where main is")
    check(profile.value("select name from functions where name like '%summe%'") == "Main.summe_größer", "unicode")
    check(imported(SHAPES, "--event", "allocated").value("select name from metrics order by id") == "allocated",
          "the first metric")
    command = imported(RECURSION).value("select command from processes")
    check(command == "again 5 times", command)
    report = must([ASCRIBE, "report", "--metric", "time,allocated", profile.path]).output
    check("from GHC's profiler" in report and "453643, as the file gives them" in report, report)
    back = DIRECTORY / "back.pb.gz"
    must([ASCRIBE, "export", "--to", "pprof", "-o", back, profile.path])
    again = dict(imported(back).rows("select name, total from metric_functions where metric = 'allocated'"))
    check(again["Main.main"] == figures_of_json(SHAPES.read_text(encoding="utf-8")).total["Main.main"][1], f"{again}")


def nested(depth, name):
    """A stack of one cost centre, that many times."""
    path = DIRECTORY / name
    path.write_text('{"program": "deep", "tick_interval": 1, "cost_centres": [{"id": 1, "label": "f", "module": "Main"}], "profile": '
                    + '{"id": 1, "ticks": 1, "children": [' * depth + "]}" * depth + "}")
    return path


def damaged_json():
    text = SHAPES.read_text(encoding="utf-8")
    lines = text.split("\n")
    for cut in range(len(text) // 7, len(text) - 4, len(text) // 7):
        line = text[:cut].rstrip("\n").count("\n") + 1
        refused(text[:cut], f"damaged.prof:{line}: malformed JSON, or cut off here")
    at = next(i for i, line in enumerate(lines) if line.startswith(",{"))
    refused("\n".join([*lines[:at], lines[at][1:], *lines[at + 1:]]), f"damaged.prof:{at + 1}: malformed JSON")
    refused(text.replace('"label": "GC"', '"label": "GC'), "damaged.prof:12: malformed JSON")
    refused(text.replace('"tick_interval": 1000', '"tick_interval": 0'), "no tick_interval")
    refused(text.replace('"entries": 92735', '"entries": 9223372036854775807'), "too large")
    refused(re.sub(r'"id": (\d+), "label": "fib"', '"id": 99999, "label": "fib"', text), "not in cost_centres")
    check(imported(nested(1200, "deep.prof")).value("select count(*) from functions") == 1, "1200 frames")
    refused(nested(17000, "deeper.prof").read_text(), "its stacks are too deep")
    refused('{"program": "none", "tick_interval": 1000}', "no profile in it")
    result = run([ASCRIBE, "import", "--event", "cycles", SHAPES], DIRECTORY)
    check(result.status == 1 and "the file has time, allocated" in result.errors, result.errors)


def profiled(program, option):
    directory = DIRECTORY / option
    directory.mkdir(exist_ok=True)
    must([program, "+RTS", option], directory=directory, environment={"LANG": "C.UTF-8"})
    return directory / "shapes.prof"


def text_of_json(document, exact):
    """What GHC writes with -P or, not exact, with -p for the same figures: the runtime's own cost centres are in
    no row and in no total."""
    centres = {c["id"]: c for c in document["cost_centres"]}
    name_of = lambda node: full_name(centres[node["id"]]["label"], centres[node["id"]]["module"])
    rows, label_width, module_width, source_width = [], 11, 6, 3

    def walk(node, depth):
        nonlocal label_width, module_width, source_width
        if name_of(node) in BUILT_IN:
            return
        centre = centres[node["id"]]
        rows.append((" " * depth + centre["label"], centre["module"], centre["src_loc"], node))
        label_width = max(label_width, len(rows[-1][0]))
        module_width = max(module_width, len(centre["module"]))
        source_width = max(source_width, len(centre["src_loc"]))
        for child in node["children"]:
            walk(child, depth + 1)
    walk(document["profile"], 0)
    ticks, size = (sum(row[3][key] for row in rows) for key in ("ticks", "alloc"))
    names = lambda label, module, source: f"{label:{label_width}} {module:{module_width}} {source:{source_width}}"
    lines = ["\tThu Nov 26 13:27 2026 Time and Allocation Profiling Report  (Final)", "",
             "\t   shapes +RTS -P -RTS", "",
             f"\ttotal time  =        {ticks / 1000:.2f} secs   ({ticks} ticks @ 1000 us, 1 processor)",
             f"\ttotal alloc = {size:11,} bytes  (excludes profiling overheads)", "",
             "COST CENTRE MODULE    %time %alloc", "", "f           Main       99.0   99.0", "", "",
             " " * (label_width + module_width + source_width + 30) + "individual      inherited",
             names("COST CENTRE", "MODULE", "SRC") + "  no.     entries  %time %alloc   %time %alloc"
             + ("  ticks     bytes" if exact else ""), ""]
    for number, (label, module, source, node) in enumerate(rows):
        percent = lambda part, whole: 100 * part / max(1, whole)
        line = f"{names(label, module, source)} {number:4} {node['entries']:11}  "
        line += f"{percent(node['ticks'], ticks):5.1f}  {percent(node['alloc'], size):5.1f}   100.0  100.0"
        lines.append(line + (f"  {node['ticks']:5}  {node['alloc']:9}" if exact else ""))
    return "\n".join(lines) + "\n"


def without_runtime(document):
    """The tree without what GHC's text leaves out."""
    names = {c["id"]: full_name(c["label"], c["module"]) for c in document["cost_centres"]}
    tree = document["profile"]
    tree["children"] = [child for child in tree["children"] if names[child["id"]] not in BUILT_IN]

    def sums(node):
        below = [sums(child) for child in node["children"]]
        return [node[key] + sum(cost[i] for cost in below) for i, key in enumerate(("ticks", "alloc"))]
    document["total_ticks"], document["total_alloc"] = sums(tree)
    return document


def text_equals_json():
    """The same figures as JSON and as text; percentages of less than a thousand ticks tell all ticks."""
    for file in (SHAPES, RECURSION):
        document = without_runtime(json.loads(file.read_text(encoding="utf-8")))
        figures = figures_of_json(json.dumps(document))
        exact, rounded = DIRECTORY / "exact.prof", DIRECTORY / "rounded.prof"
        exact.write_text(text_of_json(document, True), encoding="utf-8")
        rounded.write_text(text_of_json(document, False), encoding="utf-8")
        profile = imported(exact)
        same(profile, figures)
        check(profile.value("select note from origin") is None, "all of it is there")
        profile = imported(rounded)
        near = document["total_alloc"] / 2000 + 1
        for name, size in profile.rows("select name, self from metric_functions where metric = 'allocated'"):
            check(abs(size - figures.self[name][1]) <= near, f"{name}: {size}, not {figures.self[name]}")
        found = dict(profile.rows("select name, self from metric_functions where metric = 'time'"))
        check(found == {name: cost[0] for name, cost in figures.self.items()}, f"{found}")
        check("percentages" in profile.value("select note from origin"), "the note")


def text_of_ghc():
    """As GHC 9.0 wrote it, and as older ones do: without places, with blanks in names."""
    profile = imported(CORPUS / "import_ghc_prof" / "exact")
    text = (CORPUS / "import_ghc_prof" / "exact").read_text(encoding="utf-8")
    sums = profile.rows("select sum(self) from metric_functions group by metric order by metric")
    size = int(re.search(r"total alloc =\s*([\d,]+)", text)[1].replace(",", ""))
    ticks = int(re.search(r"\((\d+) ticks", text)[1])
    check(sums == [(size,), (ticks * 1000000,)], f"{sums}")
    check(profile.rows("select file, line, calls from functions where name = 'Main.summe_größer'")
          == [("shapes.hs", 17, 1)], "unicode")
    profile = imported(CORPUS / "import_ghc_prof" / "old")
    check(profile.rows("select name, calls, total_ns from functions order by id")
          == [("MAIN", 0, 5 * 10**8), ("Main.find a way", 7, 4 * 10**8), ("Main.größe", 21, 10**8)],
          f"{profile.rows('select name, calls, total_ns from functions order by id')}")


def long_runs_in_percentages():
    """A tenth of a percent is many ticks then: nobody knows how many."""
    text = (CORPUS / "import_ghc_prof" / "percentages").read_text(encoding="utf-8")
    file = DIRECTORY / "long.prof"
    file.write_text(re.sub(r"\(\d+ ticks", "(65000 ticks", text), encoding="utf-8")
    profile = imported(file)
    check(profile.rows("select name, evidence, ticks from metrics order by id")
          == [("time", "unknown", 0), ("allocated", "unknown", 0)], f"{profile.rows('select * from metrics')}")
    (share,) = profile.rows("select self from metric_functions where metric = 'time' and name = 'Main.main'")[0]
    check(share == 231 * 65 * 10**6, f"{share} ns of 65 s are not 23.1 %")


def damaged_text():
    text = (CORPUS / "import_ghc_prof" / "exact").read_text(encoding="utf-8")
    lines = text.split("\n")
    row = next(i for i, line in enumerate(lines) if line.startswith("  main "))
    with_row = lambda line: "\n".join([*lines[:row], line, *lines[row + 1:]])
    refused("\n".join(lines[:12]), "damaged.prof:12: the file ends before the cost centres")
    refused("\n".join(lines[:row]) + "\n  main  Main  shap", f"damaged.prof:{row + 1}: not a row")
    refused(with_row(lines[row].replace("22.4", "x2.4")), f"damaged.prof:{row + 1}: not a row")
    refused(with_row("    " + lines[row]), f"damaged.prof:{row + 1}: a cost centre that is indented below none")
    refused(with_row(" " * 60 + lines[row].split("shapes.hs")[1]), f"damaged.prof:{row + 1}: not the names")
    refused(text.replace("@ 1000 us", "@ ? us"), "damaged.prof:8: the table comes before the total time")
    refused(with_row(re.sub(r"15  15610840", "15  " + "9" * 30, lines[row])), f"damaged.prof:{row + 1}: not a row")
    cut = DIRECTORY / "cut.prof"
    cut.write_text("\n".join(lines[:row + 2]) + "\n", encoding="utf-8")
    check("cut off" in imported(cut).value("select note from origin"), "a cut is not noticed")


ROW = re.compile(r"( *)(.+?) +(\S+) +(\S+) +\d+ +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +(\d+) +(\d+)$")


def rows_of_text(text):
    """{stack: (entries, own %time and %alloc, inherited ones, ticks, bytes)}, with the place where each begins."""
    found, path = {}, []
    for line in text[text.index("individual"):].split("\n")[3:]:
        if line:
            indent, label, module, place, *figures = ROW.match(line).groups()
            place = re.sub(r"\((\d+),(\d+)\)-.*", r"\1:\2", place)
            path[len(indent):] = [(label, module, re.sub(r"(:\d+:\d+)-\d+$", r"\1", place))]
            check(tuple(path) not in found, f"twice: {path}")
            found[tuple(path)] = tuple(float(figure) for figure in figures)
    return found


def exported(profile, name, *options):
    file = DIRECTORY / name
    result = must([ASCRIBE, "export", "--to", "ghc-prof", "-o", file, *options, profile.path])
    return file, result.errors


def text_comes_back():
    """All rows and totals of a report are those that were imported, with stacks that cost nothing, too."""
    exact = CORPUS / "import_ghc_prof" / "exact"
    file, said = exported(imported(exact), "back.prof")
    text, expected = file.read_text(encoding="utf-8"), exact.read_text(encoding="utf-8")
    check(rows_of_text(text) == rows_of_text(expected), f"{rows_of_text(text)}\n    not {rows_of_text(expected)}")
    check(text.split("\n")[:7] == expected.split("\n")[:7] and "entries" not in said, text[:300])
    hot = lambda text: [(*line.split()[:2], *line.split()[3:]) for line in text.split("\n")[9:16]]
    check(sorted(hot(text)) == sorted(hot(expected)), f"{hot(text)}, not {hot(expected)}")
    again, _ = exported(imported(file), "again.prof")
    check(again.read_text(encoding="utf-8") == text, "a second time it is another file")
    percentages = CORPUS / "import_ghc_prof" / "percentages"
    rounded, _ = exported(imported(percentages), "rounded.prof")
    for name, total in imported(percentages).rows(
            "select name, total from metric_functions where metric = 'time' and total"):
        check((total,) in imported(rounded).rows("select total from metric_functions where metric = 'time'"
                                                 " and name = ?", name), f"{name}: not {total} ns")


def json_as_text():
    """The same figures after an export as text; the runtime's own time and bytes are in it."""
    for source in (SHAPES, RECURSION):
        file, _ = exported(imported(source), f"{source.name}.prof")
        figures = figures_of_json(source.read_text(encoding="utf-8"))
        direct = figures.calls.pop(("A.B.f", "A.B.f"), 0)
        if direct:  # text has one row for a stack and its direct recursion
            figures.calls["A.B.g", "A.B.f"] += direct
        same(imported(file), figures)


def of_a_recording():
    """Entries and bytes of cost centres are exact, and times are so to one tick."""
    program, path = DIRECTORY / "holds", DIRECTORY / "holds.ascribe"
    must(["gcc", "-O1", "-g", "-I", harness.HEADERS, "-o", program, exchange.HERE / "holds.c"])
    must([ASCRIBE, "record", "-q", "--heap", "-o", path, "--", program], directory=DIRECTORY)
    profile = Profile(path)
    file, said = exported(profile, "holds.prof")
    text = file.read_text(encoding="utf-8")
    rows = {stack[-1][0]: figures for stack, figures in rows_of_text(text).items()}
    tick_ns = 1000 * int(re.search(r"@ (\d+) us", text)[1])
    check(not said.count("entries") and set(rows) == {"MAIN", "cache", "parse", "child"}, said + text)
    for name, entries, ns, size in profile.rows("select name, entries, self_ns, allocated_bytes from cost_centres"):
        found = rows[name]
        check(found[0] == entries and found[6] == size and abs(found[5] * tick_ns - ns) <= tick_ns + 0.01 * ns,
              f"{name}: {found}, not {entries}, {ns} ns, {size}")
    listed = {line.split()[0] for line in re.search(r"bytes\n\n(.*?)\n\n\n", text, re.S)[1].split("\n")}
    most = {name for name, figures in rows.items() if max(figures[1:3]) >= 1}
    check(listed == most, f"{listed} are listed, but {most} have 1 %")
    whole = profile.value("select sum(self_ns) from functions")
    ticks = sum(figures[5] for figures in rows.values())
    check(abs(ticks * tick_ns - whole) <= tick_ns + 0.01 * whole, f"{ticks} ticks, not {whole} ns")
    back = imported(file)
    sizes = dict(back.rows("select name, self from metric_functions where metric = 'allocated'"))
    check(sizes == {"MAIN": 7, "cache": 40000, "parse": 20000, "child": 100000}, f"{sizes}")
    calls = dict(back.rows("select name, calls from functions"))
    check(calls == {"MAIN": 0, "cache": 1, "parse": 1, "child": 1}, f"{calls}")
    again, _ = exported(back, "holds-again.prof")
    check(again.read_text(encoding="utf-8") == text, "a second time it is another file")
    file, said = exported(profile, "functions.prof", "--centres=functions")
    check("entries is not known" in said.replace("entered", "entries") and " make " in file.read_text(), said)
    result = run([ASCRIBE, "export", "--to", "ghc-prof", "--metric", "live", profile.path], DIRECTORY)
    check(result.status == 1 and "has time and allocated bytes, not --metric live" in result.errors, result.errors)
    same = [exported(profile, f"{metric}.prof", "--metric", metric)[0].read_text() for metric in ("cpu", "allocated")]
    check(same[0] == same[1], "both metrics, whichever is asked for")
    result = run([ASCRIBE, "export", "--to", "ghc-prof", imported(CORPUS / "import_ghc_hp" / "stacks").path], DIRECTORY)
    check(result.status == 1 and "needs time or allocated bytes: this profile has live, peak" in result.errors, result.errors)


def runs_of_ghc():
    program = exchange.compiled_by_ghc(DIRECTORY)
    if program:
        file = profiled(program, "-pj")
        same(imported(file), figures_of_json(file.read_text(encoding="utf-8")))
        table = lambda profile: {name: (calls, size) for name, calls, size in profile.rows(
            "select f.name, f.calls, coalesce(m.self, 0) from functions f left join metric_functions m"
            " on m.function = f.id and m.metric = 'allocated' where f.calls or m.self") if name not in BUILT_IN}
        expected = table(imported(file))
        for option in ("-P", "-p"):
            found = table(imported(profiled(program, option)))
            near = 0 if option == "-P" else sum(size for _, size in expected.values()) / 1900
            check(all(found.get(name, (0, 0))[0] == calls and abs(found.get(name, (0, 0))[1] - size) <= near
                      for name, (calls, size) in expected.items()), f"{option}: {found}, not {expected}")


if __name__ == "__main__":
    harness.main(json_equals_its_file, what_a_profile_is, damaged_json, text_equals_json, text_of_ghc,
                 long_runs_in_percentages, damaged_text, text_comes_back, json_as_text, of_a_recording, runs_of_ghc)
