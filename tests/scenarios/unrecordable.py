#!/usr/bin/env python3
"""Programs that nothing can be loaded into: their files tell, so `ascribe record` says it before
they run, records from outside where it may, and ends as they do."""

import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("unrecordable")
SOURCE = DIRECTORY / "ends.c"
REFUSE = DIRECTORY / "refuse_perf"
PERF_REFUSED = "perf_event_open refused"
INSTEAD = "recording it from outside (--perf)"

# Writes to standard error too, so that the order of messages is seen; works if it may be sampled.
PROGRAM = """
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { for (volatile long i = 0; i < 60000000; i++); }
int main(int argc, char **argv) {
  struct sigaction action;
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  sigprocmask(SIG_BLOCK, &trap, NULL);
  sigaction(SIGTRAP, NULL, &action);
  if (action.sa_handler != SIG_DFL) return 1;
  fputs("runs\\n", stderr);
  work();
  if (argc > 1 && strcmp(argv[1], "forks") == 0) {
    if (fork() == 0) execl("/bin/echo", "echo", "child", (char *)NULL);
    wait(NULL);
    puts("parent");
  }
  return 3;
}"""


def record(program, *options, before=()):
    profile = DIRECTORY / "p.ascribe"
    profile.unlink(missing_ok=True)
    result = run([*before, ASCRIBE, "record", "-o", profile, *options, "--", program], DIRECTORY)
    check(result.status == 3, f"{program.name}: {result.ending}\n{result.errors}")
    lines = result.errors.splitlines()
    check("runs" in lines, result.errors)
    return lines[:lines.index("runs")], lines[lines.index("runs") + 1:], profile


def instead(program, reason):
    """From outside, if the kernel permits it; else not at all. Each is said before."""
    said, _, path = record(program)
    if PERF_REFUSED not in said[1:2]:
        check(len(said) == 1 and reason in said[0] and INSTEAD in said[0], f"{said}")
        profile = Profile(path)  # on a slow machine, to load the program takes long, too
        check(profile.calls("work") == 0 and profile.total_share("work") > 0.9 * profile.total_share("main") > 0,
              f"work: {profile.total_share('work')} of {profile.total_share('main')} in main")
    said, after, path = record(program, before=[REFUSE])
    check(len(said) == 3 and reason in said[0] and PERF_REFUSED in said[1], f"{said}")
    check("nothing will be recorded" in said[2] and not after and not path.exists(), f"{after}")


def static():
    for name, flags in (("static", ["-static"]), ("static-pie", ["-static-pie", "-fPIE"])):
        program = harness.compile_program(SOURCE, DIRECTORY / name, ["-O2", *flags], False)
        instead(program, "is statically linked, so nothing can be loaded into it")
    program = harness.compile_program(SOURCE, DIRECTORY / "pg", ["-O2", "-pg", "-static"], False)
    instead(program, "calls of mcount (-pg) cannot be counted")


def static_with_the_runtime():
    """It is counted from inside, also where its symbols are gone."""
    program = harness.compile_program(SOURCE, DIRECTORY / "counted", ["-O2", "-static"], "counts")
    said, _, path = record(program)
    check(not said and Profile(path).calls("work") == 1, f"{said}")
    must(["strip", program])
    said, _, path = record(program)
    check(not said and Profile(path).all_ticks() > 0, f"{said}")


def interpreter_of_a_script():
    program = harness.compile_program(SOURCE, DIRECTORY / "interpreter", ["-O2", "-static"], False)
    script = DIRECTORY / "script"
    script.write_text(f"#!{program} -x\n")
    script.chmod(0o755)
    instead(script, "is statically linked")


def musl():
    program = DIRECTORY / "musl"
    must(["musl-gcc", "-O2", "-g", SOURCE, "-o", program])
    instead(program, "is linked with musl")
    started_by_another(program)


def go():
    """Told by its linker's note."""
    program, note = DIRECTORY / "go", DIRECTORY / "note.s"
    note.write_text('.section .note.go.buildid, "a", @note\n.long 4, 4, 4\n.asciz "Go\\0"\n'
                    '.ascii "made"\n.section .note.GNU-stack, "", @progbits\n')
    must(["gcc", "-O2", "-g", SOURCE, note, "-o", program])
    instead(program, "is a Go program")
    started_by_another(program)


def started_by_another(program):
    """By a recorded program, it runs unrecorded."""
    result = run([ASCRIBE, "record", "-o", DIRECTORY / "none.ascribe", "--", "sh", "-c",
                  f"{program} forks; true"])
    check(result.output.split() == ["child", "parent"], f"{result.output} {result.errors}")


def options_for_inside_only():
    program = harness.compile_program(SOURCE, DIRECTORY / "static", ["-O2", "-static"], False)
    said, after, path = record(program, "--delay", "1")
    check(len(said) == 1 and "nothing will be recorded" in said[0] and "--delay" in said[0], said)
    check(not after and not path.exists(), f"{after}")


def of_another_machine():
    """A 32-bit program."""
    source, program = DIRECTORY / "machine.c", DIRECTORY / "machine"
    source.write_text('void _start(void) { __asm__("int $0x80" : : "a"(1), "b"(5)); }\n')
    if run(["gcc", "-m32", "-nostdlib", "-static", source, "-o", program]).status != 0:
        print("        (no 32-bit code is made here)")
        return
    try:
        bare = run([program])
    except OSError as error:  # the kernel was built without them
        print(f"        (no 32-bit program runs here: {error.strerror})")
        return
    for options in ([], ["--perf"]):
        result = run([ASCRIBE, "record", *options, "--", program], DIRECTORY)
        check(result.ending == bare.ending, f"{result.ending}, bare {bare.ending}")
        check("nothing will be recorded" in result.errors and "64-bit" in result.errors
              and len(result.errors.splitlines()) == 1, result.errors)


def setuid():
    """Only of a file of another user's: the kernel decides so."""
    if os.getuid() != 0:
        print("        (setuid: needs root)")
        return
    place = pathlib.Path(tempfile.mkdtemp(prefix="ascribe-unrecordable-"))
    place.chmod(0o777)
    program, ascribe = place / "ends", place / "ascribe"
    must(["gcc", "-O2", "-g", SOURCE, "-o", program])
    shutil.copy(ASCRIBE, ascribe)
    ascribe.chmod(0o755)
    program.chmod(0o4755)
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    for options in ([], ["--perf"]):
        result = run([*nobody, ascribe, "record", *options, "--", program], place)
        check(result.status == 3 and "nothing will be recorded" in result.errors
              and "privileges" in result.errors, f"{result.ending}\n{result.errors}")
        result = run([*nobody, "setpriv", "--no-new-privs", ascribe, "record", *options, "--",
                      program], place)
        check("nothing will be recorded" not in result.errors, result.errors)
    said, _, path = record(program)
    check(not said and Profile(path).all_ticks() > 0, f"{said}")
    shutil.rmtree(place)


if __name__ == "__main__":
    SOURCE.write_text(PROGRAM)
    must(["gcc", "-O1", harness.SOURCE / "tests/scenarios/refuse_perf.c", "-o", REFUSE])
    harness.main(static, static_with_the_runtime, interpreter_of_a_script, musl, go,
                 options_for_inside_only, of_another_machine, setuid)
