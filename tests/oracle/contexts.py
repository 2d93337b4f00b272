#!/usr/bin/env python3
"""Calls of each context, by call site, equal those of a slow reference (call_trace.py):
contexts.py TRACER c|c++|killed-c|killed-c++ FIRST_SEED SEEDS [LEVEL...], contexts.py TRACER tcc

Random programs (context_program.py), and tcc compiling a small file. The reference is a trace of another run of the
same program, which does the same each time. Runs that are killed at random moments have recorded the first calls of
that trace, and their books balance."""

import collections
import os
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "real"), str(HERE)]
import call_trace
import harness
from context_program import ContextProgram
from harness import ASCRIBE, Profile, check, must

LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")


def written(history):
    return " ".join(name if marked else f"({name})" for name, marked in history) or "<root>"


def compare(ours, reference):
    wrong = [f"{written(key[0])}, at {'?' if key[1] is None else hex(key[1])}, -> {written(key[2])}:"
             f" {ours[key]}, the reference has {reference[key]}"
             for key in sorted(set(ours) | set(reference), key=str) if ours[key] != reference[key]]
    check(not wrong, f"{len(wrong)} differ:\n    " + "\n    ".join(wrong[:12]))


def by_context(profile):
    """The view's own figures."""
    return dict(profile.rows("select id, calls from contexts where calls"))


def check_view(profile):
    into = collections.Counter()
    for context, calls in profile.rows("select to_context, calls from raw_transitions"):
        into[context] += calls
    check(by_context(profile) == +into, "the view contexts has other calls than the transitions")


def compare_program(tracer, program, objects, arguments, directory):
    name = program.name
    result = harness.record(program, directory, ["--quiet", "--rate", "0"], arguments, f"{name}.ascribe",
                            timeout=60)
    traced, reference = call_trace.trace(tracer, program, objects, directory, arguments)
    check((result.ending, result.output) == (traced.ending, traced.output),
          f"{name}: recorded it did {result.ending} {result.output[:200]}, traced {traced.ending} {traced.output[:200]}"
          f" {traced.errors}")
    profile = Profile(directory / f"{name}.ascribe")
    check_view(profile)
    calls = reference.calls()
    compare(call_trace.recorded_calls(profile, reference.code, program), calls)
    check(calls, "no calls")
    contexts = len({callee for _, _, callee in calls})
    return (f"{sum(calls.values())} calls, {reference.tails} of them tail calls, {contexts} contexts,"
            f" {len(calls)} arcs")


def build_random(language, seed, level, directory, fuel, also=()):
    """The program and its object."""
    is_cxx = language == "c++"
    source = directory / ("program.cc" if is_cxx else "program.c")
    source.write_text(ContextProgram(seed, is_cxx, fuel).text())
    compiler = [ASCRIBE, "c++" if is_cxx else "cc", "--contexts"]
    compiled = directory / "program.o"
    must([*compiler, "-w", "-g", level, "-c", source, "-o", compiled])
    must([*compiler, compiled, *also, "-o", directory / "program"])
    return directory / "program", compiled


def compare_random(tracer, language, seed, level):
    directory = harness.scratch(f"contexts-{language}-{seed}{level}")
    program, compiled = build_random(language, seed, level, directory, 1000)
    return compare_program(tracer, program, [compiled], [], directory)


def check_books(profile):
    """Calls of a function are those of the arcs into it and its recursive ones; those of an arc are its call sites';
    all ticks are somewhere."""
    check(profile.value("select max(truncated) from processes") == 0, "a part of the recording was missing")
    for what, query in (
            ("arcs", "select name, calls - recursive_calls, (select coalesce(sum(calls), 0) from arcs"
                     " where callee = f.id) from functions f where kind = 'counted'"),
            ("call sites", "select name, calls, (select coalesce(sum(calls), 0) from call_sites"
                           " where callee = f.id) from functions f where kind = 'counted'"),
            ("contexts", "select name, calls, (select coalesce(sum(calls), 0) from contexts"
                         " where function = f.id) from functions f where kind = 'counted'"),
            ("ticks", "select 'all', ticks - dropped_ticks, (select sum(self_ticks) from contexts)"
                      " + (select sum(profiler_ticks) from processes) from runs")):
        wrong = [row for row in profile.rows(query) if row[1] != row[2]]
        check(not wrong, f"the books of {what} do not balance: {wrong[:5]}")
    check_view(profile)


def compare_killed(tracer, language, seed, level, kills=24):
    """SIGKILL at random moments: what was recorded are the first calls of the whole run, without a gap."""
    directory = harness.scratch(f"killed-{language}-{seed}{level}")
    must(["gcc", "-O2", "-c", HERE / "kill_after.c", "-o", directory / "kill_after.o"])
    program, compiled = build_random(language, seed, level, directory, 2000, [directory / "kill_after.o"])
    _, reference = call_trace.trace(tracer, program, [compiled], directory)
    harness.record(program, directory, ["--quiet", "--rate", "1000"], output="whole.ascribe")
    whole = Profile(directory / "whole.ascribe")
    check_books(whole)
    compare(call_trace.recorded_calls(whole, reference.code, program), reference.calls())
    lasts_us = max(2000, whole.value("select user_ns + system_ns from runs") // 1000)
    moments = random.Random(f"{language} {seed} {level}")
    found, killed = set(), 0
    for number in range(kills):
        after = int(lasts_us * moments.random() ** 2) + 1
        result = harness.record(program, directory, ["--quiet", "--rate", "1000"], output=f"{number}.ascribe",
                                environment={"KILL_AFTER": after})
        killed += result.status == -9
        profile = Profile(directory / f"{number}.ascribe")
        check_books(profile)
        ours = call_trace.recorded_calls(profile, reference.code, program)
        total = sum(ours.values())
        found.add(total)
        try:
            compare(ours, reference.calls(total))
        except harness.Failure as failure:
            check(False, f"killed after {after} us, {total} of {len(reference.steps)} calls: {failure}")
    check(killed and len(found) > 3, f"{killed} were killed, {len(found)} had different numbers of calls")
    return f"{kills} runs, {killed} killed, after {min(found)} to {max(found)} of {len(reference.steps)} calls"


TCC_INPUT = """
enum kind { NONE, SUM = 5, PRODUCT };
struct node { enum kind kind; struct node *left, *right; union { int value; double real; } of; };
typedef int visitor(struct node *, void *);
#define EACH(what) what(left) what(right)
static int walk(struct node *node, visitor *visit, void *data) {
  int found = 0;
  if (!node) return 0;
#define STEP(side) found += walk(node->side, visit, data);
  EACH(STEP)
  switch (node->kind) {
  case SUM: return found + visit(node, data);
  case PRODUCT: return (found << 1) ^ visit(node, data);
  default: break;
  }
  for (int i = 0, j = 9; i < j; i++, j--) found = found ? found * (i + j) - 3 : sizeof(struct node) % 7;
  return found;
}
static const char *const names[] = {"none", "sum" " of", [PRODUCT] = "product\\n"};
"""
TCC_INPUT_PART = """
int values_%d[4][3] = {{1, 2, 3}, {4 * 5 + 6, -7, 8 >> 1}};
double mean_%d(double a, float b, ...) { return a > b && b != 0 ? (a + b) / 2 : -a * 1.5e3; }
int count_%d(struct node *node, void *data) {
  char text[40];
  struct node copy = *node, *last = &copy;
  do last = last->left ? last->left : last->right; while (last && last->of.value < 7);
  goto *(data ? &&some : &&none);
none:
  return names[node->kind][0] + text[copy.of.value & 31];
some:
  return walk(node, count_%d, last) + values_%d[1][2] + (int)mean_%d(copy.of.real, 2.5f);
}
"""


def compare_tcc(tracer):
    from program_builds import BENCH, Builds, fetch
    fetch("tcc")
    builds, said = Builds("tcc"), []
    for flags in (["-O2", "-g"], ["-O0", "-g"]):
        built = builds.program("--contexts", flags)
        directory = built.parent
        (directory / "input.c").write_text(
            TCC_INPUT + "".join(TCC_INPUT_PART.replace("%d", str(part)) for part in range(4)))
        work = pathlib.Path(os.environ.get("ASCRIBE_BENCH_WORK", BENCH / "work"))
        arguments = [f"-B{work / 'tcc'}", "-nostdinc", "-c", directory / "input.c", "-o", directory / "input.o"]
        said.append(flags[0] + ": " + compare_program(tracer, built / "tcc", sorted((built / "objects").glob("*.o")),
                                                      arguments, directory))
    return "; ".join(said)


def main():
    tracer, language = os.path.abspath(sys.argv[1]), sys.argv[2]
    if language == "tcc":
        def tcc():
            print("        " + compare_tcc(tracer))
        harness.main(tcc)
    failed = 0
    judge = compare_killed if language.startswith("killed") else compare_random
    language = language.removeprefix("killed-")
    first, number = map(int, sys.argv[3:5])
    for seed in range(first, first + number):
        for level in sys.argv[5:] or LEVELS:
            try:
                print(f"ok      {language} {seed} {level}: {judge(tracer, language, seed, level)}", flush=True)
            except (harness.Failure, subprocess.TimeoutExpired) as failure:
                failed += 1
                print(f"FAILED  {language} {seed} {level}: {failure}", flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
