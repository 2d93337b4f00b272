#!/usr/bin/env python3
"""`ascribe gprof` says what GNU gprof says of the same files, number for number.
gprof.py PROGRAM...

What differs on purpose is said below, each where it is taken out:
 - CLONES: GNU gprof has no local symbols with a dot in their names (f.constprop.0, f.part.0): their
   time and calls go to whatever function stands before them.
 - LABELS: it lists data_start and etext, which are no functions, as never called.
 - RECURSIVE: counts of executions (-C, -A) leave direct recursion out.
 - EXECUTED: the summary of -A calls all lines executed.
 - UNCALLED: it has no entry for a cycle that nobody outside has called.
 - FIRST: with times of one member of a cycle only (-n), the cycle has them if it is the one that
   was met first.
 - FILE: it names the file of the unit where a function stands in a header.
 - CALLER: with -l it takes the line behind a call for the one that calls.
 - LINES: with -l it leaves out entries of lines, and cycles, that only the middle of a function is.
"""

import pathlib
import re
import shutil
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must, run

LABELS = {"data_start", "etext"}
CLONE = re.compile(r"\.(constprop|part|isra|cold)\b")
FLAT = re.compile(r"\s*([\d.]+)\s+([\d.]+)\s+([\d.]+)(?:\s+(\d+)\s+([\d.]+)\s+([\d.]+))?\s+(\S.*)")
ARC = re.compile(r"(?:([\d.]+)\s+([\d.]+)\s+)?(\d+)(?:([/+])(\d+))?\s{2,}(\S.*)")
OWN = re.compile(r"\[(\d+)\]\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(?:(\d+)(?:\+(\d+))?\s+)?(\S.*)")


def is_left_out(name):
    return name in LABELS or CLONE.search(name)


def flat(text):
    """name -> numbers, as text; and the unit of the columns per call."""
    part = text.split("Flat profile:")[1].split("\f")[0]
    rows = {}
    for line in part.splitlines():
        match = FLAT.fullmatch(line)
        if match and not is_left_out(match[7].strip()):
            percent, cumulative, *rest, name = match.groups()
            rows.setdefault(name.strip(), []).append((percent, cumulative, *rest))
    return re.search(r"\S+/call", part)[0], rows


class Names:
    """Numbers of the index become names, and numbers of cycles their members."""

    def __init__(self, text):
        self.members = {}
        for line in text.splitlines():
            match = OWN.fullmatch(line.rstrip())
            cycle = match and re.fullmatch(r"(.*) <cycle (\d+)> \[\d+\]", match[7])
            if cycle:
                self.members.setdefault(cycle[2], set()).add(cycle[1])

    def name(self, text):
        text = re.sub(r"\s*[\[(]\d+[\])]$", "", text.strip())
        return re.sub(r"<cycle (\d+)", lambda m: "<" + "+".join(sorted(
            self.members.get(m[1], {m[1]}))), text)


def graph(text):
    """name -> (own numbers, callers, callees); callers and callees as sorted lists."""
    part = re.split(r"\t\tCall graph|\t\t     Call graph", text)[1].split("\f")[0]
    names, entries = Names(part), {}
    for block in part.split("-----------------------------------------------\n")[:-1]:
        own, above, below = None, [], []
        for line in block.splitlines():
            match = OWN.fullmatch(line.rstrip())
            arc = ARC.fullmatch(line.strip())
            if match:
                own = (names.name(match[7]), match.groups()[1:6])
            elif arc:
                (below if own else above).append((names.name(arc[6]), arc.groups()[:5]))
            elif "<spontaneous>" in line:
                above.append(("<spontaneous>", ()))
        entries.setdefault(own[0], []).append((own[1], sorted(above, key=str),
                                               sorted(below, key=str)))
    granularity = re.search(r"granularity:.*", part)[0]
    return granularity, {name: sorted(found, key=str) for name, found in entries.items()
                         if not is_left_out(name) and found[0][0][3] != "0"}  # UNCALLED


def index(text):
    """The names. FILE: those of local ones stand behind them."""
    items = re.split(r"\s+[\[(]\d+[\])] ", text.split("Index by function name")[1].rstrip("\f\n "))[1:]
    return sorted(re.sub(r" \(\S+\.\w+\)$", "", item) for item in items
                  if not is_left_out(item.split()[0]) and "<cycle" not in item)


def counts(text):
    """Line and address -> function, executions."""
    return {f"{match[1]} {match[3]}": (match[2], int(match[4])) for match in
            re.finditer(r"^\S+:(\d+): \((.*):(0x\w+)\) (\d+) executions$", text, re.M)}


def both(directory, *arguments):
    ours = must([ASCRIBE, "gprof", *arguments], directory=directory).output
    theirs = must(["gprof", *arguments], directory=directory).output
    return ours, theirs


def same(ours, theirs, what):
    if ours == theirs:
        return
    if isinstance(ours, dict):
        for key in sorted(set(ours) | set(theirs)):
            same(ours.get(key), theirs.get(key), f"{what}, {key}")
    raise harness.Failure(f"{what}:\n    here {ours}\n    GNU gprof {theirs}")


def same_listings(directory, arguments):
    """-b cuts the explanations off, which are others."""
    ours, theirs = both(directory, "-b", *arguments)
    what = " ".join(map(str, arguments))
    check(("Flat profile" in ours) == ("Flat profile" in theirs), what)
    compared = 0
    if "Flat profile" in theirs:
        same(flat(ours), flat(theirs), f"{what}: flat profile")
        compared += len(flat(ours)[1])
    if "Call graph" in theirs:
        same(graph(ours), graph(theirs), f"{what}: call graph")
        same(index(ours), index(theirs), f"{what}: index")
        compared += len(graph(ours)[1])
    return compared


def recursion(directory, program):
    """Function -> its calls of itself."""
    _, entries = graph(must(["gprof", "-b", "-q", program, "gmon.out"], directory=directory).output)
    found = {}
    for name, own in entries.items():
        numbers = own[0][0]
        if numbers[4] and "as a whole" not in name:
            found[re.sub(r" <.*", "", name)] = int(numbers[4])
    return found


def same_counts(directory, program):
    ours, theirs = both(directory, "-C", program, "gmon.out")
    ours, theirs = counts(ours), counts(theirs)
    recursive = recursion(directory, program)
    same({place: count for place, (_, count) in ours.items()},
         {place: count + recursive.get(ours.get(place, "?")[0], 0)
          for place, (_, count) in theirs.items()},
         "-C")  # RECURSIVE
    return len(ours)


def line_times(text):
    return {re.sub(r" \(\S+?:", " (", name): [row[:3:2] for row in rows]
            for name, rows in flat(text)[1].items()}


def spread_ticks(gmon):
    """The same file with ticks in all of the program, others in each piece of it."""
    header, number, rest = len("gmon") + 4 + 12, "<QQII", 15 + 1
    low, high, bins, rate = struct.unpack_from(number, gmon, header + 1)
    first = header + 1 + struct.calcsize(number) + rest
    struct.pack_into(f"<{bins}H", gmon, first, *(3 + bin * 7 % 40 for bin in range(bins)))


def same_lines(directory, program):
    """The time of each piece of a line (FILE, CALLER), and LINES."""
    spread = bytearray((directory / "gmon.out").read_bytes())
    spread_ticks(spread)
    (directory / "gmon.spread").write_bytes(spread)
    same(*map(line_times, both(directory, "-b", "-p", "-l", program, "gmon.spread")), "-l: ticks everywhere")
    ours, theirs = both(directory, "-b", "-l", program, "gmon.out")
    same(line_times(ours), line_times(theirs), "-l: flat profile")
    here, there = graph(ours)[1], graph(theirs)[1]
    return len(there) and len(here) >= len(there)


def same_sums(directory, program):
    """Three runs: summed here and there, read there and here."""
    files = []
    for i in range(3):
        run([program, str(i)], directory)
        files.append(f"gmon.{i}")
        (directory / "gmon.out").rename(directory / files[-1])
    compared = same_listings(directory, [program, *files])
    must(["gprof", "-s", program, *files], directory=directory)
    (directory / "gmon.sum").rename(directory / "gmon.out")
    compared += same_listings(directory, [program])
    theirs = must(["gprof", "-b", program, "gmon.out"], directory=directory).output
    must([ASCRIBE, "gprof", "-s", program, *files], directory=directory)
    ours = must(["gprof", "-b", program, "gmon.sum"], directory=directory).output
    same((flat(ours), graph(ours)), (flat(theirs), graph(theirs)), "GNU gprof of both sums")
    return compared


def busiest(directory, program):
    output = must(["gprof", "-b", program], directory=directory).output
    cycles = re.findall(r"(\S+) <cycle \d+>", output)  # FIRST
    called = [name for name, found in flat(output)[1].items()
              if found[0][3] and not set("(.") & set(name) and name not in cycles]
    return called[:2]


def compare(source):
    directory = harness.scratch(f"gprof-{source.stem}")
    program = directory / "program"
    compiler = harness.BARE[source.suffix]
    # Optimised without clones (CLONES); the functions stay calls.
    must([compiler, "-pg", "-g", "-O1", "-fno-inline", "-fno-ipa-sra", "-fno-ipa-cp", "-pthread",
          "-o", program, source, "-lm"])
    run([program], directory)
    compared = 0
    options = [[], ["-p"], ["-q"], ["-z"], ["-D"], ["-a"], ["--no-demangle"], ["-L"]]
    for name in busiest(directory, program):
        options += [[f"-p{name}"], [f"-P{name}"], [f"-q{name}"], [f"-Q{name}"], ["-e", name],
                    ["-E", name], ["-f", name], ["-F", name], ["-n", name], ["-N", name],
                    ["-k", f"main/{name}"]]
    for option in options:
        compared += same_listings(directory, [*option, program, "gmon.out"])
    compared += same_counts(directory, program)
    check(same_lines(directory, program), "-l: entries are missing")
    compared += same_sums(directory, program)
    return compared


def clones():
    """CLONES: what GNU gprof takes for a part of frame_dummy are functions here."""
    directory = harness.scratch("gprof-clones")
    (directory / "clones.c").write_text("""
volatile unsigned long sum;
__attribute__((noinline)) static int cloned(int n, int factor) {
  for (int i = 0; i < n * 20000000; i++) sum += factor;
  return sum;
}
int main(int count, char **words) {
  (void)words;
  return (cloned(count, 5) + cloned(count * 2, 5)) & 0;
}
""")
    must(["gcc", "-pg", "-g", "-O2", "-o", "program", "clones.c"], directory=directory)
    must([directory / "program"], directory=directory)
    ours, theirs = both(directory, "-b", "-p", "program")
    check(re.search(r" 2 .*  cloned\.", ours), ours)
    check("cloned" not in theirs and "frame_dummy" in theirs, theirs)
    return 1


def arcs_of(text):
    """(caller, callee) of all entries."""
    found = set()
    for name, entries in graph(text)[1].items():
        for _, above, below in entries:
            found |= {(caller, name) for caller, numbers in above if numbers}
            found |= {(name, callee) for callee, _ in below if "as a whole" not in name}
    return {tuple(re.sub(r" <.*", "", end) for end in arc) for arc in found}


def calls_in_code(program):
    """Direct calls, and jumps from one function to the beginning of another, as objdump has them."""
    found, function = set(), None
    for line in must(["objdump", "-d", "--no-show-raw-insn", program]).output.splitlines():
        start = re.match(r"[0-9a-f]+ <([^>]+)>:", line)
        target = re.search(r"\t(call|jmp)\s+[0-9a-f]+ <([^>+@]+)>", line)
        function = start[1] if start else function
        if target and (target[1] == "call" or target[2] != function):
            found.add((function, target[2]))
    return found


def static_calls():
    """-c: what stands in the code of listed functions, and at least what GNU gprof finds."""
    directory = harness.scratch("gprof-static")
    program = directory / "program"
    must(["gcc", "-pg", "-g", "-O2", "-o", program, harness.SOURCE / "docs/examples/formats.c"])
    must([program], directory=directory)
    ours, theirs = both(directory, "-b", "-c", "-z", program, "gmon.out")
    here, there, code = arcs_of(ours), arcs_of(theirs), calls_in_code(program)
    check(there <= here, f"only GNU gprof has {there - here}")
    names = {name for arc in here for name in arc}
    missing = {arc for arc in code - here if arc[1] in names}
    check(not missing, f"in the code only: {missing}")
    check(("calc4", "format1") in here, f"{here}")
    return len(here)


POINTERS = """
#include <stdio.h>
volatile int sum;
typedef void (*function)(void);
void a(void) { sum++; }
void b(void) { sum--; }
function table[2] = {a, b};
__attribute__((noinline)) void tail(int i) { table[i & 1](); }
__attribute__((noinline)) void tail_of_argument(function f) { sum++; f(); }
__attribute__((noinline)) int branches(int x) {
  switch (x) {
  case 0: return sum;
  case 1: sum = 3; return 5;
  case 2: sum += 4; return 9;
  case 3: return 11;
  case 4: sum *= 3; return 2;
  case 5: return 17 + sum;
  case 6: return sum - 4;
  }
  return 1;
}
__attribute__((noinline, cold)) void rarely(void) { sum = 7; }
__attribute__((noinline)) int often(int x) {
  if (__builtin_expect(x == 12345, 0)) { rarely(); printf("never %d", x); rarely(); }
  return x + sum;
}
int main(void) {
  for (int i = 0; i < 100; i++) {
    tail(i);
    tail_of_argument(table[i & 1]);
    sum += branches(i % 7) + often(i);
  }
  return 0;
}
"""


def pointers():
    """-c: calls and tail calls through pointers are counted as unknown, branches of a switch and calls of
    other objects are not; a piece that gcc moves away is its function."""
    directory = harness.scratch("gprof-pointers")
    (directory / "pointers.c").write_text(POINTERS)
    plain = ("-fcf-protection=none",)
    for flags in (("-O2",), ("-O2", *plain), ("-O2", "-no-pie", "-fno-pie"), ("-O0",),
                  ("-O0", "-no-pie", "-fno-pie", *plain)):
        must(["gcc", "-pg", "-g", *flags, "-o", "program", "pointers.c"], directory=directory)
        must([directory / "program"], directory=directory)
        result = must([ASCRIBE, "gprof", "-b", "-c", "-z", "program"], directory=directory)
        check("2 calls through pointers in 2 functions" in result.errors, f"{flags}: {result.errors}")
        check(("often", "rarely") in arcs_of(result.output) and ".cold" not in result.output,
              f"{flags}: {result.output}")
    return 5


def another_program():
    """An executable that did not run is noticed where its code lies elsewhere."""
    directory = harness.scratch("gprof-other")
    program, other = directory / "program", directory / "other"
    source = harness.SOURCE / "docs/examples/formats.c"
    must(["gcc", "-pg", "-O1", "-no-pie", "-o", program, source])
    must(["gcc", "-pg", "-O1", "-no-pie", "-Wl,-Ttext-segment=0x7000000", "-o", other, source])
    must([program], directory=directory)
    wrong = must([ASCRIBE, "gprof", "-b", other, "gmon.out"], directory=directory)
    check("is it the program that ran?" in wrong.errors, wrong.errors)
    right = must([ASCRIBE, "gprof", "-b", program, "gmon.out"], directory=directory)
    check(right.errors == "", right.errors)
    return 2


def counters():
    """Programs that hold mcount themselves, being static: it has no part in times and entries."""
    directory = harness.scratch("gprof-counters")
    program = directory / "program"
    (directory / "program.c").write_text("""
volatile unsigned sum;
__attribute__((noinline)) static void callee(void) { sum++; }
int main(void) { for (int i = 0; i < 60000000; i++) callee(); return 0; }
""")
    must(["gcc", "-pg", "-g", "-O1", "-static", "-o", program, "program.c"], directory=directory)
    must([program], directory=directory)
    compared = same_listings(directory, [program, "gmon.out"])
    ours, theirs = both(directory, "-b", "-p", program, "gmon.out")
    check("callee" in ours and "mcount" not in ours, ours)
    ours, theirs = both(directory, "-b", "-p__mcount_internal", program, "gmon.out")
    check(ours == theirs and "__mcount_internal" in ours, f"{ours}\nGNU gprof:\n{theirs}")
    return compared


NAMES = """
#include <memory>
#include <string>
#include <vector>
struct shape { std::string name; explicit shape(std::string n) : name(n) {} virtual ~shape() {} };
struct square : shape { square(std::string n) : shape(n) {} };
__attribute__((noinline)) size_t length(const std::string &text) { return text.size(); }
int main() {
  std::vector<std::unique_ptr<shape>> all;
  size_t sum = 0;
  for (int i = 0; i < 50; i++) all.push_back(std::make_unique<square>("name"));
  for (auto &each : all) sum += length(each->name);
  return sum & 0;
}
"""


def names():
    """Of C++: in full, of aliases the same one, and equal ones in the same order."""
    directory = harness.scratch("gprof-names")
    (directory / "names.cc").write_text(NAMES)
    must(["g++", "-pg", "-g", "-O0", "-o", "program", "names.cc"], directory=directory)
    must([directory / "program"], directory=directory)
    for options in (["-p"], ["-p", "--no-demangle"]):
        ours, theirs = both(directory, "-b", *options, "program")
        check(ours == theirs and len(ours) > 2000, f"{options}:\n{ours}\nGNU gprof:\n{theirs}")
    ours, theirs = (re.sub(r" *\[\d+\] *", "[]", text) for text in both(directory, "-b", "-q", "program"))
    check(ours == theirs and "basic_string" in ours, f"{ours}\nGNU gprof:\n{theirs}")
    return 3


def main():
    if not shutil.which("gprof"):
        harness.skip("there is no gprof")
    cases = [(path.name, lambda path=path: compare(path)) for path in map(pathlib.Path, sys.argv[1:])]
    failed = 0
    others = [("clones", clones), ("static calls", static_calls), ("pointers", pointers),
              ("debugging GNU gprof", another_program), ("counters", counters),
              ("names of C++", names)]
    for name, case in cases + others:
        try:
            print(f"ok      {name}: {case()} rows and entries equal", flush=True)
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {name}: {failure}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
