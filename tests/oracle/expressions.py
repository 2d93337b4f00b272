#!/usr/bin/env python3
"""`ascribe cc --expressions`: lines were executed as often as gcov says of an unoptimized build, however
the program is optimized; inlined copies have their time, and the text of macros its counts."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("oracle-expressions")
SOURCE = """#include <stdio.h>
static int is_odd(int n) {
  return n & 1;
}
static inline int scale(int n) {
  if (n % 3 == 0)
    return n * 2;
  return n + 7;
}
int never(int n) {
  return n + 1;
}
static int collatz(int n) {
  int steps = 0;
  while (n != 1) {
    n = is_odd(n) ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}
int main(int argc, char **argv) {
  long sum = 0;
  for (int i = 0; i < 100; i++) {
    if (is_odd(i))
      sum += scale(i);
    else
      sum -= i;
  }
  switch (argc) {
  case 1:
    puts("one");
    break;
  case 2:
    puts("two");
    break;
  default:
    puts("many");
  }
  if (argc > 3)
    never(argc);
  for (int k = 1; k < 30; k++)
    sum += collatz(k);
  for (int k = 0; k < 3; k++)
    printf("%ld\\n", sum);
  return 0;
}
"""


def recorded(flags, name, source=SOURCE, options=("--expressions",), rate="0"):
    (DIRECTORY / "e.c").write_text(source)
    must([ASCRIBE, "cc", *options, *flags, "e.c", "-o", name], directory=DIRECTORY)
    result = harness.record(f"./{name}", DIRECTORY, ["--quiet", "--rate", rate],
                            output=f"{name}.ascribe")
    check(result.status == 0, result.errors)
    return Profile(DIRECTORY / f"{name}.ascribe")


def lines_of(name):
    """What the report and its export say of each line."""
    text = must([ASCRIBE, "export", "--to", "lcov", f"{name}.ascribe", "-o", "-"],
                directory=DIRECTORY).output
    return {int(line[3:].split(",")[0]): int(line.split(",")[1])
            for line in text.splitlines() if line.startswith("DA:")}


def gcov_lines():
    must(["gcc", "--coverage", "-O0", "e.c", "-o", "judged"], directory=DIRECTORY)
    (DIRECTORY / "judged-e.gcda").unlink(missing_ok=True)
    must(["./judged"], directory=DIRECTORY)
    text = must(["gcov", "--json-format", "--stdout", "judged-e.gcda"], directory=DIRECTORY).output
    (file,) = json.loads(text)["files"]
    return {line["line_number"]: line["count"] for line in file["lines"]}


def lines_equal_gcovs():
    """gcov also counts the lines of a function's braces and `else`, which have no expression."""
    recorded(["-O0", "-g"], "plain")
    ours, truth = lines_of("plain"), gcov_lines()
    wrong = {line: (count, truth.get(line)) for line, count in ours.items()
             if truth.get(line) != count}
    check(not wrong, f"ours, gcov's: {wrong}")
    left_out = [line for line in truth if line not in ours]
    texts = SOURCE.splitlines()
    for line in left_out:
        text = texts[line - 1].strip()
        check(text.endswith("{") or text in ("}", "break;", "default:"), f"line {line}: {text}")


def optimized_counts_the_source():
    """Inlined, threaded, evaluated at compile time or removed: the source says what was executed."""
    profile = recorded(["-O3", "-g"], "optimized")
    ours, truth = lines_of("optimized"), gcov_lines()
    wrong = {line: (count, truth.get(line)) for line, count in ours.items() if truth.get(line) != count}
    check(not wrong, f"ours, gcov's: {wrong}")
    check(profile.calls("is_odd") > 100 and profile.calls("scale") == 50, "calls that were inlined")
    never = profile.rows("select count from expressions where function_name = 'never'")
    check(never and all(count == 0 for (count,) in never), "never ran")
    check(ours[place("never(argc);", SOURCE)] == 0, "a call that was not made")
    report = must([ASCRIBE, "report", "--source", "e.c", "optimized.ascribe"],
                  directory=DIRECTORY).output
    check("branches: 50 % 50 %" in report and "lines with code" in report, report)


MACROS = """#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define ADD(x) do { sum += (x); \\
    total += 1; } while (0)
#define TWICE(x) ADD(MAX(x, 3)); \\
  ADD(x)
static volatile long sum, total;
static inline int scale(int n) {
  if (n % 3 == 0)
    return n * 2;
  return n + 7;
}
static inline int twice(int n) {
  return scale(n) + scale(n + 1);
}
__attribute__((noinline)) int outer(int n) {
  int most = 0;
  for (int i = 0; i < n; i++) {
    int now = twice(i);
    most = MAX(most, now);
    ADD(most + i);
  }
  return most;
}
__attribute__((noinline)) void show(long n) {
  printf("%ld\\n", n);
}
static inline void report(long n) {
  show(n);
}
int main(int argc, char **argv) {
  for (int k = 0; k < 10; k++) {
    outer(k * 100);
    TWICE(k);
  }
  report(sum);
  report(total);
  return scale(argc) & 1;
}
"""


def place(text, source=MACROS):
    """The line that has a text first."""
    return next(i + 1 for i, line in enumerate(source.splitlines()) if text in line)


def copies_have_their_time():
    """Each by the function it went to, and by the calls it came through. They count together."""
    source = MACROS.replace("outer(k * 100)", "outer(k * 2000000)")
    profile = recorded(["-O2", "-g", "-fno-tree-vectorize"], "copies", source, rate="1000")
    here, called, own = place("if (n % 3 == 0)"), place("twice(i)"), place("return scale(n) +")
    copies = profile.rows("select distinct within_name, through, count from copies where kind = 'code'"
                          f" and line between {here} and {here + 2} order by 1, 2")
    known = {("outer", f"scale at e.c:{own}:10 in twice at e.c:{called}:15", None),
             ("outer", f"scale at e.c:{own}:21 in twice at e.c:{called}:15", None)}
    check(copies and set(copies) <= known, f"copies of scale: {copies}")
    wrong = profile.rows("select e.id, e.self_ticks, sum(c.self_ticks) from expressions e join copies c"
                         " on c.expression = e.id and e.kind = 'code' group by e.id"
                         " having e.self_ticks <> sum(c.self_ticks)")
    check(not wrong, f"times of copies do not add up: {wrong}")
    text = must([ASCRIBE, "report", "--source", "e.c", "--copies", "copies.ascribe"],
                directory=DIRECTORY).output
    check(f"in outer: scale at e.c:{own}" in text, text)
    source, = json.loads(must([ASCRIBE, "report", "--source", "e.c", "--json", "copies.ascribe"],
                              directory=DIRECTORY).output)["source"]
    through = [[(step["kind"], step["name"], step["line"]) for step in copy["through"]]
               for line in source["lines"] if line["line"] in range(here, here + 3)
               for copy in line["copies"]]
    check(through and all(one == [("inlined", "scale", own), ("inlined", "twice", called)]
                          for one in through), through)


def macros_have_their_text():
    """What a macro made counts once where it was expanded, and in its text, by expansion. Its
    lines are no lines of the program, as gcov has it."""
    for flags in ["-O0"], ["-O2", "-fno-tree-vectorize"]:
        profile = recorded([*flags, "-g"], "macros", MACROS)
        ours, truth = lines_of("macros"), gcov_lines()
        used = [place("TWICE(k)"), place("ADD(most + i)"), place("MAX(most, now)")]
        wrong = {line: (ours.get(line), truth[line]) for line in used
                 if ours.get(line) != truth[line]}
        check(not wrong, f"{flags}: ours, gcov's of the expansions: {wrong}")
        check(all(line >= place("static inline int scale") for line in ours), f"lines of macros: {sorted(ours)}")
        text = place("total += 1")
        copies = profile.rows("select within_name, through, max(count) from copies where kind ="
                              f" 'macro' and line = {text} group by expansion order by 1, 2")
        used = place("TWICE(k)")
        truth = [("main", f"macro ADD at e.c:5:18 in macro TWICE at e.c:{used}:5", 10),
                 ("main", f"macro ADD at e.c:6:3 in macro TWICE at e.c:{used}:5", 10),
                 ("outer", f"macro ADD at e.c:{place('ADD(most')}:5", 4500)]
        check(copies == truth, f"{flags}: the text of ADD: {copies}")


SEQUENCE = """#include <stdio.h>
#define PUSH(i) do { if ((i) & 1) odd++; if ((i) % 4 == 0) fours = add(fours); \\
    all[(i) & 7] = last; last = (i); sum += last; } while (0)
static volatile int odd, fours, last, all[8];
static volatile long sum;
static inline int add(int n) {
  return n > 1000 ? 0 : n + 1;
}
int main(void) {
  for (int i = 0; i < 1000; i++) {
    PUSH(i);
    PUSH(sum);
  }
  printf("%ld %d %d\\n", sum, odd, fours);
  return 0;
}
"""


def expansions_count_once():
    """However many statements, conditions and calls a macro has."""
    for flags in "-O0", "-O2":
        recorded([flags, "-g"], "sequence", SEQUENCE)
        ours, truth = lines_of("sequence"), gcov_lines()
        lines = [place("PUSH(i);", source=SEQUENCE), place("PUSH(sum);", source=SEQUENCE)]
        check([ours[line] for line in lines] == [truth[line] for line in lines] == [1000, 1000],
              f"{flags}: {ours}, gcov's: {truth}")


def inlining_changes_nothing():
    recorded(["-O2", "-g"], "macros", MACROS)
    inlined = lines_of("macros")
    profile = recorded(["-O2", "-g", "-fno-inline"], "apart", MACROS)
    check(profile.value("select count(*) from expansions where kind = 'inlined'") == 0, "inlined")
    check(inlined == lines_of("apart"), f"with and without inlining: {inlined}, {lines_of('apart')}")


def loops_have_trips():
    for optimization in "-O0", "-O2":
        profile = recorded([optimization, "-g"], "macros", MACROS)
        loops = dict(profile.rows("select line, group_concat(count) from (select * from expressions"
                                  " where kind = 'loop' order by line, way) group by line"))
        truth = {place("i < n"): "10,4500", place("k < 10"): "1,10"}
        check(loops == truth, f"{optimization}: {loops}")
        text = must([ASCRIBE, "report", "--source", "outer", "macros.ascribe"],
                    directory=DIRECTORY).output
        check("loop entered 10 times, 450 trips each" in text, text)


def calls_that_were_inlined():
    """Without --expressions those of the optimized program are counted."""
    recorded(["-O2", "-g"], "macros", MACROS, options=())
    text = must([ASCRIBE, "report", "--calls", "show", "macros.ascribe"],
                directory=DIRECTORY).output
    for call in "report(sum)", "report(total)":
        check(f"inlined: report at e.c:{place(call)}:3 in main" in text, text)


def merged():
    """Copies and call sites stay apart, and add up."""
    for name in "one", "two":
        profile = recorded(["-O2", "-g"], name, MACROS)
    must([ASCRIBE, "merge", "-o", "sum.ascribe", "one.ascribe", "two.ascribe"], directory=DIRECTORY)
    both = Profile(DIRECTORY / "sum.ascribe")
    for table, key in (("copies", "file || line || source_column || kind || way || within_name"),
                       ("call_sites", "callee_name || file || line")):
        figure = "count" if table == "copies" else "calls"
        query = (f"select {key}, coalesce(through, ''), sum({figure}) from {table}"
                 f" where line > 0 group by 1, 2 order by 1, 2")
        one, sum_of_two = profile.rows(query), both.rows(query)
        check(sum_of_two == [(*row[:-1], 2 * row[-1]) for row in one],
              f"{table}: {one}, twice: {sum_of_two}")


def return_behind_tail_call():
    """The jump that a tail call became stands for the return behind it, wherever counters are."""
    source = """#include <stdlib.h>
struct source { void *(*take)(size_t); };
__attribute__((noipa)) void *take(size_t n, const struct source *source) {
  void *p;
  if (source)
    p = source->take(n);
  else
    p = calloc(1, n);

  return p;
}
int main(void) {
  struct source other = {malloc};
  for (int i = 0; i < 10; i++)
    free(take(i, i % 5 ? NULL : &other));
  return 0;
}
"""
    line = source.splitlines().index("  return p;") + 1
    for placement in "few", "all":
        profile = recorded(["-O2", "-g", f"--ascribe-placement={placement}"], "returns", source)
        found = profile.rows("select count from expressions where kind = 'code' and line = ?", line)
        check(found == [(10,)], f"counters at {placement} edges: return was executed {found} times")


def what_serves_is_no_execution():
    """Memory for `new` and for exceptions, and what the C++ runtime has to do for an expression."""
    source = """#include <stdexcept>
struct item {
  int x;
  item(int y) : x(y) { if (y > 100) throw 1; }
  ~item() { x = 0; }
};
int three(int x) { return x * 3; }
int thrower(int i) {
  try {
    if (i & 1) throw std::runtime_error("odd");
    if (i & 2) throw 1 + three(i);
    if (i & 4) throw item(i);
  } catch (...) {
    return 1;
  }
  return 0;
}
int main() {
  int n = 0;
  for (int i = 0; i < 16; i++) {
    item *p = new item(i);
    n += p->x + thrower(i);
    delete p;
  }
  return n == 0;
}
"""
    (DIRECTORY / "serves.cc").write_text(source)
    lines = dict(enumerate(source.splitlines(), 1))
    for level in "-O0", "-O2":
        must([ASCRIBE, "c++", "--expressions", level, "-g", "serves.cc", "-o", "serves"], directory=DIRECTORY)
        must([ASCRIBE, "record", "-q", "-r", "0", "-o", "serves.ascribe", "./serves"], directory=DIRECTORY)
        rows = Profile(DIRECTORY / "serves.ascribe").rows(
            "select line, max(count) from expressions where kind = 'code' and file like '%serves.cc'"
            " and source_column > ? group by line", len("    if (i & 1)"))
        found = {lines[line].strip(): count for line, count in rows}
        for text, times in (('if (i & 1) throw std::runtime_error("odd");', 8),
                            ("if (i & 2) throw 1 + three(i);", 4), ("if (i & 4) throw item(i);", 2),
                            ("item *p = new item(i);", 16)):
            check(found[text] == times, f"{level}: {text} was executed {times} times, not {found[text]}")


def without_g():
    """The compiler knows its source without debug information, too."""
    recorded(["-O2", "-g"], "with")
    profile = recorded(["-O2", "-g0"], "without")
    check(lines_of("with") == lines_of("without") and lines_of("with"), "lines")
    check(profile.calls("main") == 1, "calls")


def not_used_is_said():
    (DIRECTORY / "e.c").write_text(SOURCE)
    said = must([ASCRIBE, "cc", "--contexts", "--expressions", "--ascribe-explain", "-c", "e.c"],
                directory=DIRECTORY)
    check("--expressions needs counters" in said.output + said.errors, said.output + said.errors)


if __name__ == "__main__":
    harness.main(lines_equal_gcovs, optimized_counts_the_source, copies_have_their_time, macros_have_their_text,
                 expansions_count_once, inlining_changes_nothing, loops_have_trips, calls_that_were_inlined, merged,
                 return_behind_tail_call, what_serves_is_no_execution, without_g, not_used_is_said)
