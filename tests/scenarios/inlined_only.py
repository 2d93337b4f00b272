#!/usr/bin/env python3
"""A function that others could call, but that was inlined wherever it ran: its own code was never entered, which does
not make it one that was called 0 times."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("inlined_only")
SOURCE = DIRECTORY / "inlined.c"
TEXT = """#include <stdlib.h>
#include <string.h>
char *block;
void fill(int byte) { memset(block, byte, 1 << 26); }
__attribute__((noipa)) int leaf(int x) { return x * 3 + (x >> 2); }
int used(int x) {
  int sum = 0;
  while (x > 0) {
    sum += leaf(x);
    x -= 3;
  }
  return sum;
}
int never(int x) { return leaf(x) + 1; }
int both(int x) { return leaf(x) + 2; }
int (*volatile pointer)(int) = both;
__attribute__((noipa)) int caller(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += used(i % 10) + both(i);
  if (n < 0) sum += never(n);
  for (int i = 0; n > 1000 && i < 20; i++) fill(i);
  return sum;
}
int main(int count, char **words) {
  block = malloc(1 << 26);
  volatile int sum = caller(atoi(words[count - 1]));
  for (int i = 0; i < 7; i++) sum += pointer(i);
  return 0;
}
"""


def built(way):
    program = DIRECTORY / f"program{way}"
    must([ASCRIBE, "cc", *([way] if way else []), "-O2", "-g", "-o", program, SOURCE])
    return program


def recorded(program, times, rate=0):
    profile = DIRECTORY / f"{program.name}-{times}.ascribe"
    must([ASCRIBE, "record", "-q", "--rate", str(rate), "-o", profile, "--", program, str(times)])
    return profile


def calls(path):
    return dict(Profile(path).rows("select name, calls from functions where name in ('used', 'both', 'never', 'leaf')"))


def its_calls_are_not_known():
    program = built("")
    path = recorded(program, 100)
    check(calls(path) == {"used": None, "both": 7, "never": 0, "leaf": 18 * 10 + 107}, str(calls(path)))
    check(Profile(path).value("select inlined from functions where name = 'used'") == "all", "inlined")
    filled = Profile(recorded(program, 1001, 1000))
    check(filled.rows("select calls, inlined from functions where name = 'fill'") == [(None, "all")], "only on stacks")
    idle = recorded(program, 0)
    check(calls(idle)["used"] == 0, f"nothing ran: {calls(idle)}")
    merged = DIRECTORY / "merged.ascribe"
    for order in (path, idle), (idle, path):
        must([ASCRIBE, "merge", "-q", "-o", merged, *order])
        check(calls(merged)["used"] is None and calls(merged)["both"] == 14, f"merged: {calls(merged)}")


def what_never_ran_takes_no_room():
    """Inlined calls are in a profile where something was measured in them, or they lead there."""
    used = """with recursive used(id) as (select expansion from raw_sites union
        select expansion from raw_instructions union select expansion from raw_copies union
        select parent from raw_expansions x join used on used.id = x.id)"""
    found = []
    for options, times in ("", 0), ("", 100), ("--expressions", 100):
        profile = Profile(recorded(built(options), times))
        found.append(profile.value("select count(*) from raw_expansions"))
        unused = profile.rows(f"{used} select through from raw_expansions where id not in"
                              " (select id from used where id is not null)")
        check(not unused, f"{times}: {unused}")
    check(found[0] < found[1], f"{found}")


def its_source_has_them():
    path = recorded(built("--expressions"), 100)
    check(calls(path) == {"used": 100, "both": 107, "never": 0, "leaf": 18 * 10 + 107}, str(calls(path)))


def its_lines_have_them():
    program = built("--expressions")
    for times, used, end in (100, "100", "100"), (0, "0", "0"):
        path = recorded(program, times)
        text = must([ASCRIBE, "export", "--to", "lcov", "-o", "-", path]).output
        entries = dict(reversed(line[5:].split(",")) for line in text.splitlines() if line.startswith("FNDA:"))
        check(entries.get("used") == used and entries["never"] == "0", str(entries))
        lines = dict(line[3:].split(",") for line in text.splitlines() if line.startswith("DA:"))
        check(lines.get("12") == end and lines["9"] == str(18 * times // 10), str(lines))


def gprof_has_no_entry_of_inlined_code():
    path = recorded(built(""), 20_000_000, 1000)
    check(Profile(path).value("select total_ns from functions where name = 'used'") > 0, "it has no time")
    misled = json.loads(must([ASCRIBE, "report", "--json", "--misled", path]).output)["misled"]
    names = dict(Profile(path).rows("select id, name from functions"))
    found = {names.get(entry["function"]) for entry in misled}
    check(not found & {"used", "both"}, str(misled))


def main():
    SOURCE.write_text(TEXT)
    harness.main(its_calls_are_not_known, what_never_ran_takes_no_room, its_source_has_them, its_lines_have_them,
                 gprof_has_no_entry_of_inlined_code)


if __name__ == "__main__":
    main()
