#!/usr/bin/env python3
"""Heap profiles of other tools, imported: what was live at each sample, at the last one and at the peak is what the
file says, whole and by parts of the run."""

import json
import re

import exchange
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("exchange-heap-samples")
CORPUS = harness.SOURCE / "tests" / "fuzz" / "corpus"
STACKS = CORPUS / "import_ghc_hp" / "stacks"
SNAPSHOTS = CORPUS / "import_massif" / "snapshots"
KILLED = CORPUS / "import_ghc_hp" / "killed"


def imported(file, *options):
    output = DIRECTORY / f"{file.parent.name}.{file.name}.ascribe"
    must([ASCRIBE, "import", "-q", "-o", output, *options, file])
    return Profile(output)


def refused(content, part):
    path = DIRECTORY / "damaged"
    path.write_text(content, encoding="utf-8")
    result = run([ASCRIBE, "import", "-o", DIRECTORY / "refused.ascribe", path])
    check(result.status == 1 and part in result.errors and result.errors.count("\n") == 1,
          f"{part!r} is not in {result.ending}, {result.errors!r}")
    check(not (DIRECTORY / "refused.ascribe").exists(), "a profile was saved")


def costs(profile, metric):
    return dict(profile.rows("select name, sum(self) from metric_functions where metric = ? and self group by name", metric))


def levels(profile):
    """What was live by name at the end of each slice: [(start in ns, {name: amount})]."""
    changes, names = {}, dict(profile.rows("select t.rowid, f.name from raw_ticks t join raw_lines l on l.id = t.line"
                                           " join raw_functions f on f.id = l.function where t.metric = 1"))
    for piece, tick, amount in profile.rows("select slice, tick, self_ns from raw_series where metric = 1"):
        changes.setdefault(piece, {})[min(names) + tick - 1] = amount
    found, level = [], {}
    for piece, start in profile.rows("select id, start_ns from slices order by id"):
        level.update(changes.get(piece, {}))
        of_names = {}
        for tick, amount in level.items():
            of_names[names[tick]] = of_names.get(names[tick], 0) + amount
        found.append((start, {name: amount for name, amount in of_names.items() if amount}))
    return found


def same(profile, samples, end):
    check(levels(profile) == samples, f"{levels(profile)}\n    the file has {samples}")
    check(costs(profile, "live") == samples[-1][1], f"live: {costs(profile, 'live')}")
    most = max(samples, key=lambda sample: sum(sample[1].values()))
    check(costs(profile, "peak") == most[1], f"peak: {costs(profile, 'peak')}, not {most}")
    last = profile.value("select max(end_ns) from slices")
    check(last == (end or samples[-1][0] + 1), f"it ends at {last}")


def bands_of_ghc():
    for file in (STACKS, KILLED):
        profile = imported(file)
        same(profile, *exchange.samples_of_ghc(file))
        check(profile.rows("select name, unit, evidence from metrics order by id")
              == [("live", "bytes", "counted"), ("peak", "bytes", "counted")], "the metrics")
    check(imported(STACKS).value("select command from processes") == "shapes +RTS -hc -i0.02", "the command")
    check(imported(STACKS).value("select note from origin") is None, "nothing is left out")
    check("the last sample" in imported(KILLED).value("select note from origin"), "the sample that is cut off")


def parts_of_a_run():
    """What was live when a part of the run ended."""
    path = imported(KILLED).path
    for part, expected in (("0-2", "150 bytes"), ("2-3", "0 bytes"), ("3-5", "308 bytes"), ("0-100", "321 bytes")):
        result = run([ASCRIBE, "report", f"{path}@{part}"])
        check(result.status == 0 and f"live: {expected}" in result.output, f"{part}: {result.output}{result.errors}")
    series = must([ASCRIBE, "report", "--series", "--metric", "live", path]).output
    check("Over time" in series and re.search(r"Main \d+ %, Data.Map \d+ %", series), series)
    series = json.loads(must([ASCRIBE, "report", "--series", "--json", f"{path}@0-5"]).output)["series"]
    check(50 in [row["self"] for row in series if row["function_name"] == "Data.Map"],
          f"freed before the part ended: {series}")
    result = run([ASCRIBE, "diff", "--metric", "live", f"{path}@0-2", f"{path}@0-100"])
    check(result.status == 0 and "Main" in result.output, result.output + result.errors)


def damaged_heap_of_ghc():
    text = KILLED.read_text(encoding="utf-8")
    refused(text.replace("BEGIN_SAMPLE 4.0", "BEGIN_SAMPLE 2.4"), "damaged:14: earlier than the sample before")
    refused(text.replace("END_SAMPLE 1.000000\n", ""), "damaged:10: not a line of GHC's heap profile: MARK")
    refused(text.replace("END_SAMPLE 1.000000\nMARK 1.5\n", ""), "damaged:10: a sample within another")
    refused(text.replace("Main\t300", "Main 300"), "damaged:15: not a line of GHC's heap profile: Main 300")
    refused(text.replace("Main\t300", "Main\t300x"), "damaged:15: no amount of a band")
    refused(text.replace("Main\t300", "Main\t" + "9" * 25), "damaged:15: the sum of the sample is too large")
    refused(text.replace("BEGIN_SAMPLE 4.0", "BEGIN_SAMPLE x4.0"), "damaged:14: no time of a sample")
    refused(text.replace("BEGIN_SAMPLE 4.000000\n", ""), "damaged:14: not a line")
    refused(text.replace('"seconds"', '"ticks"'), "damaged:3: not in seconds")
    refused(text[:text.index("BEGIN_SAMPLE 1.0")], "damaged:6: the file ends before a sample with bands")


def runs_of_ghc():
    """Broken down by stacks, types, modules and closures."""
    program = exchange.compiled_by_ghc(DIRECTORY)
    if not program:
        return
    for breakdown in ("-hc", "-hy", "-hm", "-hd"):
        must([program, "+RTS", breakdown, "-i0.005"], directory=DIRECTORY, environment={"LANG": "C.UTF-8"})
        same(imported(DIRECTORY / "shapes.hp"), *exchange.samples_of_ghc(DIRECTORY / "shapes.hp"))


FRAME = re.compile(r"0x[0-9A-F]+: (.*?)(?: \((?:in )?[^()]*\))?$")
CUT, STACKLESS = "(stack cut off)", "(snapshot without stacks)"


def tree_of(lines, depth):
    """[(functions, outermost first, bytes)] of a heap tree, whose root stands for all."""
    stacks, path = [], []
    for line in lines:
        level, (callers, size, rest) = len(line) - len(line.lstrip()), re.match(r" *n(\d+): (\d+) (.*)", line).groups()
        del path[level:]
        names = [name for name, _ in path[1:]]
        if level and rest.startswith("in "):
            stacks.append(([CUT, *reversed(names)], int(size)))
            continue
        path.append((FRAME.match(rest)[1] if level else rest, int(size)))
        if callers == "0":
            names = [name for name, _ in path[1:]]
            stacks.append(([CUT] * (len(names) >= depth) + names[::-1], int(size)))
    return stacks


def samples_of_massif(file):
    """[(time, bytes, stacks or null)]"""
    text = file.read_text()
    depth, found = int((re.search(r"--depth=(\d+)", text) or [0, 30])[1]), []
    for snapshot in text.split("#-----------\nsnapshot=")[1:]:
        fields, _, tree = snapshot.partition("heap_tree=")
        tree = [line for line in tree.split("\n")[1:] if re.match(" *n", line)]
        found.append((int(re.search(r"time=(\d+)", fields)[1]), int(re.search(r"mem_heap_B=(\d+)", fields)[1]),
                      tree_of(tree, depth) if tree else None))
    return found


def of_functions(stacks):
    """What functions have allocated themselves, and with all that they called."""
    own, total = {}, {}
    for names, size in stacks:
        for table, those in ((own, names[-1:] or [CUT]), (total, set(names) or {CUT})):
            for name in those:
                table[name] = table.get(name, 0) + size
    drop = lambda table: {name: size for name, size in table.items() if size}
    return drop(own), drop(total)


def totals(profile, metric):
    return dict(profile.rows("select name, sum(total) from metric_functions where metric = ? and total group by name", metric))


def same_as_massif(profile, file):
    samples = samples_of_massif(file)
    detailed = [stacks for _, _, stacks in samples if stacks is not None]
    most = max(detailed, key=lambda stacks: sum(size for _, size in stacks))
    for metric, stacks in (("live", detailed[-1]), ("peak", most)):
        own, total = of_functions(stacks)
        check(costs(profile, metric) == own, f"{metric}: {costs(profile, metric)}, not {own}")
        check(totals(profile, metric) == total, f"{metric}, total: {totals(profile, metric)}, not {total}")
    for _, size, stacks in samples:
        check(stacks is None or sum(part for _, part in stacks) == size, "a tree is not all of its snapshot")
    found = levels(profile)
    if "time_unit: ms" not in file.read_text():
        check(not found, "instructions or bytes are taken for seconds")
        return
    expected = [(time * 1000000, of_functions(stacks)[0] if stacks is not None else {STACKLESS: size} if size else {})
                for time, size, stacks in samples]
    check(found == expected, f"{[pair for pair in zip(found, expected) if pair[0] != pair[1]]}"[:2000])


def snapshots_of_massif():
    for name in ("snapshots", "instructions"):
        file = SNAPSHOTS.with_name(name)
        same_as_massif(imported(file), file)
    profile = imported(SNAPSHOTS)
    check(profile.value("select command from processes") == "./prog with arguments", "the command")
    check(profile.rows("select name, object from functions where object is not null")
          == [("???", "/usr/lib/libx.so.1")], "the object")
    check(("m.c", 6) in profile.rows("select file, line from lines"), f"{profile.rows('select * from lines')}")
    text = must([ASCRIBE, "report", f"{profile.path}@0-5"]).output
    check("live: 900 bytes" in text, text)


def damaged_massif():
    text = SNAPSHOTS.read_text()
    refused(text[:text.index("  n1: 150")], "damaged:22: the file ends in the middle of a snapshot")
    refused(text.replace("  n1: 150", "   n1: 150"), "damaged:23: not the node of a heap tree that is due here")
    refused(text.replace("  n1: 150", "  n1: 450"), "damaged:23: more than its callee has")
    refused(text.replace("0x1091F9: ", ""), "damaged:23: not an address and a function")
    refused(text.replace("  n1: 150", "  nx: 150"), "damaged:23: not the node")
    refused(text.replace("time=3000", "time=1000"), "damaged:34: earlier than the snapshot before")
    refused(text.replace("time=3000", "time=x"), "damaged:30: not a number")
    refused(text.replace("heap_tree=peak", "heap_tree=oak"), "damaged:42: not empty, detailed or peak")
    refused(text.replace("mem_heap_B=950", "mem_pile_B=950"), "damaged:31: not a line of a snapshot")
    refused(text[:text.index("snapshot=1")], "no snapshot has a heap tree")


def runs_of_massif():
    """ms_print says the same of the peak."""
    program, number = DIRECTORY / "grows", re.compile(r"[\d,]+(?=B\))")
    must(["gcc", "-g", "-O1", "-fno-optimize-sibling-calls", "-o", program, exchange.HERE / "grows.c"])
    for name, options in (("ms", ["--time-unit=ms"]), ("all", ["--time-unit=ms", "--detailed-freq=1"]), ("i", []),
                          ("shallow", ["--depth=4"]), ("pages", ["--pages-as-heap=yes"])):
        file = DIRECTORY / f"massif.{name}"
        must(["valgrind", "-q", "--tool=massif", f"--massif-out-file={file}", *options, program])
        profile = imported(file)
        same_as_massif(profile, file)
        if name == "pages" or not exchange.judge("ms_print"): # there it marks a snapshot that is not the highest
            continue
        text = must(["ms_print", "--threshold=0", file]).output
        peak = int(re.search(r"(\d+) \(peak\)", text)[1])
        row = re.search(rf"^ +{peak} +[\d,]+ +[\d,]+ +([\d,]+) ", text, re.MULTILINE)
        whole = int(row[1].replace(",", ""))
        check(profile.value("select whole from metrics where name = 'peak'") == whole, f"{name}: {whole}")
        tree = text[row.end():].split("\n---")[0]
        makes = [int(number.search(line)[0].replace(",", "")) for line in tree.split("\n")
                 if line.startswith("->") and ": make (" in line]
        check([costs(profile, "peak")["make"]] == makes, f"{name}: {makes}")


if __name__ == "__main__":
    harness.main(bands_of_ghc, parts_of_a_run, damaged_heap_of_ghc, runs_of_ghc, snapshots_of_massif, damaged_massif,
                 runs_of_massif)
