#!/usr/bin/env python3
"""ascribe/host.h: a bytecode machine's functions, calls and instructions are what an interpreter of our
own says they are, to the last one; by its CPU time they are where the instructions are."""

import collections
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("host_api")
EXAMPLE = harness.SOURCE / "examples/bytecode"
PROGRAM = DIRECTORY / "bytecode"
OPERATORS = {"add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "less": lambda a, b: int(a < b),
             "equal": lambda a, b: int(a == b)}


class Books:
    """What an interpreter in Python says of a program: instructions by function, by line and by the set of
    functions that are active, and calls by site."""

    def __init__(self, path):
        self.functions, self.code = {}, []
        labels, current = {}, None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            words = line.split(";")[0].split()
            if not words: continue
            if words[0] == "function":
                current = words[1]
                self.functions[current] = (len(self.code), int(words[2]))
            elif words[0].endswith(":"):
                labels[current, words[0][:-1]] = len(self.code)
            else:
                self.code.append((words[0], words[1] if len(words) > 1 else None, current, number))
        self.code = [(op, labels[inside, word] if op in ("jump", "unless") else word, inside, number)
                     for op, word, inside, number in self.code]
        self.self_of, self.total_of, self.lines = collections.Counter(), collections.Counter(), collections.Counter()
        self.calls, self.sites, self.output, self.executed = collections.Counter(), collections.Counter(), [], 0
        self.run()

    def enter(self, callee, number, active, caller):
        """`active`: the functions that stay active below the callee."""
        if callee not in active or caller != callee: self.calls[callee] += 1
        self.sites[caller, callee, number] += 1
        return active | {callee}

    def run(self):
        coroutines, number = [self.coroutine("main")], 0
        coroutines[0]["frames"] = [[None, 0, frozenset()]]
        coroutines[0]["active"] = self.enter("main", 0, frozenset(), None)
        now = coroutines[0]
        while True:
            op, word, inside, line = self.code[now["pc"]]
            now["pc"] += 1
            self.executed += 1
            self.self_of[inside] += 1
            self.lines[line] += 1
            for function in now["active"]:
                self.total_of[function] += 1
            stack, frames = now["stack"], now["frames"]
            if op == "push": stack.append(int(word))
            elif op == "argument": stack.append(stack[frames[-1][1] + int(word)])
            elif op == "set": stack[frames[-1][1] + int(word)] = stack.pop()
            elif op == "copy": stack.append(stack[-1])
            elif op == "drop": stack.pop()
            elif op == "print": self.output.append(stack.pop())
            elif op == "jump": now["pc"] = word
            elif op == "unless": now["pc"] = now["pc"] if stack.pop() else word
            elif op in OPERATORS: stack[-2:] = [OPERATORS[op](*stack[-2:])]
            elif op == "call":
                start, arguments = self.functions[word]
                frames.append([now["pc"], len(stack) - arguments, now["active"]])
                now["active"] = self.enter(word, line, now["active"], inside)
                now["pc"] = start
            elif op == "tail":
                start, arguments = self.functions[word]
                kept = stack[len(stack) - arguments:]
                now["active"] = self.enter(word, line, frames[-1][2], self.running(frames, now))
                del stack[frames[-1][1]:]
                stack += kept
                now["pc"] = start
            elif op == "reply":
                value, (back, base, caller) = stack.pop(), frames.pop()
                del stack[base:]
                now["active"] = caller
                if not frames:
                    if number == 0: return
                    number = now["resumer"]
                    now = coroutines[number]
                else:
                    now["pc"] = back
                now["stack"].append(value)
            elif op == "create":
                coroutines.append(self.coroutine(word))
                stack.append(len(coroutines) - 1)
            elif op == "resume":
                following = coroutines[stack.pop()]
                if not following["frames"]:
                    following["frames"] = [[None, 0, now["active"]]]
                    following["active"] = self.enter(following["of"], line, now["active"], inside)
                following["resumer"], number = number, coroutines.index(following)
                now = following
            elif op == "yield":
                value, number = stack.pop(), now["resumer"]
                now = coroutines[number]
                now["stack"].append(value)

    def running(self, frames, now):
        """Who is the caller of a tail call: the function that the frame returns to."""
        return self.code[frames[-1][0] - 1][2] if frames[-1][0] else None

    def coroutine(self, function):
        return {"of": function, "stack": [], "frames": [], "pc": self.functions[function][0], "active": frozenset()}


def recorded(name, source, options=(), rate=None):
    path = DIRECTORY / f"{name}.ascribe"
    result = run([ASCRIBE, "record", "-q", *options, "-o", path, "--", PROGRAM, source])
    check(result.status == 0, f"{result.ending}: {result.errors}")
    return Profile(path), result


def exact(name):
    """By the host's clock."""
    source, books = EXAMPLE / f"{name}.bc", Books(EXAMPLE / f"{name}.bc")
    bare = run([PROGRAM, source], environment={"ASCRIBE_OUT": None})
    check(bare.output.split() == [str(number) for number in books.output], bare.output)
    check(bare.errors == f"{books.executed} instructions\n", bare.errors)
    profile, result = recorded(name, source, ["--clock", "host"])
    check(result.output == bare.output and bare.errors in result.errors, result.errors)
    rows = {row[0]: row[1:] for row in profile.rows("select name, self_ns, total_ns, calls from functions")}
    wanted = {function: (books.self_of[function], books.total_of[function],
                         sum(count for (_, callee, _), count in books.sites.items() if callee == function))
              for function in books.functions}
    check(rows == wanted, f"{rows}\nnot {wanted}")
    found = {(caller, callee, line): calls for caller, callee, line, calls in
             profile.rows("select caller_name, callee_name, line, calls from call_sites where line is not null")}
    sites = {site: count for site, count in books.sites.items() if site[2]}
    check(found == sites, f"{found}\nnot {sites}")
    check(profile.rows("select distinct self_uncertainty_ns, total_uncertainty_ns from functions") == [(0, 0)], "exact")
    said = must([ASCRIBE, "report", profile.path]).output
    check("as the host counted them" in said and "samples" not in said, said)
    check(json.loads(must([ASCRIBE, "report", "--json", profile.path]).output)["run"], "JSON")


def sampled():
    """By CPU time the loop of the machine is what runs the program: line by line."""
    source = DIRECTORY / "long.bc"
    source.write_text((EXAMPLE / "calls.bc").read_text().replace("push 100000\n", "push 10000000\n"))
    profile, _ = recorded("long", source, ["--rate", "2000"])
    check(profile.total_share("work") > 0.9, f"work has {profile.total_share('work')} of the time")
    lines = dict(profile.rows("select line, self_ns from lines where file = ?", str(source)))
    first = source.read_text().splitlines().index("again:") + 1
    inside = sum(ns for line, ns in lines.items() if first < line <= first + 7)
    check(inside > 0.9 * sum(lines.values()) > 0, f"{lines}, the loop is at {first}")
    check("argument 0" in must([ASCRIBE, "report", "--source", "long.bc", profile.path]).output, "its text")


LIBRARY = """#include <ascribe/host.h>
static volatile uint64_t executed, sink;
static int stack(ascribe_point *points, int room, void *) {
  (void)points;
  return executed < (uint64_t)room ? ASCRIBE_STACK_LATER : ASCRIBE_STACK_NONE;
}
extern "C" void work() {
  for (unsigned long i = 0; i < 150000000; i++) sink = i;
}
extern "C" int play(int times) {
  int recorded = ascribe_host_begin();
  ascribe_host_clock(&executed, "of the library");
  ascribe_point played = ascribe_host_function(ascribe_host_world("a library"), "played", 0, ascribe_range_at(0, 0));
  for (int i = 0; i < times; i++) ascribe_leave(ascribe_enter(played, 0));
  ascribe_host_stack(stack, 0);  // and it is never taken back
  return recorded;
}
"""
LOADER = """#include <dlfcn.h>
#include <stdio.h>
static volatile unsigned long sink;
int main(int count, char **arguments) {
  void *library = dlopen(arguments[count - 1], RTLD_NOW);
  int (*play)(int) = library ? (int (*)(int))dlsym(library, "play") : 0;
  if (!play) return 1;
  play(10);
  for (unsigned long i = 0; i < 10000000; i++) sink = i;
  dlclose(library);
  for (unsigned long i = 0; i < 10000000; i++) sink = i;
  play = (int (*)(int))dlsym(dlopen(arguments[1], RTLD_NOW), "play");
  return play(90) < 0;
}
"""


def builds():
    """The header with other compilers and kinds of programs; static ones are not recorded by preloading."""
    source = EXAMPLE / "calls.bc"
    for name, command in (("no-pie", ["gcc", "-O2", "-no-pie", "-fno-pie"]), ("clang", ["clang", "-O1"]),
                          ("O0", ["gcc", "-O0", "-masm=intel"]), ("c99", ["gcc", "-std=gnu99", "-pedantic", "-Wno-pointer-arith"])):
        if not shutil.which(command[0]): continue
        program = DIRECTORY / name
        must([*command, "-Wall", "-Wextra", "-Werror", "-I", harness.SOURCE / "include", EXAMPLE / "bytecode.c", "-o", program])
        path = DIRECTORY / f"{name}.ascribe"
        must([ASCRIBE, "record", "-q", "-r", "0", "-o", path, "--", program, source])
        check(Profile(path).value("select calls from functions where name = 'fib'") == 43781 // 2 + 1, name)
    static = DIRECTORY / "static"
    must(["gcc", "-static", "-O2", "-I", harness.SOURCE / "include", EXAMPLE / "bytecode.c", "-o", static])
    check(run([static, source]).status == 0, "static")
    must([ASCRIBE, "cc", "-static", "-O2", "-I", harness.SOURCE / "include", EXAMPLE / "bytecode.c", "-o", static])
    must([ASCRIBE, "record", "-q", "-o", DIRECTORY / "static.ascribe", "--", static, source])
    check(Profile(DIRECTORY / "static.ascribe").value("select calls from functions where name = 'fib'") == 43781 // 2 + 1,
          "static, by ascribe cc")


def library():
    """A host that is loaded and unloaded: its functions are the same ones afterwards."""
    (DIRECTORY / "library.cc").write_text(LIBRARY)
    (DIRECTORY / "loader.c").write_text(LOADER)
    for compiler in filter(shutil.which, ("clang++", "g++")):
        must([compiler, "-std=c++11", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-shared", "-fPIC", "-O2", "-I",
              harness.SOURCE / "include", DIRECTORY / "library.cc", "-o", DIRECTORY / "library.so"])
    must(["gcc", DIRECTORY / "loader.c", "-o", DIRECTORY / "loader"])
    must([ASCRIBE, "cc", "--contexts", DIRECTORY / "loader.c", "-o", DIRECTORY / "hooked-loader"])
    must([ASCRIBE, "cc", "-no-pie", "-fno-pie", DIRECTORY / "loader.c", "-o", DIRECTORY / "counted-loader"])
    for loader in ("loader", "hooked-loader", "counted-loader"):
        path = DIRECTORY / f"{loader}.ascribe"
        must([ASCRIBE, "record", "-q", "-o", path, "--", DIRECTORY / loader, DIRECTORY / "library.so"])
        check(Profile(path).rows("select object, sum(calls) from functions where name = 'played' group by object")
              == [("a library", 100)], f"calls of a library that came twice, by {loader}")
        put_off, ticks = Profile(path).rows("select dropped_stacks, ticks from runs")[0]
        check(0 < put_off < ticks, f"{put_off} of {ticks} ticks asked the library, which is gone half the time")


HOST = """#include <ascribe/host.h>
#include <dlfcn.h>
int other(void);
int main(int count, char **arguments) {
  int recorded = ascribe_host_begin() + other();
  ascribe_point outer = ascribe_host_function(ascribe_host_world("a program"), "outer", 0, ascribe_range_at(0, 0));
  void *library = dlopen(arguments[count - 1], RTLD_NOW);
  int (*play)(int) = (int (*)(int))dlsym(library, "play");
  uint32_t caller = ascribe_enter(outer, 0);
  recorded += play ? play(100) : 0;
  ascribe_leave(caller);
  return recorded;
}
"""
OTHER = """#include <ascribe/host.h>
int other(void) { return 10 * ascribe_host_begin(); }
"""


def header_of(version):
    """What version 3 or 1 may be: other names, more or less in it."""
    text = (harness.SOURCE / "include/ascribe/host.h").read_text()
    known = int(re.search(r"define ASCRIBE_HOST_VERSION (\d+)", text)[1])
    text = text.replace(f"ASCRIBE_HOST_VERSION {known}", f"ASCRIBE_HOST_VERSION {known + version}")
    text = text.replace(f"ascribe_host_here_{known}", f"ascribe_host_here_{known + version}")
    text = text.replace("  int64_t context; /*", "  uint64_t more[2];\n  int64_t context; /*")
    directory = DIRECTORY / f"version{version}/ascribe"
    directory.mkdir(parents=True)
    (directory / "host.h").write_text(text)
    return directory.parent


def two_hosts():
    """A host that a host calls; and parts of one program with other versions of the header."""
    (DIRECTORY / "host.c").write_text(HOST)
    (DIRECTORY / "other.c").write_text(OTHER)
    for name, version, expected, note in (("same", 0, 12, None), ("newer", 1, 2, "newer than version"),
                                          ("older", -1, 2, "older than version")):
        program, path = DIRECTORY / name, DIRECTORY / f"{name}.ascribe"
        for source, include in (("host", harness.SOURCE / "include"), ("other", header_of(version))):
            must(["gcc", "-O2", "-c", "-I", include, DIRECTORY / f"{source}.c", "-o", DIRECTORY / f"{source}.o"])
        must(["gcc", DIRECTORY / "other.o", DIRECTORY / "host.o", "-o", program])
        result = run([ASCRIBE, "record", "-o", path, "--", program, DIRECTORY / "library.so"])
        check(result.status == expected, f"{name}: {result.ending} {result.errors}")
        profile = Profile(path)
        check(profile.rows("select caller_name, callee_name, calls from arcs where callee_name = 'played'")
              == [("outer", "played", 100)], "a host called by a host")
        said = must([ASCRIBE, "report", path]).output
        check((note or "ascribe/host.h") in said if note else "ascribe/host.h" not in said, said)


def faults():
    """host_faults.c: what is counted, whatever comes in between."""
    program = DIRECTORY / "host_faults"
    must(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-I", harness.SOURCE / "include", "-pthread",
          harness.SOURCE / "tests/scenarios/host_faults.c", "-o", program])

    def figures(how, *options, column="self_ns"):
        path = DIRECTORY / f"{how}.ascribe"
        must([ASCRIBE, "record", "-q", *options, "-o", path, "--", program, how, DIRECTORY / "library.so"])
        return dict(Profile(path).rows(f"select name, {column} from functions where object = 'w' and ({column} > 0 or calls > 0)"))

    def counted(how):
        return figures(how, "--clock", "host")

    check(counted("tail") == {"f": 1000000}, "exit in the middle of a function")
    check(counted("fork") == {"f": 1000000, "g": 500}, "a child has its own part")
    found = counted("threads")
    check(sum(Profile(DIRECTORY / "threads.ascribe").rows("select sum(self_ns) from functions")[0]) == 800000 >= found["f"],
          f"the counts of all threads, once: {found}")
    check(counted("own") == {"f": 800000}, "each thread its own clock")
    found = counted("signal")
    check(found["f"] == 3000000, f"a handler's reads: {found}")
    check(counted("pause") == {"f": 1017}, "what comes in a pause is left out")
    check(counted("back") == {"f": 3007}, "a clock that goes back counts on from there")
    said = must([ASCRIBE, "report", DIRECTORY / "back.ascribe"]).output
    check("clock went back" in said and "clock went back" not in must([ASCRIBE, "report", DIRECTORY / "own.ascribe"]).output, said)
    check(figures("null", column="calls") == {"anonymous": 5}, "nothing for a name")
    check(figures("children", column="calls") == {"of-the-parent": 5}, "definitions of a child without a recording")
    check(figures("unload", "--clock", "host", column="calls") == {"f": 10}, "a clock that is gone")
    found = figures("outside")
    check(found["f"] > 0 and found["g"] > 0, f"code that was named as the host's: {found}")


def no_host():
    result = run([ASCRIBE, "record", "--clock", "host", "-o", DIRECTORY / "none.ascribe", "--", "true"])
    check("is no language host with a clock of its own" in result.errors, result.errors)


def main():
    must(["gcc", "-O2", "-Wall", "-Werror", "-I", harness.SOURCE / "include", EXAMPLE / "bytecode.c", "-o", PROGRAM])
    exact("calls")
    exact("generators")
    sampled()
    builds()
    library()
    two_hosts()
    faults()
    no_host()


if __name__ == "__main__":
    main()
