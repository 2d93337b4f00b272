#!/usr/bin/env python3
"""Programs that were built without Ascribe, started in all the ways that people start programs:
each does what it does alone, and what can be recorded is."""

import atexit
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

HERE = pathlib.Path(__file__).resolve().parent
DIRECTORY = harness.scratch("preloaded")
OPEN = pathlib.Path(tempfile.mkdtemp(prefix="ascribe-tests-"))  # other users may look into it
WORKS = OPEN / "works"
REFUSE_PERF = OPEN / "refuse_perf"
FEW = 3  # stacks that may be cut off: code that says nothing of its frames


def same(command, name, before=(), environment=None, options=(), **run_options):
    """The command does the same recorded as alone; its profile."""
    variables = {"ASCRIBE_OUT": None, **(environment or {})}
    output = DIRECTORY / f"{name}.ascribe"
    alone = run([*before, *command], DIRECTORY, variables, **run_options)
    recorded = run([*before, ASCRIBE, "record", "-q", "-o", output, *options, "--", *command],
                   DIRECTORY, variables, **run_options)
    for what in ("ending", "output", "errors"):
        check(getattr(alone, what) == getattr(recorded, what),
              f"{what}: alone {getattr(alone, what)!r}, recorded {getattr(recorded, what)!r}")
    return Profile(output)


def stacks_are_whole(profile, of=None):
    """All of them, or those that `of` was called in: other programs may hold ticks back in their handlers."""
    check(profile.value("select count(*) from functions where name = 'work' and total_ticks > 5"),
          "no time in work")
    cut = (profile.value("select coalesce(sum(in_ticks), 0) from arcs where callee_name = ?"
                         " and caller_name = '(stack cut off)'", of) if of else
           profile.value("select coalesce(sum(total_ticks), 0) from functions where name = '(stack cut off)'"))
    check(cut <= FEW, f"{cut} of {profile.all_ticks()} stacks are cut off")


def executables(profile):
    return [pathlib.Path(row[0]).name for row in
            profile.rows("select executable from processes order by started_ns")]


def with_a_library_of_the_users():
    library = DIRECTORY / "libmine.so"
    source = DIRECTORY / "mine.c"
    source.write_text('#include <errno.h>\n#include <stdio.h>\n#include <string.h>\n'
                      '__attribute__((constructor)) static void say(void)'
                      ' { if (!strcmp(program_invocation_short_name, "works")) puts("mine"); }\n')
    must(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source])
    profile = same(["sh", "-c", f"{WORKS} 50; echo $LD_PRELOAD | grep -c libmine.so"], "library",
                   environment={"LD_PRELOAD": library})
    stacks_are_whole(profile)


def with_options_of_the_users():
    stacks_are_whole(same(["sh", "-c", f"{WORKS} 50; echo $ASAN_OPTIONS | grep -c detect_leaks=0"],
                          "options", environment={"ASAN_OPTIONS": "detect_leaks=0"}))


def cleared_environment():
    """What is started without our variables is not recorded, and not disturbed."""
    profile = same(["env", "-i", WORKS, "20"], "cleared")
    check(executables(profile) == ["env"], f"recorded: {executables(profile)}")


def scripts():
    script = DIRECTORY / "script"
    script.write_text(f"#!/bin/sh\n{WORKS} 50 | cat\n{WORKS} 20\nexec {WORKS} 30\n")
    script.chmod(0o755)
    profile = same([script], "script")
    stacks_are_whole(profile)
    check(executables(profile).count("works") == 3, f"recorded: {executables(profile)}")
    script.write_text(f"#!{sys.executable}\nimport subprocess\n"
                      f"subprocess.run(['{WORKS}', '50'])\nprint(sum(range(1000000)))\n")
    stacks_are_whole(same([script], "python"))


def becomes_setuid():
    """A program that gets another user's rights when it is started is not recorded."""
    if os.getuid() != 0:
        print("        (setuid: needs root)")
        return
    program = OPEN / "setuid_id"
    shutil.copy("/usr/bin/id", program)
    program.chmod(0o4755)
    result = as_nobody([WORKS, "50", program, "-u"], "setuid")
    check(result.output == "worked\n0\n", f"{result.ending}, {result.output!r}\n{result.errors}")
    check(executables(Profile(OPEN / "home" / "setuid.ascribe")) == ["works"],
          "the setuid program was recorded")


def as_nobody(command, name, before=()):
    home = OPEN / "home"
    home.mkdir(exist_ok=True)
    home.chmod(0o777)
    support = pathlib.Path(must(["sh", "-c", f"dirname $(readlink -f {ASCRIBE})"]).output.strip())
    for file in [pathlib.Path(ASCRIBE), *support.parent.rglob("libascribe.so")]:
        if not (OPEN / file.name).exists():
            shutil.copy(file, OPEN)
    return run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *before,
                OPEN / "ascribe", "record", "-o", home / f"{name}.ascribe", "--", *command], home,
               {"ASCRIBE_SUPPORT_DIR": OPEN})


def unprivileged():
    """With perf events and without."""
    if os.getuid() != 0:
        print("        (another user: needs root)")
        return
    for name, before in (("nobody", ()), ("refused", (REFUSE_PERF,))):
        result = as_nobody([WORKS, "400"], name, before)
        check(result.output == "worked\n", f"{result.ending}, {result.output!r}\n{result.errors}")
        stacks_are_whole(Profile(OPEN / "home" / f"{name}.ascribe"))


def without_perf_events():
    profile = same([WORKS, "400"], "timers", before=[REFUSE_PERF])
    check("CPU timers" in profile.value("select clock from runs"), "perf events were not refused")
    stacks_are_whole(profile)


def few_descriptors():
    for limit in (4, 8, 16):
        stacks_are_whole(same(["sh", "-c", f"ulimit -n {limit}; exec {WORKS} 200"], f"limit{limit}"))


PROGRAM_OF_32_BITS = """
.globl _start
_start:
  mov $4, %eax
  mov $1, %ebx
  call 1f
1: pop %ecx
  add $(message - 1b), %ecx
  mov $7, %edx
  int $0x80
  mov $1, %eax
  xor %ebx, %ebx
  int $0x80
message: .ascii "worked\\n"
.section .note.GNU-stack, "", @progbits
"""


def programs_of_32_bits():
    """They run as they are, and complain of nothing; nothing of them is recorded."""
    source, program = DIRECTORY / "works32.S", DIRECTORY / "works32"
    source.write_text(PROGRAM_OF_32_BITS)
    loader = "/lib/ld-linux.so.2"
    if not os.path.exists(loader) or run(["gcc", "-m32", "-pie", "-nostdlib", f"-Wl,-dynamic-linker,{loader}",
                                          source, "-o", program], DIRECTORY).status != 0:
        print("        (32 bits: there is no dynamic linker, or gcc makes no programs for it)")
        return
    profile = same(["sh", "-c", f"{program}; {WORKS} 50; {program}"], "bits")
    stacks_are_whole(profile)
    check(executables(profile).count("works32") == 0, "a 32-bit program was recorded")


def under_a_debugger():
    """gdb takes every SIGTRAP for its own."""
    if not shutil.which("gdb"):
        print("        (no gdb)")
        return
    commands = ["gdb", "-q", "-nx", "-batch", "-ex", "break work", "-ex", "run", "-ex", "backtrace",
                "-ex", "continue"]
    result = harness.record(commands[0], DIRECTORY, arguments=[*commands[1:], "--args", WORKS, "100"],
                            output="debugged.ascribe")
    check("worked" in result.output and "exited normally" in result.output,
          f"{result.ending}: {result.output}\n{result.errors}")
    stacks_are_whole(Profile(DIRECTORY / "debugged.ascribe"), of="work")


def busy_child(parent):
    """The first, once it has run for 0.3 s of CPU time: on a slow machine it may start for as long."""
    children = pathlib.Path(f"/proc/{parent}/task/{parent}/children")
    while True:
        time.sleep(0.1)
        found = children.read_text().split()
        times = pathlib.Path(f"/proc/{found[0]}/stat").read_text().rpartition(")")[2].split() if found else ()
        if times and int(times[11]) + int(times[12]) > 0.3 * os.sysconf("SC_CLK_TCK"):
            return found[0]


def debugger_attached():
    """gdb comes, looks and goes while the program runs."""
    if not shutil.which("gdb"):
        return
    with subprocess.Popen([ASCRIBE, "record", "-q", "-o", DIRECTORY / "attached.ascribe", "--",
                           WORKS, "3000"], stdout=subprocess.PIPE, cwd=DIRECTORY) as recorder:
        program = busy_child(recorder.pid)
        looked = run(["gdb", "-q", "-nx", "-batch", "-p", program, "-ex", "backtrace"])
        output, _ = recorder.communicate(timeout=60)
    check("main" in looked.output, f"gdb saw {looked.output}\n{looked.errors}")
    check(recorder.returncode == 0 and output == b"worked\n", f"{recorder.returncode}: {output}")
    stacks_are_whole(Profile(DIRECTORY / "attached.ascribe"))


def sanitizers_of_clang():
    """They are in the executable, which has not started when the runtime does."""
    if not shutil.which("clang"):
        return
    for name in "thread", "address", "undefined":
        program = DIRECTORY / f"works-{name}"
        must(["clang", "-O1", "-g", f"-fsanitize={name}", "-o", program, HERE / "works.c"])
        same([program, "200"], f"sanitizer-{name}")


def killed():
    """All ticks up to the end are kept."""
    with subprocess.Popen([ASCRIBE, "record", "-o", DIRECTORY / "killed.ascribe", "--", WORKS,
                           "60000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          cwd=DIRECTORY) as recorder:
        time.sleep(1)
        children = pathlib.Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children")
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
        _, errors = recorder.communicate(timeout=60)
    check(recorder.returncode == -signal.SIGKILL, f"ended with {recorder.returncode}\n{errors}")
    stacks_are_whole(Profile(DIRECTORY / "killed.ascribe"))


def library_with_hooks():
    """A program built without Ascribe loads a library that was built with it: its calls count."""
    library, program = DIRECTORY / "counted.c", DIRECTORY / "loads.c"
    library.write_text("__attribute__((noipa)) int inner(int n) { return n + 1; }\n"
                       "int outer(int n) {\n  for (int i = 0; i < 100; i++) n = inner(n);\n"
                       "  return n;\n}\n")
    program.write_text("#include <dlfcn.h>\n#include <stdio.h>\nint main(void) {\n"
                       "  void *library = dlopen(\"./libcounted.so\", RTLD_NOW);\n"
                       "  int (*outer)(int) = (int (*)(int))dlsym(library, \"outer\");\n"
                       "  printf(\"%d\\n\", outer(0));\n  return 0;\n}\n")
    harness.compile_library(library, DIRECTORY / "libcounted.so", ["-O2"])
    must(["gcc", "-O2", "-o", DIRECTORY / "loads", program])
    profile = same(["./loads"], "loads")
    check(profile.calls("inner") == 100 and profile.calls("outer") == 1, "wrong counts")
    check("101, counted by hooks of libraries" in must([ASCRIBE, "report", profile.path]).output,
          "the report does not say so")


if __name__ == "__main__":
    OPEN.chmod(0o755)
    atexit.register(shutil.rmtree, OPEN, ignore_errors=True)
    must(["gcc", "-O2", "-g", "-o", WORKS, HERE / "works.c"])
    must(["gcc", "-O2", "-o", REFUSE_PERF, HERE / "refuse_perf.c"])
    harness.main(with_a_library_of_the_users, with_options_of_the_users, cleared_environment, scripts,
                 becomes_setuid, unprivileged, without_perf_events, few_descriptors,
                 programs_of_32_bits, under_a_debugger, debugger_attached, sanitizers_of_clang, killed,
                 library_with_hooks)
