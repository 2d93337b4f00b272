#!/usr/bin/env python3
"""Figures of imported callgrind files equal callgrind_annotate's of the same file, whatever the
options they were made with; recursion stays at or below the whole.
import_callgrind.py PROGRAM..."""

import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

OPTIONS = {
    "default": [],
    "plain names": ["--compress-strings=no", "--compress-pos=no"],
    "instructions and jumps": ["--dump-instr=yes", "--collect-jumps=yes"],
    "several events": ["--cache-sim=yes", "--branch-sim=yes"],
}
# callgrind_annotate does not read files of several parts.
PARTS = ["--combine-dumps=yes", "--dump-every-bb=10000"]
WITHOUT_LEVELS = ["--separate-recs=1"]
# "1,234 (12.3%)  file.c:function [object]"; other events follow the first.
LINE = re.compile(r"^\s*([\d,]+) \(\s*[\d.]+%\)[^\S\n]+(?:[\d,]+ \(\s*[\d.]+%\)\s+|\.\s+)*(\S.*)$")
OBJECT = re.compile(r" \[[^\]]*\]$")
LEVEL = re.compile(r"'(\d+)$")


def annotated(file, inclusive, whole):
    """Name -> cost, as callgrind_annotate sums it up; inclusive ones of the outermost level.
    It lists inlined code of other files apart too; the line with the object has all of it.  What
    runs when the program ends is in inclusive costs, but nobody's own: none is above the whole."""
    text = must(["callgrind_annotate", "--threshold=100", f"--inclusive={inclusive}",
                 "--auto=no", "--show=Ir", file]).output
    costs = collections.Counter()
    for line in text.splitlines():
        match = LINE.match(line)
        if not match or match[2] == "PROGRAM TOTALS":
            continue
        name = OBJECT.sub("", match[2]).split(":", 1)[1]
        level = LEVEL.search(name)
        if inclusive == "yes" and (level or not OBJECT.search(match[2])):
            continue
        costs[LEVEL.sub("", name)] += min(whole, int(match[1].replace(",", "")))
    return costs


def imported(file, *options):
    output = file.with_suffix(".ascribe")
    must([ASCRIBE, "import", "--quiet", *options, "-o", output, file])
    return Profile(output)


def by_name(profile, column):
    return dict(profile.rows(f"select name, sum({column}) from functions group by name"
                             f" having count({column}) = count(*)"))


def profile_of(program, directory, name, options):
    file = directory / f"{name.replace(' ', '_')}.out"
    result = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", *options,
                  program], directory, timeout=300)
    check(file.exists(), result.errors)
    return file


def differences(ours, theirs):
    return [f"{name}: {ours.get(name)}, callgrind_annotate has {theirs[name]}"
            for name in theirs if ours.get(name) != theirs[name]]


def compare(program, directory, name, options):
    file = profile_of(program, directory, name, options)
    profile = imported(file)
    check(profile.value("select unit || ' ' || evidence from origin") == "instructions counted",
          "not counted instructions")
    whole = profile.value("select sum(self_ns) from functions")
    for inclusive, column in (("no", "self_ns"), ("yes", "total_ns")):
        theirs = annotated(file, inclusive, whole)
        wrong = differences(by_name(profile, column), theirs)
        check(len(theirs) > 10, "callgrind_annotate shows hardly anything")
        check(not wrong, f"{name}, {column}: " + "\n    ".join(wrong[:10]))
    above = profile.rows("select name, total_ns from functions where total_ns > ?", whole)
    check(not above, f"above the whole: {above}")
    wrong = profile.rows("""select f.name, f.total_ns, sum(a.in_self_ns + a.in_child_ns) arcs
                            from functions f join arcs a on a.callee = f.id
                            group by f.id having arcs > f.total_ns""")
    check(not wrong, f"arcs into a function exceed its total: {wrong}")
    return profile


def several_parts(program, directory, truth):
    """Parts sum to what the same run gives in one."""
    file = profile_of(program, directory, "parts", PARTS)
    check(file.read_text().count("\npart: ") > 1, "there is one part only")
    profile = imported(file)
    for column in ("self_ns", "total_ns", "calls", "recursive_calls"):
        wrong = [f"{name}: {cost}, in one part {by_name(truth, column).get(name)}"
                 for name, cost in by_name(profile, column).items()
                 if by_name(truth, column).get(name) != cost]
        check(not wrong, f"several parts, {column}: " + "\n    ".join(wrong[:10]))


def without_levels(program, directory, truth):
    """Callgrind's inclusive costs are wrong then; what we show of them must be right."""
    profile = imported(profile_of(program, directory, "without levels", WITHOUT_LEVELS))
    exact = by_name(truth, "total_ns")
    wrong = [f"{name}: {total}, but {exact[name]}"
             for name, total in by_name(profile, "total_ns").items()
             if abs(total - exact.get(name, total)) > 1000]
    check(not wrong, "without levels: " + "\n    ".join(wrong))
    unknown = profile.value("select count(*) from functions where total_ns is null")
    return unknown


def main():
    failed = 0
    for source in map(pathlib.Path, sys.argv[1:]):
        directory = harness.scratch(f"import-callgrind-{source.stem}")
        try:
            program = harness.compile_program(source.resolve(), directory / source.stem, ["-O1"],
                                              instrumented=False)
            profiles = [compare(program, directory, name, options)
                        for name, options in OPTIONS.items()]
            several_parts(program, directory, profiles[0])
            unknown = without_levels(program, directory, profiles[0])
            count = profiles[0].value("select count(*) from functions")
            print(f"ok      {source.name}: {count} functions equal, {unknown} totals not known "
                  "without levels of recursion")
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {source.name}: {failure}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
