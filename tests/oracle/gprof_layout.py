#!/usr/bin/env python3
"""`ascribe gprof` and GNU gprof print the same bytes, and take the same options in the same way.

Taken out: numbers of the index (GNU gprof counts labels such as etext, too), and what counts of
executions say of recursion (docs/GPROF.md)."""

import pathlib
import re
import shutil
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must, run

DIRECTORY = harness.scratch("gprof-layout")
PROGRAM = """\
#include <stdio.h>
volatile int sum;
static int local(int n)
{
  int result = 0;
  for (int i = 0; i < n; i++)
    sum += i;
  return result + n;
}
int global(int n) { if (n) { sum++; } return n; }
int even(int n);
int odd(int n) { return n ? even(n - 1) : 0; }
int even(int n) { return n ? odd(n - 1) : 1; }
int never_called_and_with_a_long_name(int x)
{
  return x + sum;
}
int equal_a(int n) { return n + 1; }
int equal_b(int n) { return n + 2; }
int equal_c(int n) { return n + 3; }
int (*const table[])(int) = {equal_a, equal_b, equal_c};
int main(void)
{
  int total = 0;
  for (int i = 0; i < 10; i++)
    total += local(i * 1000);
  for (int i = 0; i < 7; i++)
    total += global(i & 1);
  for (int i = 0; i < 9; i++)
    total += table[i % 3](i);
  printf("%d\\n", total & even(4) & 0);
  return 0;
}
"""


def both(*arguments, environment=None):
    ours = must([ASCRIBE, "gprof", *arguments], directory=DIRECTORY, environment=environment)
    theirs = must(["gprof", *arguments], directory=DIRECTORY, environment=environment)
    return ours, theirs


def without_numbers(text):
    return re.sub(r" *([\[(])\d+[\])] *", r" \1n] ", text)


def same_bytes():
    compared = 0
    for options in ([], ["-p"], ["-q"], ["-P"], ["-Q"], ["-p", "-P"], ["-P", "-p"], ["-q", "-Q"],
                    ["-C", "-Z"], ["-A", "-J"], ["-plocal"], ["-Plocal"], ["-qlocal"], ["-Qlocal"],
                    ["-p", "-i"], ["-i", "-q", "gmon.out"], ["-L"], ["--inline-file-names"],
                    ["--inline-file-names", "-L"], ["-C"], ["-p", "-q", "-C"], ["-k", "main/local"],
                    ["-n", "local"], ["-N", "local"], ["-e", "local"], ["-E", "global"],
                    ["-f", "global", "-f", "local"], ["-F", "local"], ["-w", "120"], ["-w", "50"],
                    ["-w", "0"], ["-e", "main"], ["-n", "nosuch"], ["-N", "nosuch"],
                    ["-k", "program.c:main/program.c:global"], ["-O", "auto"], ["--file-format=magic"], ["--demangle=gnu-v3"]):
        options, files = ([*options[:-1]], ["gmon.out", "gmon.out"]) if options[-1:] == ["gmon.out"] \
            else (options, ["gmon.out"])
        ours, theirs = both("-b", *options, "program", *files)
        ours, theirs = without_numbers(ours.output), without_numbers(theirs.output)
        check(ours == theirs, f"{options}:\n{ours}\nGNU gprof:\n{theirs}")
        compared += len(ours)
    check(compared > 10000, f"{compared} bytes")


def index_columns():
    """With the numbers, where both have the same."""
    for width in ("40", "80", "81", "82", "100"):
        ours, theirs = both("-b", "-q", "-w", width, "program")
        ours, theirs = (re.sub(r"[\[(]\d[\])]", "[n]", text.output.split("Index by")[1])
                        for text in (ours, theirs))
        check(ours == theirs, f"-w {width}:\n{ours}\nGNU gprof:\n{theirs}")


def response_files():
    (DIRECTORY / "words").write_text("-b -p\n@more\n")
    (DIRECTORY / "more").write_text("'program'\tgmon.out")
    ours, theirs = both("@words")
    check(ours.output == theirs.output and "local" in ours.output, ours.output)
    result = run([ASCRIBE, "gprof", "@missing"], DIRECTORY)
    check(result.status == 1 and "@missing" in result.errors, result.errors)


def block_counts(lines):
    """gmon.out with a count of 1000 + line for the first instruction of each of these."""
    listing = must(["objdump", "-d", "-l", "--no-show-raw-insn", "program"], directory=DIRECTORY).output
    found, line = {}, None
    for text in listing.splitlines():
        place = re.match(r"\S*program.c:(\d+)", text)
        address = re.match(r"\s+([0-9a-f]+):\t", text)
        line = int(place[1]) if place else line
        if address and line in lines and line not in found:
            found[line] = int(address[1], 16)
    records = b"".join(struct.pack("<QQ", address, 1000 + line) for line, address in found.items())
    file = (DIRECTORY / "gmon.out").read_bytes() + b"\2" + struct.pack("<I", len(found)) + records
    (DIRECTORY / "blocks").write_bytes(file)


def margins(*options):
    text = must([ASCRIBE, "gprof", "-b", "-A", *options, "program", "blocks"], directory=DIRECTORY).output
    source = text.split("*** File ")[1].splitlines()[1:]
    return {number: line[:16].strip().removesuffix("->").strip()
            for number, line in enumerate(source[:PROGRAM.count("\n")], 1)}, text


def annotated_blocks():
    """Lines of a block have its count with -x, where there is code; others have none."""
    block_counts({7, 8})
    plain, text = margins()
    check((plain[4], plain[5], plain[7], plain[8]) == ("10", "", "1007", "1008"), text)
    check((plain[3], plain[15], plain[16]) == ("", "#####", ""), text)
    every, text = margins("-x")
    check((every[4], every[5], every[7], every[8], every[9]) == ("10", "10", "1007", "1008", "1008"),
          text)
    check((every[3], every[14], every[15], every[16]) == ("", "", "#####", "#####"), text)
    same = [re.search(r"Execution Summary.*", must(
        [ASCRIBE, "gprof", "-A", *x, "program", "blocks"], directory=DIRECTORY).output, re.S)[0]
        for x in ([], ["-x"])]
    check(same[0] == same[1], same[1])
    few, text = margins("-m", "1008")
    check((few[7], few[8]) == ("", "1008"), text)
    info = must([ASCRIBE, "gprof", "-i", "program", "blocks"], directory=DIRECTORY).output
    check(info == must(["gprof", "-i", "program", "blocks"], directory=DIRECTORY).output, info)


def sources():
    """What cannot be read is an error; GPROF_PATH and -I say where to look."""
    (DIRECTORY / "program.c").rename(DIRECTORY / "moved")
    result = run([ASCRIBE, "gprof", "-A", "program"], DIRECTORY)
    check(result.status == 1 and "program.c" in result.errors, f"{result.status}: {result.errors}")
    (DIRECTORY / "below").mkdir(exist_ok=True)
    (DIRECTORY / "moved").rename(DIRECTORY / "below" / "program.c")
    for options, environment in ((["-I", "none:below"], {}), ([], {"GPROF_PATH": "none:below"})):
        result = must([ASCRIBE, "gprof", "-A", *options, "program"], directory=DIRECTORY, environment=environment)
        check("int never_called" in result.output, result.output)
    (DIRECTORY / "below" / "program.c").rename(DIRECTORY / "program.c")


def refused():
    """Each option of GNU gprof is taken or refused by name, with the reason."""
    usage = must(["gprof", "--help"]).output
    letters = set("".join(re.findall(r"\[-\[([a-zA-Z]+)\]", usage))) | set("Idkmt")
    check(len(letters) > 35, f"{letters}")
    given = {"k": "main/local", "I": ".", "m": "1", "t": "1", "w": "1"}
    for letter in sorted(letters):
        value = given.get(letter, "local" if letter in "eEfFnN" else "auto" if letter == "O" else
                          "moved" if letter in "RS" else None)
        result = run([ASCRIBE, "gprof", f"-{letter}", *([value] if value else []), "program"],
                     DIRECTORY)
        check(result.status == 0 or f"-{letter}" in result.errors and " is not supported: " in
              result.errors and result.status == 2, f"-{letter}: {result.status}, {result.errors}")
    for name in set(re.findall(r"--(?:\[no-\])?([a-z-]+)", usage)) - {"help", "version"}:
        check(f"--{name}" in run([ASCRIBE, "gprof", "--help"]).output or "is not supported" in run(
            [ASCRIBE, "gprof", f"--{name}=x", "program"], DIRECTORY).errors or "is not supported" in run(
                [ASCRIBE, "gprof", f"--{name}", "program"], DIRECTORY).errors, name)
    for words in (["-m", "18446744073709551616"], ["-t", "x"], ["-w", "-1"], ["-k", "local"],
                  ["-O", "bsd"]):
        result = run([ASCRIBE, "gprof", *words, "program"], DIRECTORY)
        check(result.status == 2 and words[0] in result.errors and not result.output, result.errors)


def messages():
    """One for each kind of mistake, of the thing that is wrong."""
    file = (DIRECTORY / "gmon.out").read_bytes()
    high, other_unit = bytearray(file), bytearray(file)
    high[21:29], high[29:37] = file[29:37], file[21:29]
    other_unit[45:52] = b"parsecs"
    (DIRECTORY / "high").write_bytes(high)
    (DIRECTORY / "unit").write_bytes(other_unit)
    (DIRECTORY / "small").write_bytes(file[:20] + b"\1" + struct.pack("<III", 0x401000, 0x401000, 7))
    (DIRECTORY / "endless").write_text("@endless @endless")
    (DIRECTORY / "gmon.sum").unlink(missing_ok=True)  # of -s, above
    (DIRECTORY / "gmon.sum").mkdir()
    for arguments, status, said in (
            (["program", "high"], 1, "begins at 0x"),
            (["program", "gmon.out", "unit"], 1, "another unit"),
            (["program", "small"], 1, "pointers of 4 bytes"),
            (["@endless"], 2, "does it contain itself?"),
            (["@below"], 2, "a directory"),
            (["-s", "program"], 1, "gmon.sum cannot be written")):
        result = run([ASCRIBE, "gprof", "-p", *arguments], DIRECTORY)
        check(result.status == status and said in result.errors and "-o" not in result.errors.split(),
              f"{arguments}: {result.status}, {result.errors}")
    (DIRECTORY / "gmon.sum").rmdir()
    result = must([ASCRIBE, "gprof", "-pequal_a", "program"], directory=DIRECTORY)
    check(not result.errors, result.errors)
    result = must([ASCRIBE, "gprof", "-pprogram.c:2", "program"], directory=DIRECTORY)
    check("no function begins there" in result.errors, result.errors)


def main():
    if not shutil.which("gprof"):
        harness.skip("there is no gprof")
    (DIRECTORY / "program.c").write_text(PROGRAM)
    must(["gcc", "-pg", "-g", "-O0", "-o", "program", "program.c"], directory=DIRECTORY)
    must(["./program"], directory=DIRECTORY)
    harness.main(same_bytes, index_columns, response_files, annotated_blocks, sources, refused, messages)


if __name__ == "__main__":
    main()
