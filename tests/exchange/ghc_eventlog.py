#!/usr/bin/env python3
"""Event logs of GHC, imported: time and live bytes by stack, by band and over time are those of the log, of the heap
profile and of the profile of cost centres of the same run. Where GHC is installed with its profiling libraries, of
programs that it compiles here, too, and as its own library reads their logs."""

import collections
import json
import re
import shutil

import exchange
import ghc_log
import harness
from exchange import export, samples_of_ghc
from ghc_log import Log, arguments, centre, clock, event, log_of, sample, tick, tick_length, words
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("exchange-ghc-eventlog")
LOGS = harness.SOURCE / "tests" / "fuzz" / "corpus" / "import_ghc_eventlog"
RUNS = exchange.HERE / "ghc_runs"
RUNTIME = {"GC", "SYSTEM", "IDLE", "SYSTEM.PINNED", "PROFILING.OVERHEAD_of", "MAIN.DONT_CARE"}


def imported(*files, output=None):
    output = output or DIRECTORY / f"{files[0].parent.name}.{files[0].name}.ascribe"
    must([ASCRIBE, "import", "-q", "-o", output, *files])
    return Profile(output)


def written(name, content):
    path = DIRECTORY / name
    path.write_bytes(content)
    return path


def refused(part, *files):
    target = DIRECTORY / "refused.ascribe"
    result = run([ASCRIBE, "import", "-o", target, *files])
    check(result.status == 1 and part in result.errors and result.errors.count("\n") == 1,
          f"{part!r} is not in {result.ending}, {result.errors!r}")
    check(not target.exists(), "a profile was saved")


def name_of(label, module):
    return label if label == module else f"{module}.{label}"


def folded(stack):
    """A function stands in a stack once, where it was called last."""
    return tuple(name for i, name in enumerate(stack) if name not in stack[i + 1:])


def by_stack(profile, metric):
    """{stack of names, each once: what it cost itself}"""
    found = collections.Counter()
    names = dict(profile.rows("select id, name from functions"))
    for history, amount in profile.rows("select c.history, m.self from metric_contexts m join contexts c"
                                        " on c.id = m.context where m.metric = ? and m.self", metric):
        found[folded([names[abs(number)] for number in json.loads(history)])] += amount
    return found


def named(stack):
    if isinstance(stack, tuple):
        return folded([name_of(*centre) for centre in stack])
    return (re.sub(r"^(\(\d+\))(.+)$", r"\2 \1", stack),)


def levels(profile):
    """[(ns, {band: bytes})] at each slice in which what is live changed, after the start."""
    text = export(profile.path, "ghc-hp", "--metric", "live", "--centres=functions").decode()
    file = written("levels.hp", text.encode())
    return [(ns, bands) for ns, bands in samples_of_ghc(file)[0] if bands]


def same_as_log(profile, log):
    if log.ticks:
        expected = collections.Counter()
        for stack, ticks in log.ticks.items():
            expected[named(stack)] += ticks * log.tick_ns
        check(by_stack(profile, "time") == expected, f"{by_stack(profile, 'time')}\n    the log has {expected}")
        check(profile.value("select sum(self) from series where metric = 'time'") == sum(expected.values()),
              "the series of time")
        check(profile.value("select ticks from metrics where name = 'time'") == sum(log.ticks.values()), "ticks")
    for metric, (_, bands) in (("live", log.samples[-1]), ("peak", max(log.samples, key=lambda s: s[1].total()))):
        expected = collections.Counter()
        for stack, size in bands.items():
            expected[named(stack)] += size
        check(by_stack(profile, metric) == +expected, f"{metric} {by_stack(profile, metric)}\n  not {expected}")
    before = [None, *(bands for _, bands in log.samples)]
    over_time = [(ns, bands.total()) for (ns, bands), last in zip(log.samples, before)
                 if bands.total() and bands != last]
    found = [(ns, sum(bands.values())) for ns, bands in levels(profile)]
    check(found == over_time, f"{found}\n    the log has {over_time}")
    check(profile.rows("select time_ns, text from marks order by id") == log.marks, "marks")


def same_as_heap_profile(profile, file):
    """GHC writes no bytes of a stack that has none; its seconds are of another clock."""
    samples = [bands for _, bands in samples_of_ghc(file)[0]]
    expected = [sum(bands.values()) for bands, last in zip(samples, [None, *samples]) if bands != last]
    found = [sum(bands.values()) for _, bands in levels(profile)]
    check(found == [size for size in expected if size], f"{found}, but {file.name} has {expected}")


def logs_of_ghc():
    for file in sorted(LOGS.iterdir()):
        profile = imported(file)
        same_as_log(profile, Log(file.read_bytes()))
        same_as_heap_profile(profile, RUNS / f"{file.name}.hp")
        check(profile.value("select note from origin") is None, f"{file.name}: something is left out")


def log_of_a_run():
    """What the program is, and when it ran; where its functions are; what is the runtime's."""
    profile = imported(LOGS / "hc_9_6")
    command = "./over_time +RTS -pj -hc -l-au -i0.02 -RTS one two words"
    check(profile.value("select command from processes") == command, "the command")
    lived, last = profile.value("select lived_ns from processes"), Log((LOGS / "hc_9_6").read_bytes()).last_ns
    check(lived == last, f"{lived}, but the last event is at {last}")
    check([text for _, text in profile.rows("select time_ns, text from marks order by time_ns")]
          == ["table 1", "table 2", "table 3", "table 4", "sums"], "marks")
    place = profile.rows("select file, line, source_column, end_line, end_column from functions"
                         " where name = 'Main.sums.go'")
    check(place == [("ghc_over_time.hs", 18, 5, 19, 51)], f"{place}")
    centre = profile.rows("select module, file, line, source_column, end_line, end_column, entries from cost_centres"
                          " where name = 'all_lengths'")
    check(centre == [("Main", "ghc_over_time.hs", 23, 40, 23, 72, None)], f"{centre}")
    own = dict(profile.rows("select name, own from functions"))
    check({name for name in own if not own[name]} == RUNTIME & set(own) and own["Main.sums"], f"{own}")
    report = must([ASCRIBE, "report", "--series", "--centres", profile.path]).output
    check("from GHC's event log" in report and "table 4" in report.split("Marks")[1], report)
    entries = must([ASCRIBE, "report", "--centres", profile.path]).output
    check(all(line.split()[-3] == "-" for line in entries.split("\n") if line.endswith("  Main")), entries)
    parts = [imported_part(profile, cut) for cut in ("0-0.02", "0.02-")]
    whole = profile.value("select sum(self_ns) from functions")
    check(sum(parts) == whole and all(parts), f"{parts} of {whole}")


def imported_part(profile, part):
    result = json.loads(must([ASCRIBE, "report", "--json", f"{profile.path}@{part}"]).output)
    return sum(function["self_ns"] for function in result["functions"])


def rows_of(profile):
    tables = [name for name, in profile.rows("select name from sqlite_master where type = 'table' and name like 'raw%'"
                                             " and name not in ('raw_runs', 'raw_processes') order by name")]
    return {table: profile.rows(f"select * from {table}") for table in tables}


def files_of_a_run():
    """In any order they are one profile: time of the log, entries and allocated bytes of the other, exact."""
    for version in ("9_0", "9_6"):
        log, prof, heap = LOGS / f"hc_{version}", RUNS / f"hc_{version}.prof", RUNS / f"hc_{version}.hp"
        alone, of_log = imported(prof, output=DIRECTORY / "alone.ascribe"), imported(log)
        together = imported(prof, heap, log, output=DIRECTORY / "together.ascribe")
        again = imported(log, heap, prof, output=DIRECTORY / "again.ascribe")
        check(rows_of(again) == rows_of(together), "the order of the files matters")
        same_as_log(together, Log(log.read_bytes()))
        calls = "select name, calls from functions where calls order by name, calls"
        check(together.rows(calls) == alone.rows(calls) != [], "calls")
        check(by_stack(together, "allocated") == by_stack(alone, "allocated"), "allocated bytes")
        runtime = lambda stack: version == "9_0" and stack[-1] in RUNTIME  # the text leaves those out
        time = {stack: ns for stack, ns in by_stack(of_log, "time").items() if not runtime(stack)}
        check(by_stack(alone, "time") == time, f"{by_stack(alone, 'time')}\n    the log has {time}")
        entries = dict(together.rows("select name, entries from cost_centres where module = 'Main'"))
        check(entries["sums.go"] == 200001 and entries["table"] == 4, f"{entries}")
        pair = imported(prof, heap, output=DIRECTORY / "pair.ascribe")
        same_as_heap_profile(pair, heap)
        check(by_stack(pair, "time") == by_stack(alone, "time"), "time without the log")


def files_of_different_runs():
    log, prof, heap = LOGS / "hc_9_6", RUNS / "hc_9_6.prof", RUNS / "hc_9_6.hp"
    text = prof.read_text(encoding="utf-8")
    other = lambda old, new, name="other.prof": written(name, text.replace(old, new).encode())
    refused("different runs: over_time one two words, Fri Nov 27", log, other('"two words"', '"three"'))
    refused("; and over_time one three, Fri Nov 27", log, other('"two words"', '"three"'))
    refused("hc_9_6 and", log, other('07:45', '07:52'))
    refused("of different runs", other('07:45', '07:46'), heap)
    refused("they are of different runs", log, other('"ticks": 1}', '"ticks": 5}') if '"ticks": 1}' in text
            else other('"ticks": 1,', '"ticks": 5,'))
    changed = heap.read_text(encoding="utf-8").replace("\t", "\t1", 1)
    refused("other heap samples than", log, written("other.hp", changed.encode()))
    refused("tell the same of a run", log, LOGS / "hc_9_0")
    refused("only files of one run of a Haskell program", log, written("stacks.txt", b"a;b 3\n"))
    refused("cannot be read", log, DIRECTORY / "missing.prof")
    elsewhere = other('07:45', '19:45')  # another time zone
    imported(log, elsewhere, output=DIRECTORY / "zone.ascribe")


HEAD = [arguments("./prog", "+RTS", "-p", "-RTS", "a b"), clock(1700000000), tick_length(), centre(1, "main"),
        centre(2, "f"), centre(3, "f", "Other", "b.hs:(2,3)-(4,5)"), centre(4, "f", "Main", "a.hs:9:1-4")]


def logs_that_were_made():
    content = log_of(*HEAD, tick(2000000, 2, 1), tick(3000000, 3, 1), tick(4000000, 4, 2, 1), tick(5000000),
                     sample(6000000, (100, (2, 1)), (50, "BAND"), (7, ())), sample(7000000, (10, "BAND"), (0, (1,))))
    profile = imported(written("made.eventlog", content))
    same_as_log(profile, Log(content))
    check(profile.value("select command from processes") == "./prog +RTS -p -RTS a b", "the command")
    same = profile.rows("select f.file, f.line, m.total from metric_functions m join functions f on f.id = m.function"
                        " where m.metric = 'time' and m.name = 'Main.f' order by f.line")
    check(same == [("a.hs", 1, 2000000), ("a.hs", 9, 1000000)], f"equal labels of a module: {same}")
    centres = profile.rows("select e.name, e.module, c.total from metric_centres c join cost_centres e on e.id = c.centre"
                           " where metric = 'time' and e.name like 'f%' order by c.centre")
    check([row[2] for row in centres] == [2000000, 1000000, 1000000] and len(set(centres)) == 3, f"{centres}")


def newer_logs():
    """Events that nobody knows are skipped by the sizes that the header declares; what known ones have more is."""
    sizes = {**ghc_log.SIZES, 168: 12, 300: 5, 301: ghc_log.VARIABLE}
    unknown = [event(300, 9, b"12345", 5), event(301, 9, b"x" * 60000, ghc_log.VARIABLE)]
    plain = [centre(1, "main"), tick(2000000, 1), sample(3000000, (8, (1,)))]
    longer = event(167, 4000000, bytes(12) + words(1) + b"more")
    content = log_of(event(168, 1, (1000000).to_bytes(8, "big") + b"more", 12), *unknown, *plain, *unknown, longer,
                     sizes=sizes)
    profile = imported(written("newer.eventlog", content))
    check(by_stack(profile, "time") == {("MAIN", "Main.main"): 2000000}, f"{by_stack(profile, 'time')}")
    check(by_stack(profile, "live") == {("MAIN", "Main.main"): 8}, f"{by_stack(profile, 'live')}")


def deep_stacks():
    """GHC writes the inner 255 cost centres."""
    deep = [centre(i, f"f{i}") for i in range(1, 256)]
    profile = imported(written("deep.eventlog", log_of(tick_length(), *deep, tick(2000000, *range(255, 0, -1)),
                                                       tick(3000000, *range(254, 0, -1)))))
    stacks = {stack[:3]: ns for stack, ns in by_stack(profile, "time").items()}
    check(stacks == {("MAIN", "(stack cut off)", "Main.f1"): 1000000, ("MAIN", "Main.f1", "Main.f2"): 1000000},
          f"{stacks}")


def cut_logs():
    """A program that was killed, or is still running: what is complete is there, and the rest is said."""
    content = (LOGS / "hc_9_6").read_bytes()
    end = len(content)
    last = 0
    for cut in range(end * 3 // 4, end, end // 31):
        profile = imported(written("cut.eventlog", content[:cut]))
        check("the log has no end" in profile.value("select note from origin"), "a cut is not noticed")
        ticks = profile.value("select sum(self_ticks) from functions")
        check(ticks >= last, f"{ticks} ticks, before {last}")
        last = ticks
    check(last <= sum(Log(content).ticks.values()), "more than all")
    refused("the log is cut off", DIRECTORY / "cut.eventlog", RUNS / "hc_9_6.prof")
    imported(DIRECTORY / "cut.eventlog", RUNS / "hc_9_6.hp")
    refused("the log ends in its header", written("head.eventlog", content[:300]))


def damaged_logs():
    refuse = lambda part, *events, **options: refused(part, written("bad.eventlog", log_of(*events, **options)))
    refused("the header is damaged", written("bad.eventlog", b"hdrbhetbetb\0\0\1\0\1\xff\xff\xff\xff"))
    refuse("no samples: compile with -prof", *HEAD)
    refuse("the log is damaged", *HEAD, tick(2, 1), b"\x0b\xad" + bytes(30))
    refuse("the log is damaged", *HEAD, tick(2, 1), event(162, 1 << 60, bytes(8)))
    refuse("the log is damaged", *HEAD, event(167, 9, bytes(12) + words(1) + bytes(100)))
    refuse("the log is damaged", *HEAD, event(167, 9, bytes(12) + b"\x09" + bytes(8)))
    refuse("the length of a tick was not said before", centre(1, "main"), tick(2, 1))
    refuse("a sample of the heap within another", event(162, 5, bytes(8)), event(162, 6, bytes(8)))
    refuse("the end of no sample", event(165, 5, bytes(8)))
    refuse("a part of no sample", event(163, 5, bytes(9) + words()))
    refuse("is earlier than the one before", sample(9, (1, "A")), sample(5, (1, "A")))
    refuse("is too large", event(162, 5, bytes(8)), *[event(164, 5, b"\0" + b"\x0f" + b"\xff" * 7 + b"A\0")] * 2)
    refuse("ticks are too long", tick_length(1 << 62))
    refuse("an event is shorter than its kind", event(161, 5, b"\0\0\0\1main"))
    unknown = imported(written("unknown.eventlog", log_of(tick_length(), tick(5, 7, 8))))
    check(list(by_stack(unknown, "time")) == [("MAIN", "(cost centre 8)", "(cost centre 7)")],
          f"{by_stack(unknown, 'time')}")


JUDGE = """import GHC.RTS.Events
import System.Environment
main = do
  [file] <- getArgs
  Right log <- readEventLogFromFile file
  mapM_ say [(evTime e, evSpec e) | e <- events (dat log)]
 where
  say (time, ProfSampleCostCentre _ _ _ stack) = print ("tick", time, show stack)
  say (time, HeapProfSampleCostCentre _ size _ stack) = print ("stack", time, show (size, stack))
  say (time, HeapProfSampleString _ size text) = print ("text", time, show (size, text))
  say (time, UserMarker text) = print ("mark", time, show text)
  say _ = return ()
"""


def judged(judge, file):
    """The same events as GHC's own library for logs reads them."""
    counts = collections.Counter(line.split('"')[1] for line in must(
        [judge, file], environment={"LANG": "C.UTF-8"}).output.splitlines())
    kinds = collections.Counter(kind for kind, _, _ in ghc_log.events_of(file.read_bytes()))
    expected = {"tick": kinds[167], "stack": kinds[163], "text": kinds[164], "mark": kinds[58]}
    check(counts == +collections.Counter(expected), f"{counts}, not {expected}")


def compiled(source, directory, *options):
    directory.mkdir(exist_ok=True)
    program = directory / source.stem
    result = run(["ghc", "-v0", "-O1", *options, "-outputdir", directory, source, "-o", program],
                 environment={"LANG": "C.UTF-8"})
    return program if result.status == 0 else print(f"        ghc cannot compile it: {result.errors[:200]}")


def runs_of_ghc():
    """Several kinds of heap profile. With -threaded, as without it GHC may damage its logs itself."""
    if not exchange.judge("ghc"):
        return
    program = compiled(exchange.HERE / "ghc_over_time.hs", DIRECTORY / "program", "-prof", "-fprof-auto", "-threaded",
                       "-rtsopts")
    if not program:
        return
    source = written("Judge.hs", JUDGE.encode())
    judge = compiled(source, DIRECTORY / "judge")
    for kind in ("-hc", "-hd", "-hr", "-hb", "-hT"):
        must([program, "+RTS", "-pj", kind, "-i0.02", "-l-au"], directory=program.parent,
             environment={"LANG": "C.UTF-8"})
        log, prof, heap = (program.with_suffix(end) for end in (".eventlog", ".prof", ".hp"))
        profile = imported(log, prof, heap)
        same_as_log(profile, Log(log.read_bytes()))
        same_as_heap_profile(profile, heap)
        total = int(re.search(r'"total_ticks": (\d+)', prof.read_text(encoding="utf-8"))[1])
        check(profile.value("select ticks from metrics where name = 'time'") == total, f"{kind}: not {total} ticks")
        if judge:
            judged(judge, log)
    shutil.rmtree(program.parent)


if __name__ == "__main__":
    harness.main(logs_of_ghc, log_of_a_run, files_of_a_run, files_of_different_runs, logs_that_were_made, newer_logs,
                 deep_stacks, cut_logs, damaged_logs, runs_of_ghc)
