#!/usr/bin/env python3
"""Threads and processes in the reports: who made a thread, what a whole build consists of."""

import collections
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must, run

DIRECTORY = harness.scratch("processes")
SPIN = """
static double __attribute__((noinline)) spin(long rounds) {
  volatile double sum = 0;
  for (long i = 1; i <= rounds; i++) sum += 1.0 / i;
  return sum;
}
"""


def compiled(name, text, compiler, *flags):
    source = DIRECTORY / name
    source.write_text(text)
    must([compiler, "-O1", "-g", *flags, "-o", source.with_suffix(""), source])
    return source.with_suffix("")


def recorded(command, output, **options):
    alone = run(command, options.get("directory", DIRECTORY))
    result = harness.record(command[0], DIRECTORY, arguments=command[1:], output=output,
                            options=["-q"])
    check((result.ending, result.output) == (alone.ending, alone.output),
          f"recorded {result.ending} {result.output!r}, alone {alone.ending} {alone.output!r}")
    return DIRECTORY / output


def report(profile, *options):
    return must([ASCRIBE, "report", *options, profile], environment={"COLUMNS": "200"}).output


def report_json(profile, *options):
    return json.loads(report(profile, "--json", *options))


def made_in(thread, *functions):
    """The functions stand in the thread's spawning context, in this order."""
    names = [name.split("(")[0] for name in thread["spawned_in"]]
    places = [names.index(function) if function in names else -1 for function in functions]
    check(-1 not in places and places == sorted(places), f"{functions} are not in {names}")


def threads_of_cpp():
    program = compiled("threads.cc", "#include <cstdio>\n#include <thread>\n#include <vector>\n" + SPIN +
                       "void worker(int n) { spin(3000000L * n); }\n"
                       "void __attribute__((noinline)) start(std::vector<std::thread> &all) {\n"
                       "  for (int i = 1; i <= 3; i++) all.emplace_back(worker, i);\n}\n"
                       "int main() {\n  std::vector<std::thread> all;\n  start(all);\n"
                       "  for (auto &one : all) one.join();\n  puts(\"done\");\n}\n", "g++", "-pthread")
    profile = recorded([program], "threads.ascribe")
    threads = report_json(profile, "--threads")["threads"]
    made = [thread for thread in threads if thread["spawned_in"] is not None]
    check(len(threads) == 4 and len(made) == 3, f"{len(threads)} threads, {len(made)} made by others")
    for thread in made:
        made_in(thread, "main", "start")
        check(thread["self_ticks"] > 0 and thread["start_function_name"], f"{thread}")
    text = report(profile, "--threads")
    check(text.count("made by thread 1 in main > start") == 3, text)
    check("Processes\n" not in text and "Flat profile" not in text, f"too much:\n{text}")


def workers_of_openmp():
    """The spawning context of a worker is the parallel region that needed it first."""
    program = compiled("parallel.c", "#include <stdio.h>\n" + SPIN +
                       "static void __attribute__((noinline)) region(void) {\n"
                       "#pragma omp parallel for num_threads(3)\n"
                       "  for (int i = 0; i < 30; i++) spin(300000);\n}\n"
                       "int main(void) { region(); puts(\"done\"); return 0; }\n", "gcc", "-fopenmp")
    threads = report_json(recorded([program], "parallel.ascribe"), "--threads")["threads"]
    workers = [thread for thread in threads if thread["spawned_in"] is not None]
    check(len(threads) == 3 and len(workers) == 2, f"{len(threads)} threads, {len(workers)} made")
    for worker in workers:
        made_in(worker, "main", "region", "GOMP_parallel")


FILES = 5


def tree():
    place = DIRECTORY / "tree"
    place.mkdir(exist_ok=True)
    objects = " ".join(f"f{i}.o" for i in range(FILES))
    for i in range(FILES):
        (place / f"f{i}.c").write_text(f"int f{i}(int n) {{ return n < 2 ? n : f{i}(n - 1) + {i}; }}\n")
    (place / "Makefile").write_text(f"lib.a: {objects}\n\t@ar rcs $@ {objects}\n\t@echo built; true\n"
                                    "%.o: %.c\n\t@gcc -O2 -c $< -o $@\n")
    return place


def whole_build():
    """Processes of one program are one line with their count."""
    if not shutil.which("make"):
        print("        (no make)")
        return
    place = tree()
    profile = recorded(["make", "-B", "-s", "-j2", "-C", place], "build.ascribe", directory=place)
    found = report_json(profile)
    programs = {program["name"]: len(program["processes"]) for program in found["programs"]}
    check(programs["cc1"] == FILES and programs["gcc"] == FILES and programs["make"] == 1
          and programs["ar"] == 1, f"{programs}")
    check(sum(programs.values()) == len(found["processes"]), "processes are missing in programs")
    compilers = collections.Counter(process["parent_pid"] for process in found["processes"]
                                    if process["executable"].endswith("/cc1"))
    starters = {process["pid"] for process in found["processes"] if process["command"][:4] == "gcc "}
    check(set(compilers) == starters, "the parents of cc1 are not the gcc processes")
    check(all(process["lived_ns"] > 0 for process in found["processes"]
              if process["executable"].endswith("/cc1")), "no lifetime")
    check(re.search(rf"cc1 \u00d7{FILES}$", report(profile), re.MULTILINE), "no count")
    said = run([ASCRIBE, "record", "-o", "again.ascribe", "--", "make", "-B", "-s", "-C", place],
               DIRECTORY).errors
    check(re.search(rf"^{len(found['processes'])} processes: .*\bcc1 \u00d7{FILES} \(", said, re.MULTILINE),
          f"record says {said}")
    text = report(profile, "--processes")
    check(text.count("/cc1 -quiet") == FILES and "Threads" not in text, text)
    one_program(profile, found)


def one_program(profile, found):
    """--process restricts every figure; --thread chooses among its threads."""
    all_of = lambda options: report_json(profile, *options)["selection"]
    compilers = next(program for program in found["programs"] if program["name"] == "cc1")
    chosen = all_of(["--process", "cc1"])
    check(sorted(chosen["processes"]) == sorted(compilers["processes"]), f"{chosen}")
    check(0 < chosen["self_ns"] < all_of([])["self_ns"], "cc1 took everything, or nothing")
    parts = 0
    for identity in compilers["processes"]:
        pid = found["processes"][identity - 1]["pid"]
        single = all_of(["--process", str(pid)])
        check(single["processes"] == [identity], f"{single}")
        check(all_of(["--process", "cc1", "--thread", str(pid)])["self_ns"] == single["self_ns"],
              "the process's thread has other figures")
        parts += single["self_ns"]
    check(abs(parts - chosen["self_ns"]) <= len(compilers["processes"]), "parts are not the whole")
    check(f"only       {FILES} processes of cc1: " in report(profile, "-p", "cc1", "--flat"), "head")
    exported = must([ASCRIBE, "export", "--to", "collapsed", "--threads", "--process", "cc1", "-o", "-",
                     profile]).output
    check(exported and all(line.startswith("thread cc1 (") for line in exported.splitlines()),
          exported[:200])
    for options in (["-p", "nothing"], ["-p", "cc1", "-t", "make"]):
        result = run([ASCRIBE, "report", *options, profile])
        check(result.status == 1 and "no such" in result.errors, f"{options}: {result.errors}")


harness.main(threads_of_cpp, workers_of_openmp, whole_build)
