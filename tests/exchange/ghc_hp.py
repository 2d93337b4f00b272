#!/usr/bin/env python3
"""Heap profiles in GHC's format: what was imported from one comes out as it was, of a recording each sample has what
was live at the end of a slice, and hp2ps draws them."""

import re

import exchange
import harness
from exchange import export, judge, samples_of_ghc
from harness import ASCRIBE, HEADERS, Profile, check, must, run

DIRECTORY = harness.scratch("exchange-ghc-hp")
CORPUS = harness.SOURCE / "tests" / "fuzz" / "corpus"
HOLDS = DIRECTORY / "holds.ascribe"


def imported(file):
    output = DIRECTORY / f"{file.parent.name}.{file.name}.ascribe"
    must([ASCRIBE, "import", "-q", "-o", output, file])
    return output


def exported(profile, *options):
    file = DIRECTORY / f"{profile.name}{len(options)}.hp"
    file.write_bytes(export(profile, "ghc-hp", *options))
    return file


def drawn(file):
    """hp2ps draws it; it does not draw letters beyond ASCII, which it keeps as they are."""
    if not judge("hp2ps"):
        return
    must(["hp2ps", file.name], directory=file.parent)
    page = file.with_suffix(".ps").read_text(encoding="utf-8", errors="replace")
    check(page.startswith("%!PS") and "showpage" in page, f"{file}: {page[:200]}")


def head(file):
    return re.findall(r'^[A-Z_]+ ".*"$', file.read_text(encoding="utf-8"), re.M)


def comes_back():
    """The same samples, labels, times and bytes, with the date and units."""
    for name in ("stacks", "killed"):
        file = CORPUS / "import_ghc_hp" / name
        back = exported(imported(file))
        expected = [(time, {band.replace(" ", "_").replace("_(", " ("): size for band, size in bands.items()})
                    for time, bands in samples_of_ghc(file)[0]]
        check(samples_of_ghc(back) == (expected, samples_of_ghc(file)[1]), f"{name}: {samples_of_ghc(back)}")
        check(head(back) == head(file), f"{head(back)}, not {head(file)}")
        again = exported(imported(back))
        check(again.read_bytes() == back.read_bytes(), f"{name}: a second time it is another file")
        drawn(back)
    lines = lambda path: sorted(path.read_text(encoding="utf-8").splitlines())
    stacks = CORPUS / "import_ghc_hp" / "stacks"
    check(lines(exported(imported(stacks))) == lines(stacks), "another line")


def of_massif():
    file = exported(imported(CORPUS / "import_massif" / "snapshots"))
    samples, end = samples_of_ghc(file)
    check(end is None and [(time, sum(bands.values())) for time, bands in samples] ==
          [(0, 0), (1500000000, 700), (3000000000, 950), (4000000000, 900), (6000000000, 500), (7000000000, 20)],
          f"{samples}")
    drawn(file)
    result = run([ASCRIBE, "export", "--to", "ghc-hp", imported(CORPUS / "import_massif" / "instructions")], DIRECTORY)
    check(result.status == 1 and "needs memory that was live by time" in result.errors, result.errors)


def parts():
    """What was live when a part begins, and nothing of what comes later."""
    profile = imported(CORPUS / "import_ghc_hp" / "killed")
    for part, times, first in (("0-5", [0, 1, 2.5, 4], {}), ("1-2", [1], {"Main": 100, "Data.Map": 50})):
        file = DIRECTORY / "part.hp"
        must([ASCRIBE, "export", "--to", "ghc-hp", "-o", file, f"{profile}@{part}"])
        samples, _ = samples_of_ghc(file)
        check([time / 1e9 for time, _ in samples] == times and samples[0][1] == first, f"{part}: {samples}")
        whole = dict(samples_of_ghc(exported(profile))[0])
        check(all(whole[time] == bands for time, bands in samples), f"{part}: {samples}, not {whole}")


def build():
    must(["gcc", "-O1", "-g", "-I", HEADERS, "-o", DIRECTORY / "holds", exchange.HERE / "holds.c"])
    must([ASCRIBE, "record", "-q", "--heap", "-o", HOLDS, "--", DIRECTORY / "holds"], directory=DIRECTORY)


def by_time(profile, name):
    """From the rows of `series`: [(end of a slice, {name: bytes})], what has ended having nothing."""
    slices = profile.rows("select id, process, end_ns from slices order by end_ns, id")
    ends = {process: end for _, process, end in slices}
    changes = {}
    for part, tick, process, label, size in profile.rows(
            f"select s.slice, s.tick, p.process, {name}, s.self_ns from raw_series s join metrics m on m.id = s.metric"
            " join (select rowid - (select min(rowid) from raw_ticks b where b.metric = a.metric) + 1 as number, *"
            " from raw_ticks a) t on t.metric = s.metric and t.number = s.tick join contexts c on c.id = t.context"
            " join threads p on p.id = c.thread left join centre_contexts x on x.id = t.centre"
            " where m.name = 'live'"):
        changes.setdefault(part, []).append((tick, process, label, size))
    level, found = {}, [(0, {})]
    for part, _, end in slices:
        level.update({tick: change for tick, *change in changes.get(part, [])})
        bands = {}
        for process, label, size in level.values():
            if size and ends[process] >= end:
                bands[label] = bands.get(label, 0) + size
        found.append((end, bands))
    return found


def of_a_recording():
    """By cost centre if there are any, else, or with a rule, by function."""
    profile = Profile(HOLDS)
    samples, _ = samples_of_ghc(exported(HOLDS))
    expected = by_time(profile, "coalesce(x.centre_name, '(in_no_cost_centre)')")
    check(samples == expected, f"{samples}\n    the profile has {expected}")
    check(len(samples) > 10 and max(bands.get("parse", 0) for _, bands in samples) == 20000, f"{samples}")
    check(any("child" in bands for _, bands in samples), "nothing of the child")
    check(samples[-1][1] == {"cache": 40000, "(in_no_cost_centre)": 7}, f"{samples[-1]}")
    of_functions, _ = samples_of_ghc(exported(HOLDS, "--centres=functions"))
    check(of_functions[-1][1] == {"make": 40007}, f"{of_functions[-1]}")
    child, _ = samples_of_ghc(exported(HOLDS, "--focus", "parse", "--centres=fill=fill", "--centres=parse=parse"))
    check({name for _, bands in child for name in bands} == {"parse"}, f"{child}")
    drawn(exported(HOLDS))
    back = Profile(imported(exported(HOLDS)))
    check(dict(back.rows("select name, self from metric_functions where metric = 'live' and self"))
          == {"cache": 40000, "(in_no_cost_centre)": 7}, "imported again")


def refused():
    plain = harness.made("plain", DIRECTORY)
    for options, part in (([], "record --heap has it"), (["--metric", "cpu"], "which --metric cpu of this profile lacks")):
        result = run([ASCRIBE, "export", "--to", "ghc-hp", *options, plain], DIRECTORY)
        check(result.status == 1 and part in result.errors, result.errors)


def merged_runs():
    """Each on its own clock: two of one file have all of it twice."""
    for once in HOLDS, imported(CORPUS / "import_ghc_hp" / "stacks"):
        merged = DIRECTORY / f"merged-{once.name}"
        must([ASCRIBE, "merge", "-q", "-o", merged, once, once])
        twice, _ = samples_of_ghc(exported(merged))
        check(twice == [(time, {name: 2 * size for name, size in bands.items()})
                        for time, bands in samples_of_ghc(exported(once))[0]], f"{once}: {twice}")


if __name__ == "__main__":
    harness.main(comes_back, of_massif, parts, build, of_a_recording, refused, merged_runs)
