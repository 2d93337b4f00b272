#!/usr/bin/env python3
"""`ascribe cc --expressions`: lines were executed as often as gcov says of an unoptimized build; in an
optimized one copies add up at their source, and what is not there has no count."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("oracle-expressions")
# Conditions stay conditions. Some gccs compute both ways otherwise; GCC 14's phiopt leaves no line on
# what it rewrites.
UNCONVERTED = ["-fno-if-conversion", "-fno-if-conversion2", "-fno-ssa-phiopt", "-fno-tree-loop-if-convert"]
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


def recorded(flags, name, source=SOURCE):
    (DIRECTORY / "e.c").write_text(source)
    must([ASCRIBE, "cc", "--expressions", *flags, "e.c", "-o", name], directory=DIRECTORY)
    result = harness.record(f"./{name}", DIRECTORY, ["--quiet", "--rate", "0"],
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


def inlined_without_line():
    """Code that has no line any more where this gcc has inlined it."""
    version = must(["gcc", "-dumpversion"]).output.strip()
    return {"return n + 7"} if version.startswith("11") else set()


def copies_add_up():
    """In main is_odd was inlined twice, once by way of collatz. (GCC 14 knows that 3 * n + 1 is even
    where n is odd, and jumps past the next test.)"""
    profile = recorded(["-O2", "-g", "-fno-thread-jumps", *UNCONVERTED], "optimized")
    ours, truth = lines_of("optimized"), gcov_lines()
    for line in {3, 6, 7, 8, 24, 25, 27} - {place(text, SOURCE) for text in inlined_without_line()}:
        check(ours.get(line) == truth[line], f"line {line}: {ours.get(line)}, gcov says {truth[line]}")
    check(profile.value("select count(*) from expressions where function_name = 'is_odd'") > 0,
          "is_odd has no expressions of its own")
    never = profile.rows("select count from expressions where function_name = 'never'")
    check(never and all(count == 0 for (count,) in never), "never ran")
    call = SOURCE.splitlines().index("    never(argc);") + 1
    check(call not in ours, "a call that was optimized away has a count")
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


def copies_are_told_apart():
    """Each by the function it went to, and by the calls and macros it came through."""
    profile = recorded(["-O2", "-g", "-fno-tree-vectorize"], "macros", MACROS)
    wrong = profile.rows("select e.id, e.count, sum(c.count) from expressions e"
                         " left join copies c on c.expression = e.id group by e.id"
                         " having e.count is not sum(c.count)")
    check(not wrong, f"copies do not add up: {wrong}")
    here = place("if (n % 3 == 0)")
    copies = profile.rows("select within_name, through, max(count) from copies where kind = 'code'"
                          f" and line = {here} group by within_name, expansion order by 1, 2")
    called, own = place("twice(i)"), place("return scale(n) +")
    last = place("return scale(argc)")
    truth = [("main", f"scale at e.c:{last}:10", 1),
             ("outer", f"scale at e.c:{own}:10 in twice at e.c:{called}:15", 4500),
             ("outer", f"scale at e.c:{own}:21 in twice at e.c:{called}:15", 4500)]
    check(copies == truth, f"copies of scale: {copies}")
    text = must([ASCRIBE, "report", "--source", "e.c", "--copies", "macros.ascribe"],
                directory=DIRECTORY).output
    check(f"in main: scale at e.c:{last}:10" in text, text)
    source, = json.loads(must([ASCRIBE, "report", "--source", "e.c", "--json", "macros.ascribe"],
                              directory=DIRECTORY).output)["source"]
    line = next(one for one in source["lines"] if one["line"] == here)
    through = [[(step["kind"], step["name"], step["line"]) for step in copy["through"]]
               for copy in line["copies"]]
    check(len(through) == 3 and [("inlined", "scale", last)] in through
          and through.count([("inlined", "scale", own), ("inlined", "twice", called)]) == 2, through)


def macros_have_their_text():
    """What a macro made counts once where it was expanded, and in its text, by expansion. Its
    lines are no lines of the program, as gcov has it."""
    for flags in ["-O0"], ["-O2", "-fno-tree-vectorize"]:
        profile = recorded([*flags, "-g"], "macros", MACROS)
        ours, truth = lines_of("macros"), gcov_lines()
        used = [place("TWICE(k)"), place("ADD(most + i)"), place("MAX(most, now)")]
        if "-O0" not in flags:
            used.pop()  # may become one instruction, of another line
        wrong = {line: (ours.get(line), truth[line]) for line in used
                 if ours.get(line) != truth[line]}
        check(not wrong, f"{flags}: ours, gcov's of the expansions: {wrong}")
        check(all(line >= place("if (n % 3") for line in ours), f"lines of macros: {sorted(ours)}")
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


def sums_are_those_without_inlining():
    """Where optimisation does not change what is executed: each line, whatever was inlined."""
    flags = ["-O1", "-g", *UNCONVERTED, "-fno-tree-loop-im"]
    recorded([*flags, "-finline-functions"], "macros", MACROS)
    inlined = lines_of("macros")
    profile = recorded([*flags, "-fno-inline"], "apart", MACROS)
    apart = lines_of("apart")
    check(profile.value("select count(*) from expansions where kind = 'inlined'") == 0, "inlined")
    lines = [place(text) for text in {"if (n % 3 == 0)", "return n * 2", "return n + 7", "return scale(n) +",
                                      "show(n);", "printf", "outer(k * 100)"} - inlined_without_line()]
    wrong = {line: (inlined.get(line), apart.get(line)) for line in lines
             if inlined.get(line) != apart.get(line) or not apart.get(line)}
    check(not wrong, f"with and without inlining: {wrong}")


def loops_have_trips():
    for optimization in "-O0", "-O2":
        profile = recorded([optimization, "-g"], "macros", MACROS)
        loops = dict(profile.rows("select line, group_concat(count) from (select * from expressions"
                                  " where kind = 'loop' order by line, way) group by line"))
        entered = 10 if optimization == "-O0" else 9  # the first time it has no trips
        truth = {place("i < n"): f"{entered},4500", place("k < 10"): "1,10"}
        check(loops == truth, f"{optimization}: {loops}")
        text = must([ASCRIBE, "report", "--source", "outer", "macros.ascribe"],
                    directory=DIRECTORY).output
        check(f"loop entered {entered} times, {4500 // entered} trips each" in text, text)


def what_is_gone_is_said():
    """No code is left of a line, which is not the same as code that never ran."""
    source = SOURCE.replace("int steps = 0;", "int steps = 0, twice = 2 * n, unused = twice;")
    profile = recorded(["-O0", "-g"], "all", source)
    check(profile.value("select count(*) from expressions where kind = 'gone'") == 0, "at -O0")
    profile = recorded(["-O2", "-g"], "gone", source)
    check(profile.value("select count(*) from expressions where kind = 'gone' and count is not null")
          == 0, "executions of what is gone")
    away, never = place("never(argc);", source=source), place("return n + 1;", source=source)
    report, = json.loads(must([ASCRIBE, "report", "--json", "--source", "e.c", "gone.ascribe"],
                              directory=DIRECTORY).output)["source"]
    lines = {line["line"]: line for line in report["lines"]}
    check(lines[away]["gone"] and lines[away]["executed"] is None, str(lines[away]))
    check(not lines[never]["gone"] and lines[never]["executed"] == 0, str(lines[never]))
    check(not lines[place("sum += scale", source=source)]["gone"], "a call that was inlined")
    text = must([ASCRIBE, "report", "--source", "e.c", "gone.ascribe"], directory=DIRECTORY).output
    check(any(line.split()[:2] == ["gone", str(away)] for line in text.splitlines()), text)


def calls_that_were_inlined():
    recorded(["-O2", "-g"], "macros", MACROS)
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
    for option in "--expressions", "--source-counts":
        must([ASCRIBE, "c++", option, "-O0", "-g", "serves.cc", "-o", "serves"], directory=DIRECTORY)
        must([ASCRIBE, "record", "-q", "-r", "0", "-o", "serves.ascribe", "./serves"], directory=DIRECTORY)
        rows = Profile(DIRECTORY / "serves.ascribe").rows(
            "select line, max(count) from expressions where kind = 'code' and file like '%serves.cc'"
            " and source_column > ? group by line", len("    if (i & 1)"))
        found = {lines[line].strip(): count for line, count in rows}
        for text, times in (('if (i & 1) throw std::runtime_error("odd");', 8),
                            ("if (i & 2) throw 1 + three(i);", 4), ("if (i & 4) throw item(i);", 2),
                            ("item *p = new item(i);", 16)):
            check(found[text] == times, f"{option}: {text} was executed {times} times, not {found[text]}")


def without_g():
    """Counts have no place in the source then, which is said."""
    profile = recorded(["-O2", "-g0"], "stripped")
    check(profile.value("select count(*) from expressions") == 0, "expressions without -g")
    check(profile.calls("main") == 1, "calls")
    report = must([ASCRIBE, "report", "stripped.ascribe"], directory=DIRECTORY).output
    check("build it with -g" in report, report)


def not_used_is_said():
    (DIRECTORY / "e.c").write_text(SOURCE)
    said = must([ASCRIBE, "cc", "--contexts", "--expressions", "--ascribe-explain", "-c", "e.c"],
                directory=DIRECTORY)
    check("--expressions needs counters" in said.output + said.errors, said.output + said.errors)


if __name__ == "__main__":
    harness.main(lines_equal_gcovs, copies_add_up, copies_are_told_apart, macros_have_their_text, expansions_count_once,
                 sums_are_those_without_inlining, loops_have_trips,
                 what_is_gone_is_said, calls_that_were_inlined, merged,
                 return_behind_tail_call, what_serves_is_no_execution, without_g, not_used_is_said)
