#!/usr/bin/env python3
"""`ascribe cc --expressions`: what the source executes, however it is optimised. Lines equal those
that gcov counts in an unoptimised build."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import gcov_blocks
import harness
from expressions import SOURCE
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("oracle-source-counts")

CPP = """#include <cstdio>
#include <stdexcept>
#include <vector>
template <typename T> struct box {
  T value;
  explicit box(T v) : value(v) {}
  T twice() const {
    return value + value;
  }
};
struct guard {
  int *count;
  ~guard() {
    ++*count;
  }
};
static int risky(int n) {
  if (n % 3 == 0)
    throw std::runtime_error("three");
  return n;
}
template <typename T> T sum(const std::vector<T> &all) {
  T total{};
  for (const T &one : all)
    total += one;
  return total;
}
static int tries(int n) {
  int released = 0, caught = 0;
  for (int i = 0; i < n; i++) {
    guard g{&released};
    try {
      risky(i);
    } catch (const std::exception &) {
      caught++;
    }
  }
  return released * 100 + caught;
}
struct shape {
  virtual int sides() const {
    return 0;
  }
};
struct square : shape {
  int sides() const override {
    return 4;
  }
};
int main() {
  std::vector<int> whole;
  std::vector<double> broken;
  for (int i = 0; i < 10; i++)
    whole.push_back(i), broken.push_back(i / 2.0);
  box<int> b(3);
  shape plain;
  square q;
  const shape *volatile shapes[] = {&plain, &q};
  std::printf("%d %g %d %d %d\\n", sum(whole), sum(broken), tries(10), b.twice(),
              shapes[0]->sides() + shapes[1]->sides());
  return 0;
}
"""

THREADS = """#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
static volatile int sink;
static int step(int n) {
  return n + 1;
}
static int other(int n) {
  return n - 1;
}
static int (*volatile steps[2])(int) = {step, other};
static void on_alarm(int number) {
  sink = step(number);
}
static void *work(void *argument) {
  int n = 0;
  for (int i = 0; i < 200000; i++) {
    n = step(n);
    n = steps[i & 1](n);
  }
  sink = n;
  return argument;
}
int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, 0);
  struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, 0);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], 0);
  setitimer(ITIMER_REAL, &never, 0);
  return 0;
}
"""


def compiler(source, ascribe):
    suffix = pathlib.Path(source).suffix
    return [ASCRIBE, harness.INSTRUMENTED[suffix]] if ascribe else [harness.BARE[suffix]]


def record(source, text, flags, name):
    (DIRECTORY / source).write_text(text)
    must([*compiler(source, True), "--expressions", *flags, source, "-o", name], directory=DIRECTORY)
    result = harness.record(f"./{name}", DIRECTORY, ["--quiet", "--rate", "0"],
                            output=f"{name}.ascribe")
    check(result.status == 0, result.errors)
    return Profile(DIRECTORY / f"{name}.ascribe")


def lines_of(name, source):
    """What the export says of each line of the file."""
    text = must([ASCRIBE, "export", "--to", "lcov", f"{name}.ascribe", "-o", "-"],
                directory=DIRECTORY).output
    of_file = re.search(rf"^SF:[^\n]*/{re.escape(source)}\n(.*?)^end_of_record", text, re.S | re.M)
    check(of_file, text)
    return {int(line): int(count)
            for line, count in re.findall(r"^DA:(\d+),(\d+)", of_file.group(1), re.M)}


def gcov_lines(source):
    must([*compiler(source, False), "--coverage", "-O0", source, "-o", "judged"],
         directory=DIRECTORY)
    data = f"judged-{pathlib.Path(source).stem}.gcda"
    (DIRECTORY / data).unlink(missing_ok=True)
    must(["./judged"], directory=DIRECTORY)
    text = must(["gcov", "--json-format", "--stdout", data], directory=DIRECTORY).output
    counts = {}
    for file in json.loads(text)["files"]:
        for line in file["lines"] if file["file"] == source else []:
            number = line["line_number"]
            counts[number] = counts.get(number, 0) + line["count"]
    return counts


def parted_lines(source):
    """Of functions that have others' code in them, inlined even at -O0 (libstdc++'s iterators since GCC 16):
    for gcov control comes back from there to a line that it is still in."""
    found = set()
    for function in gcov_blocks.functions_of(DIRECTORY / f"judged-{pathlib.Path(source).stem}.gcno"):
        lines = {line for block in function.lines for line in block}
        if len({file for file, _ in lines}) > 1:
            found |= {line for file, line in lines if pathlib.Path(file).name == source}
    return found


def expect_gcovs(source, text):
    truth = parted = None
    for level in "-O0", "-O2", "-O3", "-Os":
        name = source.replace(".", "_") + level
        record(source, text, [level], name)
        truth = truth or gcov_lines(source)
        parted = parted_lines(source) if parted is None else parted
        ours = lines_of(name, source)
        wrong = {line: (ours.get(line), truth.get(line)) for line in set(ours) | set(truth)
                 if ours.get(line) != truth.get(line)
                 and not (line in parted and 0 < ours.get(line, 0) < truth.get(line, 0))}
        check(not wrong, f"{source} {level}: line: (ours, gcov's): {wrong}")


def lines_equal_gcovs():
    expect_gcovs("e.c", SOURCE)


def exceptions_and_templates_too():
    expect_gcovs("x.cc", CPP)


SHARED_BLOCK = """struct list { int count; int items[4]; };
struct state { struct list *list; int none; } whole;
int *find(struct state *state, int index) {
  struct list *list = state->list;
  return (index <= list->count) ? &list->items[index - 1]
                                : &state->none;
}
int main(void) {
  struct list list = {4, {0}};
  whole.list = &list;
  for (int i = 1; i < 4; i++)
    find(&whole, i);
  return 0;
}
"""


def lines_that_gcov_counts_twice():
    """Both blocks of line 5 end on line 6: gcov has their sum.  Of gcov's blocks it follows, too."""
    record("twice.c", SHARED_BLOCK, ["-O0"], "twice")
    truth, ours = gcov_lines("twice.c"), lines_of("twice", "twice.c")
    check(ours[5] == 3 and truth[5] == 6, f"line 5: {ours[5]}, gcov's: {truth[5]}")
    check({**ours, 5: 6} == truth, f"{ours}, gcov's: {truth}")
    functions = gcov_blocks.functions_of(DIRECTORY / "judged-twice.gcno")
    for lines, expected in ((gcov_blocks.line_counts(functions), ours),
                            (gcov_blocks.gcovs_line_counts(functions), truth)):
        lines = {line: count for (_, line), count in lines.items()}
        check(lines == expected, f"by blocks: {lines}, not {expected}")


# By the text of a line: executions.  `again` is jumped to; both clean-ups of `risky` are on its line;
# in `again.c*` control comes back to lines from those below.
PLACES = {
    "places.c": ("""#include <stdio.h>
static int use(int *a) {
  return *a;
}
static int once(int n) {
  int local = n;
  return use(&local);
}
static int jumps(int n) {
  int s = 0;
again:
  s += n;
  if (n-- > 0)
    goto again;
  return s;
}
extern inline __attribute__((gnu_inline, always_inline)) int doubled(int n) {
  return 2 * n;
}
int main(void) {
  char text[20];
  int length = snprintf(text, sizeof text,
                        "%d", doubled(once(3)) +
                                  jumps(4));
  return length < 0;
}
""", {"return *a;": 1, "s += n;": 5, "return s;": 1, "return 2 * n;": 1,
      "int length = snprintf(text, sizeof text,": 1, "return length < 0;": 1}),
    "places.cc": ("""#include <cstdio>
struct guard {
  ~guard() {
    std::putchar('.');
  }
};
static void fail() {
  throw 1;
}
static void risky() {
  guard one, other; fail();
}
struct made_up {
  guard inside;
};
static int first = std::putchar('!');
int main() {
  made_up thing;
  for (int i = 0; i < 3; i++) {
    try {
      risky();
    } catch (int) {
      first++;
    }
  }
  return first == 0;
}
""", {"guard one, other; fail();": 3, "first++;": 3, "std::putchar('.');": 7, "risky();": 3,
      "struct made_up {": None}),
    "again.cc": ("""#include <cstdio>
struct made {
  int value;
  int operator()() const {
    return value;
  }
};
static int tripled(int n) {
  return 3 * n;
}
static int mixed(int a, int b) {
  return a ^ b;
}
static int price(const made &one, const int *table, int price) {
  price += tripled(table[0]) +
           tripled(table[one()]) +
           mixed(table[1], table[2]);
  return price;
}
int main() {
  made two{2};
  int sum = 0, table[] = {1, 2, 3, 4};
  for (int i = 0; i < 100; i++)
    sum += price(two,
                 table, i);
  std::printf("%d\\n", sum);
}
""", {"price += tripled(table[0]) +": 100, "tripled(table[one()]) +": 100,
      "mixed(table[1], table[2]);": 100, "for (int i = 0; i < 100; i++)": 101,
      "sum += price(two,": 100}),
    "again.c": ("""#include <stdio.h>
static int rest = 3, table[4] = {3, 1, 3, 2};
static int state(int n) {
  int found = (0 <= n && table[n & 3] == 1
               ? table[n & 3]
               : rest);
  return found;
}
int main(void) {
  int sum = 0;
  for (int i = -10; i < 10; i++)
    sum += state(i);
  printf("%d\\n", sum);
  return 0;
}
""", {"? table[n & 3]": 3, ": rest);": 20, "for (int i = -10; i < 10; i++)": 21,
      "sum += state(i);": 20}),
    "places.f90": ("""program places
  integer k, few, many
  few = 0
  many = 0
  do k = 1, 60
    select case (mod(k, 3))
    case (0)
      few = few + 1
    case default
      many = many + 1
    end select
  end do
  print *, few
  print *, many
end program
""", {"few = few + 1": 20, "few = 0": 1, "print *, few": 1, "print *, many": 1}),
}


def lines_that_are_easily_wrong():
    """Known by heart, at each level; without -g."""
    for source, (text, expected) in PLACES.items():
        numbers = {line.strip(): number for number, line in enumerate(text.splitlines(), 1)}
        for level in "-O0", "-Og", "-O1", "-O2", "-O3", "-Os":
            name = f"{source}{level}"
            record(source, text, [level], name)
            lines = lines_of(name, source)
            for line, count in expected.items():
                found = lines.get(numbers[line])
                check(found == count, f"{source} {level}: {line} {found}, not {count}")


def functions_that_were_never_called():
    """The export has them, though nothing says so but their counters; what nobody wrote it has not."""
    for source, text in ("e.c", SOURCE), ("places.cc", PLACES["places.cc"][0]):
        for flags in [], ["-g"]:
            record(source, text, ["-O2", *flags], "functions")
            tracefile = must([ASCRIBE, "export", "--to", "lcov", "functions.ascribe", "-o", "-"],
                             directory=DIRECTORY).output
            calls = {name: int(count) for count, name in
                     re.findall(r"^FNDA:(\d+),(.*)$", tracefile, re.M)}
            if source == "e.c":
                check(calls["never"] == 0 and calls["main"] == 1, f"{flags} {calls}")
            else:
                check(sorted(calls.values()) == [1, 3, 3, 7], f"{flags} {calls}")


def sources_that_are_gone_are_told():
    """Who reads tracefiles looks for them."""
    record("gone.c", SOURCE, ["-O2"], "gone")
    export = [ASCRIBE, "export", "--to", "lcov", "gone.ascribe", "-o", "gone.info"]
    check("not there" not in run(export, DIRECTORY).errors, "it is there")
    (DIRECTORY / "gone.c").unlink()
    result = run(export, DIRECTORY)
    check(result.status == 0 and "/gone.c is not there to be read: genhtml" in result.errors, result.errors)


def calls_are_the_sources():
    """At -O2 all of these are inlined, or are no functions any more."""
    profile = record("e.c", SOURCE, ["-O2"], "calls")
    truth = gcov_lines("e.c")
    lines = {text.strip(): number for number, text in enumerate(SOURCE.splitlines(), 1)}
    for function, first in (("is_odd", "return n & 1;"), ("scale", "if (n % 3 == 0)"),
                            ("collatz", "int steps = 0;"), ("never", "return n + 1;")):
        check(profile.calls(function) == truth[lines[first]],
              f"{function}: {profile.calls(function)}, its line {truth[lines[first]]}")
    check(profile.rows("select calls from functions where name = 'never'") == [(0,)],
          "that a function was never called is known")
    check(profile.arc("collatz", "is_odd") + profile.arc("main", "is_odd") ==
          truth[lines["return n & 1;"]], "calls of is_odd")


def calls_by_inline_code_of_libraries():
    """A function that a system header leaves to a library has no counters where it is inlined, either.
    What it calls has some: its own calls come on top where it was inlined, from code without counters.
    What counted code calls is the same."""
    (DIRECTORY / "box.h").write_text("""#pragma GCC system_header
template <typename T> inline T doubled(T value) { return value + value; }
template <typename T> struct box { T value; T twice() const; };
template <typename T> inline T box<T>::twice() const { return doubled(value); }
extern template struct box<int>;
""")
    (DIRECTORY / "box.cc").write_text('#include "box.h"\ntemplate struct box<int>;\n')
    must([*compiler("box.cc", False), "-O2", "-c", "box.cc", "-o", "box.o"], directory=DIRECTORY)
    source = """#include "box.h"
int main() {
  volatile int sum = 0;
  for (int i = 0; i < 100; i++) sum = box<int>{i}.twice();
  for (int i = 0; i < 7; i++) sum = doubled(i);
}
"""
    for flags, by_library in ([], 100), (["--ascribe-placement=all"], 100), (["-fno-inline"], 0):
        profile = record("boxes.cc", source, ["-O2", *flags, "box.o"], "boxes")
        calls = dict(profile.rows("select case when caller is not null then caller_name end, sum(calls)"
                                  " from call_sites where callee_name like '%doubled%' group by 1"))
        check(calls.pop(None, 0) == by_library and calls == {"main": 7}, f"{flags}: {calls}")
        check(not profile.rows("select 1 from functions where kind = 'counted' and name like '%twice%'"),
              "box::twice is counted")


def conditions_are_not_joined():
    """What stands behind `||` and `&&` is executed by the source's rules, whatever optimisation could
    make of it."""
    source = """volatile int yes = 1, no = 0;
static int either(int a, int b) {
  if (!a
      || !b)
    return 1;
  return 2;
}
static int both(int a, int b) {
  if (a
      && b)
    return 1;
  return 2;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 20; i++) sum += either(no, yes) + both(no, yes);
  return sum != 60;
}
"""
    record("joined.c", source, ["-O2"], "joined")
    lines = lines_of("joined", "joined.c")
    numbers = {text.strip(): number for number, text in enumerate(source.splitlines(), 1)}
    for text in "|| !b)", "&& b)":
        check(lines[numbers[text]] == 0, f"{text} was executed {lines[numbers[text]]} times, not 0")


def exact_under_threads_and_signals():
    profile = record("threads.c", THREADS, ["-O2", "-pthread"], "threads")
    lines = lines_of("threads", "threads.c")
    handled = profile.calls("on_alarm")
    numbers = {text.strip(): number for number, text in enumerate(THREADS.splitlines(), 1)}
    for text, expected in (("n = step(n);", 800000), ("n = steps[i & 1](n);", 800000),
                           ("return n + 1;", 1200000 + handled), ("return n - 1;", 400000)):
        check(lines[numbers[text]] == expected, f"{text} {lines[numbers[text]]}, not {expected}")
    check(profile.arc("work", "step") == 1200000, f"step: {profile.arc('work', 'step')}")
    check(profile.arc("work", "other") == 400000, f"other: {profile.arc('work', 'other')}")


def profiles_say_which():
    """A program whose source is counted, with a library where only calls of the optimized program are."""
    (DIRECTORY / "part.c").write_text("int part(int n) { int s = 0;\n while (n--)\n  s += n;\n return s; }\n")
    (DIRECTORY / "whole.c").write_text(
        "#include <stdio.h>\nint part(int);\nstatic int all(int n) {\n  return part(n) + 1;\n}\n"
        "int main(void) {\n  printf(\"%d\\n\", all(5));\n  return 0;\n}\n")
    must([ASCRIBE, "cc", "-O2", "-g", "-fPIC", "-shared", "part.c", "-o",
          "libpart.so"], directory=DIRECTORY)
    must([ASCRIBE, "cc", "--expressions", "-O2", "-g", "whole.c", "-L.", "-lpart",
          "-Wl,-rpath,$ORIGIN", "-o", "whole"], directory=DIRECTORY)
    must([ASCRIBE, "record", "--quiet", "-o", "whole.ascribe", "./whole"], directory=DIRECTORY)
    profile = Profile(DIRECTORY / "whole.ascribe")
    counted = {path.rpartition("/")[2]: what for path, what in
               profile.rows("select path, counted from objects where counted is not null")}
    check(counted == {"whole": "source", "libpart.so": "optimized"}, f"{counted}")
    check(profile.calls("all") == 1 and profile.arc("all", "part") == 1, "calls across objects")
    head = must([ASCRIBE, "report", "whole.ascribe"], directory=DIRECTORY).output
    check("the source's own calls" in head and "calls after inlining" in head, head)
    text = must([ASCRIBE, "report", "--source", "whole.c", "whole.ascribe"], directory=DIRECTORY).output
    check("executed   by the source, before" in text, text)
    check(not profile.rows("select 1 from expressions where function_name = 'part'"), "part was executed")
    report = json.loads(must([ASCRIBE, "report", "--json", "whole.ascribe"],
                             directory=DIRECTORY).output)
    check({"source", "optimized"} <= {entry["counted"] for entry in report["objects"]}, "JSON")


def what_is_not_used_is_said():
    (DIRECTORY / "e.c").write_text(SOURCE)
    for name in "--expressions", "--source-counts": # its former name
        said = must([ASCRIBE, "cc", name, "--ascribe-explain", "-c", "e.c"], directory=DIRECTORY).output
        check("executions of the source" in said, said)
    said = must([ASCRIBE, "cc", "--contexts", "--expressions", "--ascribe-explain", "-c", "e.c"],
                directory=DIRECTORY).output
    check("--expressions needs counters" in said, said)


def link_time_optimization_is_refused():
    """Where units are compiled and, for those that were compiled otherwise, where they are linked."""
    (DIRECTORY / "e.c").write_text(SOURCE)
    counting, named = [ASCRIBE, "cc", "--expressions", "-O2"], "--expressions.*cannot be combined with.*-flto"
    result = run([*counting, "-flto", "-c", "e.c"], directory=DIRECTORY)
    check(result.status != 0 and re.search(named, result.errors), result.errors)
    must([ASCRIBE, "cc", "-O2", "-flto", "-c", "e.c", "-o", "lto.o"], directory=DIRECTORY)
    result = run([*counting, "-flto", "lto.o", "-o", "lto"], directory=DIRECTORY)
    check(result.status != 0 and re.search(named, result.errors), result.errors)
    must([*counting, "-flto", "-fno-lto", "e.c", "-o", "whole"], directory=DIRECTORY)


if __name__ == "__main__":
    harness.main(lines_equal_gcovs, exceptions_and_templates_too, lines_that_gcov_counts_twice,
                 lines_that_are_easily_wrong, functions_that_were_never_called, sources_that_are_gone_are_told,
                 calls_are_the_sources, calls_by_inline_code_of_libraries,
                 conditions_are_not_joined, exact_under_threads_and_signals, profiles_say_which, what_is_not_used_is_said,
                 link_time_optimization_is_refused)
