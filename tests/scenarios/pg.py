#!/usr/bin/env python3
"""Programs compiled with -pg under ascribe record: they do what they do alone, every call is
counted, in every thread and library and up to a kill, and no gmon.out is written. glibc's own mcount
loses calls where ours does not."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, PROGRAMS, Profile, check, must, run

DIRECTORY = harness.scratch("pg")

THREADS = """
#include <pthread.h>
#include <stdio.h>
static volatile unsigned long sum;
__attribute__((noinline)) void leaf(void) { sum++; }
__attribute__((noinline)) void *work(void *unused) {
  for (long i = 0; i < 2000000; i++) leaf();
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  puts("done");
  return 0;
}
"""
LIBRARY = """
static volatile unsigned long sum;
__attribute__((noinline)) void inner(void) { sum++; }
void outer(void) { for (int i = 0; i < 1000; i++) inner(); }
"""
LOADS = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
void outer(void);
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int numbers[] = {3, 1, 2};
  for (int i = 0; i < 10; i++) outer();
  void *loaded = dlopen("./libloaded.so", RTLD_NOW);
  void (*again)(void) = (void (*)(void))dlsym(loaded, "outer");
  for (int i = 0; i < 5; i++) again();
  dlclose(loaded);
  qsort(numbers, 3, sizeof *numbers, compare);
  return numbers[0] != 1;
}
"""
KILLED = """
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sum;
__attribute__((noinline)) void leaf(void) { sum++; }
int main(void) {
  for (int i = 0; i < 12345; i++) leaf();
  if (fork() == 0) { for (int i = 0; i < 55; i++) leaf(); }
  else wait(NULL);
  kill(getpid(), SIGKILL);
}
"""
CONTROLLED = """
#include <pthread.h>
#include <sys/gmon.h>
void moncontrol(int on); /* which some headers forget */
#include <sys/wait.h>
#include <unistd.h>
extern char __executable_start, etext;
static volatile unsigned long sum;
__attribute__((noinline)) void leaf(void) { sum++; }
__attribute__((noinline)) void unseen(void) { sum++; }
static void calls(void (*which)(void), int times) { for (int i = 0; i < times; i++) which(); }
static void *work(void *unused) { calls(unseen, 500); return unused; }
__attribute__((destructor)) static void last(void) { calls(leaf, 11); }
int main(void) {
  pthread_t thread;
  calls(leaf, 1000);
  moncontrol(0);
  calls(unseen, 5000);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  if (fork() == 0) {
    calls(unseen, 7);
    moncontrol(1);
    calls(leaf, 3);
    _exit(0);
  }
  wait(NULL);
  for (int i = 0; i < 20000; i++) {
    moncontrol(1);
    leaf();
    moncontrol(0);
    unseen();
  }
  moncontrol(1);
  _mcleanup();
  calls(unseen, 300);
  monstartup((unsigned long)&__executable_start, (unsigned long)&etext);
  calls(leaf, 40);
  return 0;
}
"""
SWITCHED = """
#include <stdio.h>
#include <sys/gmon.h>
void moncontrol(int on); /* which some headers forget */
#include <time.h>
static volatile unsigned long sum;
static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}
static long burn(long ns) {
  long start = now(), end = start;
  while (end - start < ns) { for (int i = 0; i < 20000; i++) sum += i; end = now(); }
  return end - start;
}
__attribute__((noinline)) static long seen(void) { return burn(300000) + 1; }
__attribute__((noinline)) static long unseen(void) { return burn(700000) + 2; }
int main(void) {
  long on = 0, off = 0;
  for (int i = 0; i < 700; i++) {
    moncontrol(1);
    on += seen();
    moncontrol(0);
    off += unseen();
  }
  printf("%ld %ld\\n", on, off);
  return 0;
}
"""


def build(name, source, *flags, compiler="gcc"):
    if "\n" in str(source):
        path = DIRECTORY / f"{name}.c"
        path.write_text(source)
        source = path
    must([compiler, "-pg", "-g", "-O1", "-pthread", "-o", DIRECTORY / name, source, *flags],
         directory=DIRECTORY)
    return DIRECTORY / name


def record(program, *options):
    """The program does the same as alone, but for gmon.out; its profile."""
    output = program.with_suffix(".ascribe")
    alone = run([program], DIRECTORY)
    (DIRECTORY / "gmon.out").unlink(missing_ok=True)
    result = run([ASCRIBE, "record", "-q", *options, "-o", output, "--", program], DIRECTORY)
    for what in ("ending", "output", "errors"):
        check(getattr(alone, what) == getattr(result, what),
              f"{what}: alone {getattr(alone, what)!r}, recorded {getattr(result, what)!r}")
    check(not (DIRECTORY / "gmon.out").exists(), "a gmon.out was written")
    return Profile(output)


def calls(profile, name):
    return profile.value("select sum(calls) from functions where name = "
                         f"'{name}' and kind = 'counted'")


def arc(profile, caller, callee):
    return profile.value("select sum(calls) from arcs where caller_name = "
                         f"'{caller}' and callee_name = '{callee}'")


def equal(got, expected):
    check(got == expected, f"{got}, not {expected}")


def of_glibc(program):
    """Calls of each function in the gmon.out that the program writes alone."""
    run([program], DIRECTORY)
    output = must(["gprof", "-b", "-p", program], directory=DIRECTORY).output
    return {match[2]: int(match[1]) for match in
            re.finditer(r"^(?:\s+[\d.]+){3}\s+(\d+)\s+[\d.]+\s+[\d.]+\s+(\S+)", output, re.M)}


def threads_lose_no_call():
    for flags in ((), ("-mfentry",), ("-no-pie",), ("-O2",), ("-fcf-protection=none",)):
        program = build("threads", THREADS, *flags)
        profile = record(program)
        equal(calls(profile, "leaf"), 4000000)
        equal(calls(profile, "work"), 2)
        equal(arc(profile, "work", "leaf"), 4000000)
        equal(arc(profile, "<spontaneous>", "main"), 1)
        equal(arc(profile, "<spontaneous>", "work"), 2)
    theirs = [of_glibc(program).get("leaf", 0) for _ in range(5)]
    check(min(theirs) < 4000000, f"glibc counted every call of two threads: {theirs}")
    return f"4000000 of 4000000 calls; glibc's mcount has {min(theirs)}"


def libraries_are_counted():
    build("libouter.so", LIBRARY, "-shared", "-fPIC")
    build("libloaded.so", LIBRARY, "-shared", "-fPIC")
    program = build("loads", LOADS, "-L.", "-louter", "-ldl", "-Wl,-rpath,$ORIGIN")
    profile = record(program)
    equal(arc(profile, "outer", "inner"), 15000)
    equal(arc(profile, "main", "outer"), 15)
    check(calls(profile, "compare") >= 2, "calls from libc's qsort")
    objects = profile.rows("select o.path, f.calls from functions f join objects o on o.path ="
                           " f.object where f.name = 'outer' order by 2")
    equal([(pathlib.Path(path).name, count) for path, count in objects],
          [("libloaded.so", 5), ("libouter.so", 10)])
    theirs = of_glibc(program)
    check("inner" not in theirs and "compare" not in theirs, f"glibc counted them: {theirs}")
    return f"glibc's mcount has {sorted(theirs) or 'nothing'} of it"


def killed_and_forked():
    profile = record(build("killed", KILLED))
    equal(calls(profile, "leaf"), 12345 + 55)
    equal(profile.value("select count(*) from processes"), 2)


def registers_are_kept():
    for name in ("arguments.c", "alloca.c", "nested.c", "exceptions.cc", "coroutine.c",
                 "longjmp.c"):
        path = PROGRAMS / name
        for flags in ((), ("-mfentry",), ("-O3",)):
            record(build(path.stem, path, *flags, "-lm", compiler=harness.BARE[path.suffix]))


def averages_mislead():
    """easy and hard call work equally often, and nearly all its time is hard's."""
    program = build("easy_hard", PROGRAMS / "easy_hard.c", "-fno-inline")
    record(program, "--rate", "5000")
    text = must([ASCRIBE, "report", "--misled", program.with_suffix(".ascribe")]).output
    rows = {match[4]: [float(match[i]) for i in (1, 2, 3)] for match in re.finditer(
        r"^\s+([\d.]+)\s+\S+\s+([\d.]+)\s+([+-][\d.]+)\s+(\S.*)$", text, re.M)}
    check("hard" in rows and "easy" in rows, text)
    total, assumed, _ = rows["hard"]
    check(0.4 < assumed / total < 0.6 and rows["easy"][0] < 0.5 * rows["easy"][1], text)


def tail_calls_are_put_back():
    """Ten million calls in turn between two functions that jump to each other: with -pg it is in doubt
    who made them."""
    program = DIRECTORY / "tail"
    must(["gcc", "-pg", "-g", "-O2", "-o", program, PROGRAMS / "tail.c"])
    told = set(record(program).rows(
        "select caller_name, callee_name, calls, tail_calls, doubtful_calls from arcs where calls > 0"
        " and callee_name in ('ping', 'pong')"))
    check(told == {("main", "ping", 5000001, 0, 5000001), ("ping", "pong", 5000000, 5000000, 0)}, told)


def static_arcs_are_listed():
    """calc4 is never called, and would call format1."""
    program = build("formats", harness.SOURCE / "docs" / "examples" / "formats.c")
    record(program)
    result = must([ASCRIBE, "report", "--static", "--limit", "all", program.with_suffix(".ascribe")])
    check(re.search(r" 0/400000 +calc4 ", result.output), result.output)
    check(re.search(r" 0/0 +calc4 ", result.output), result.output)
    plain = must([ASCRIBE, "report", "--limit", "all", program.with_suffix(".ascribe")])
    check("calc4" not in plain.output, plain.output)


def says_what_it_does():
    program = build("threads", THREADS)
    result = must([ASCRIBE, "record", "-o", "said.ascribe", "--", program], directory=DIRECTORY)
    check("write no gmon.out" in result.errors, result.errors)
    text = must([ASCRIBE, "report", "said.ascribe"], directory=DIRECTORY).output
    check("counted by -pg" in text, text)


def profiles_that_programs_stop():
    """moncontrol, _mcleanup, monstartup: each thread and child; as often as it likes."""
    profile = record(build("controlled", CONTROLLED))
    equal(calls(profile, "leaf"), 1000 + 3 + 20000 + 40 + 11)
    equal(calls(profile, "unseen"), None)
    equal(profile.value("select dropped_transitions from runs"), 0)


def times_between_stops():
    """Each of these stretches is shorter than a period."""
    program = build("switched", SWITCHED)
    with harness.TickYield(DIRECTORY, 1000000) as machine:
        output = must([ASCRIBE, "record", "-q", "-o", "switched.ascribe", "--", program],
                      directory=DIRECTORY).output
    on, off = map(int, output.split())
    profile = Profile(DIRECTORY / "switched.ascribe")
    paused = profile.value("select paused_ns from runs")
    check(abs(paused - off) < 0.04 * off, f"{paused} ns in pauses, not {off}")
    ticks = profile.value("select ticks from runs")
    machine.check(ticks * 1e6, on, within=5 / (on / 1e6) ** 0.5)
    equal(profile.value("select sum(self_ticks) from functions where name = 'unseen'"), 0)


def times_of_callees_without_counts():
    """What libc does for a function is its own time for gprof, too: format1 has one caller, and its calls
    of snprintf, several functions deep, mislead nobody."""
    program = build("formats", harness.SOURCE / "docs" / "examples" / "formats.c")
    record(program)
    text = must([ASCRIBE, "report", "--misled", program.with_suffix(".ascribe")]).output
    rows = set(re.findall(r"[+-]\d+\.\d+  (\w+)$", text, re.M))
    check({"calc2", "calc3"} <= rows and not {"main", "calc1", "format1"} & rows, text)


def libraries_apart():
    """Their mcount is libc's: that nothing is counted is said."""
    build("libouter.so", LIBRARY, "-shared", "-fPIC")
    build("libapart.so", LIBRARY, "-shared", "-fPIC")
    program = build("loads_apart", LOADS.replace("./libloaded.so", "./libapart.so").replace(
        "RTLD_NOW", "RTLD_NOW | RTLD_DEEPBIND").replace("dlclose(loaded);", "").replace(
            "#include", "#define _GNU_SOURCE\n#include", 1),
        "-L.", "-louter", "-ldl", "-Wl,-rpath,$ORIGIN")
    profile = record(program)
    equal(arc(profile, "outer", "inner"), 10000)
    said = dict(profile.rows("select path, uncounted from objects"))
    equal([pathlib.Path(path).name for path, why in said.items() if why], ["libapart.so"])
    text = must([ASCRIBE, "report", program.with_suffix(".ascribe")]).output
    check(re.search(r"uncounted .*libapart.so has hooks, but no call was counted: .*RTLD_DEEPBIND",
                    text), text)


def programs_without_calls():
    """Nothing was counted, and it is a -pg program all the same."""
    (DIRECTORY / "idle.c").write_text("int main(void) { return 0; }")
    must(["gcc", "-c", "idle.c"], directory=DIRECTORY)
    program = DIRECTORY / "idle"
    must(["gcc", "-pg", "-o", program, "idle.o"], directory=DIRECTORY)
    result = must([ASCRIBE, "record", "-o", "idle.ascribe", "--", program], directory=DIRECTORY)
    check("write no gmon.out" in result.errors, result.errors)
    check("-pg" in Profile(DIRECTORY / "idle.ascribe").value("select hooks from runs"), "hooks")


def static_ones_are_told():
    program = build("static", THREADS, "-static")
    result = run([ASCRIBE, "record", "--", program], DIRECTORY)
    check(result.status == 0 and "(-pg) cannot be counted" in result.errors, result.errors)


def merged_and_saved():
    program = build("killed", KILLED)
    record(program)
    one = program.with_suffix(".ascribe")
    must([ASCRIBE, "merge", "-q", "--force", "-o", "sum.ascribe", one, one], directory=DIRECTORY)
    equal(calls(Profile(DIRECTORY / "sum.ascribe"), "leaf"), 2 * (12345 + 55))


def main():
    failed = 0
    for case in (threads_lose_no_call, libraries_are_counted, killed_and_forked,
                 registers_are_kept, averages_mislead,
                 tail_calls_are_put_back, static_arcs_are_listed, says_what_it_does,
                 profiles_that_programs_stop, times_between_stops, times_of_callees_without_counts, libraries_apart, programs_without_calls, static_ones_are_told,
                 merged_and_saved):
        try:
            print(f"ok      {case.__name__}", case() or "", flush=True)
        except harness.Failure as failure:
            failed += 1
            print(f"FAILED  {case.__name__}: {failure}", flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
