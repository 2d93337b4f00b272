#!/usr/bin/env python3
"""Reports of lines, source text and machine code say what really ran: a program with a known hot
line, inlined, in a loop of its own."""

import json
import os
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("annotate")
SOURCE = """#include <stdlib.h>
static volatile unsigned sink;

static inline void spin(unsigned n) {
  for (unsigned i = 0; i < n; i++)
    sink = sink * 3 + i; /* hot */
}

__attribute__((noipa)) static void work(unsigned n) {
  spin(n);
  if (n == 12345) abort();
}

__attribute__((noipa)) static void idle(unsigned n) {
  (void)n;
}

__attribute__((noipa)) static void twin(unsigned n) {
  for (unsigned i = 0; i < n; i++) sink += i;
}

void other(void);
int main(void) {
  for (int i = 0; i < 40; i++) {
    work(20000000);
    idle(i);
    twin(500000);
    other();
  }
  return 0;
}
"""
OTHER = """static volatile unsigned drain;
__attribute__((noipa)) static void twin(unsigned n) {
  for (unsigned i = 0; i < n; i++) drain -= i;
}

void other(void);
void other(void) {
  twin(500000);
}
"""
LINES = SOURCE.splitlines()
HOT, LOOP, CALL = (1 + next(i for i, line in enumerate(LINES) if part in line)
                   for part in ("/* hot */", "i < n", "  spin(n)"))


def build(options=()):
    (DIRECTORY / "spin.c").write_text(SOURCE)
    os.utime(DIRECTORY / "spin.c", (time.time() - 100,) * 2)
    (DIRECTORY / "other.c").write_text(OTHER)
    must(["gcc", "-O2", "-g", "-Wl,--build-id", *options, "spin.c", "other.c", "-o", "spin"],
         directory=DIRECTORY)


def report(*options):
    return must([ASCRIBE, "report", *options, "spin.ascribe"], directory=DIRECTORY).output


def as_json(*options):
    return json.loads(report("--json", *options))


def lines_have_the_time():
    lines = as_json("--lines")["lines"]
    hot = [line for line in lines if line["line"] in (HOT, LOOP)]
    # Ticks themselves cost time in the kernel: on a virtual machine it may be a tenth of all.
    whole = sum(line["self_ns"] for line in lines if not line["function_name"].startswith("("))
    check(sum(line["self_ns"] for line in hot) > 0.9 * whole, f"hot lines: {hot} of {whole}")
    text = report("--lines")
    check(re.search(rf"^ +[0-9].* spin.c:({HOT}|{LOOP})  spin inlined$", text, re.M),
          f"--lines does not name the loop of spin:\n{text}")


def callers_have_totals():
    """The line of an inlined call has the total of what is inlined there, and no self time."""
    work, = as_json("--source", "work")["source"]
    line = next(line for line in work["lines"] if line["line"] == CALL)
    check(line["total_ns"] > 0.9 * work["total_ns"] and line["self_ns"] < 0.1 * work["total_ns"],
          f"line {CALL}: {line}")
    check(work["text_known"] and not work["newer"], f"{work}")
    check(line["text"] == LINES[CALL - 1], line["text"])


def source_is_shown():
    text = report("--source", "spin")
    check(re.search(rf" {HOT}  +sink = sink \* 3", text), text)
    check(f"file       spin.c:{LOOP - 1}-{HOT + 1}\n" in text, text)
    whole = report("--source", "spin.c")
    check(f"{len(LINES)}  }}" in whole, whole)
    check(re.search(r"\n {50,}1  #include <stdlib.h>", whole), "lines without ticks are blank")


def code_is_shown():
    text = report("--asm", "work")
    check("Code of work" in text and "as recorded (same build-id)" in text, text)
    check(re.search(rf"spin.c:{HOT} \[spin\]  sink = sink", text), f"no inlined source:\n{text}")
    check(re.search(r",->|,>", text) and "`-" in text, f"no arrow of the loop:\n{text}")
    piece = as_json("--asm", "work")["asm"][0]["pieces"][0]
    instructions = piece["instructions"]
    addresses = {instruction["address"] for instruction in instructions}
    loop = next(i for i in instructions if i["jumps_to"] in addresses
                and i["jumps_to"] < i["address"])
    inside = [i for i in instructions if loop["jumps_to"] <= i["address"] <= loop["address"]]
    check(sum(i["self_ticks"] for i in inside) > 0.9 * piece["self_ticks"], f"{instructions}")
    check(sum(i["self_ticks"] for i in instructions) == piece["self_ticks"], f"{piece}")
    total = next(f for f in as_json("--flat")["functions"] if f["name"] == "work")["total_ticks"]
    kernels = sum(f["self_ticks"] for f in as_json("--flat")["functions"]
                  if f["name"].endswith(("(system call)", "(page fault or interrupt)")))
    check(total - kernels <= piece["self_ticks"] <= total,
          f"the ticks of its instructions, {piece['self_ticks']}, are its total, {total}, but for"
          f" {kernels} in the kernel")


def narrow_terminals_keep_file_and_line():
    if not harness.has_terminals():
        return
    for width, functions in (72, r"(?! \[)"), (80, r" \[spin\]"):
        _, text = harness.on_terminal([ASCRIBE, "report", "--asm", "spin", DIRECTORY / "spin.ascribe"],
                                      (40, width), ASCRIBE_PAGER="cat", NO_COLOR="1")
        check(re.search(rf" spin.c:{HOT}\b{functions}", text), f"no line, or functions cut short:\n{text}")
        code = text[text.index("instruction"):].splitlines()
        check(all(len(line) <= width for line in code), f"wider than {width}:\n{text}")
    check(f"spin.c:{HOT} [spin]" in report("--asm", "spin"), "elsewhere the functions are named")


def calls_are_named():
    text = report("--asm", "main")
    check(re.search(r"call[q]?\s+work", text) and re.search(r"call[q]?\s+idle", text), text)
    text = report("--asm", "work")
    check("also in work.cold (no ticks there: --all)" in text, text)
    text = report("--asm", "work", "--all")
    check("work.cold" in text and re.search(r"(call|jmp)q?\s+abort", text),
          f"the cold part, or abort, is not named:\n{text}")


def inlined_functions_are_found():
    text = report("--asm", "spin")
    check("Code of work" in text and "in the requested function, inlined here" in text, text)


def functions_of_one_name():
    """Each is shown, with its own source."""
    text = report("--asm", "twin")
    check(text.count("Code of twin") == 2 and "sink += i" in text and "drain -= i" in text, text)
    text = report("--source", "twin")
    check(text.count("Source of twin") == 2 and "sink += i" in text and "drain -= i" in text, text)


def everything_is_consistent():
    profile = Profile(DIRECTORY / "spin.ascribe")
    self_ns, = profile.rows("select sum(self_ns) from functions")[0]
    by_instruction, = profile.rows("select sum(self_ns) from instructions")[0]
    check(abs(self_ns - by_instruction) < 0.001 * self_ns, f"{self_ns} and {by_instruction}")
    above = profile.rows("select file, line from lines where total_ns > 1.001 * "
                         "(select sampled_ns from runs)")
    check(not above, f"lines above the whole: {above}")
    check(profile.rows("select newer from sources where path like '%/spin.c'") == [(0,)], "newer")


def wrong_names_are_said():
    for options, words in ((["--source", "nobody"], "no such function or source file"),
                           (["--asm", "nobody"], "no such function in the profile"),
                           (["--asm", "work", "--thread", "1"], "cannot be combined with")):
        result = run([ASCRIBE, "report", *options, "spin.ascribe"], directory=DIRECTORY)
        check(result.status == 1 and words in result.errors, f"{options}: {result.errors}")


def source_changed():
    """The profile keeps the text; a source that was newer than the program is marked."""
    os.utime(DIRECTORY / "spin.c", (time.time() + 100,) * 2)
    (DIRECTORY / "other").mkdir(exist_ok=True)
    must([ASCRIBE, "record", "-o", "newer.ascribe", "./spin"], directory=DIRECTORY)
    text = must([ASCRIBE, "report", "--source", "spin", "newer.ascribe"],
                directory=DIRECTORY).output
    check("modified after the program was built, so lines may be off" in text, text)
    (DIRECTORY / "spin.c").unlink()
    check("sink = sink * 3" in report("--source", "spin"), "the profile keeps the text")


def program_changed():
    build(["-DOTHER=1", "-O1"])
    text = report("--asm", "work")
    check("has changed since the recording: its code is not known" in text, text)
    (DIRECTORY / "spin").unlink()
    text = report("--asm", "work")
    check("cannot be read any more: its code is not known" in text, text)
    asm = as_json("--asm", "work")["asm"][0]
    check("cannot be read" in asm["error"] and not asm["pieces"], f"{asm}")


def prepare():
    build()
    must([ASCRIBE, "record", "--rate", "1000", "-o", "spin.ascribe", "./spin"],
         directory=DIRECTORY)


if __name__ == "__main__":
    prepare()
    harness.main(lines_have_the_time, callers_have_totals, source_is_shown, code_is_shown,
                 narrow_terminals_keep_file_and_line, calls_are_named, inlined_functions_are_found, functions_of_one_name,
                 everything_is_consistent,
                 wrong_names_are_said, source_changed, program_changed)
