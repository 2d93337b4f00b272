#!/usr/bin/env python3
"""`ascribe record --perf`: programs that are started, and looked at from outside."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, run

DIRECTORY = harness.scratch("outside")
SOURCE = harness.SOURCE / "tests/scenarios/looked_at.c"
PROGRAM = DIRECTORY / "looked_at"
# Where an unprivileged user may run programs and write.
OPEN = pathlib.Path(tempfile.mkdtemp(prefix="ascribe-outside-"))


def as_nobody():
    if os.getuid() != 0:
        return []
    return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


def record(name, *arguments, program=PROGRAM, options=(), before=(), directory=DIRECTORY):
    profile = directory / f"{name}.ascribe"
    result = run([*before, ASCRIBE, "record", "--perf", *options, "-o", profile, "--", program,
                  *arguments], directory)
    return result, profile


def recorded(name, *arguments, **options):
    """The profile of a run that has to succeed."""
    result, path = record(name, *arguments, **options)
    check(result.status == 0 and "saved " in result.errors, f"{result.ending}\n{result.errors}")
    profile = Profile(path)
    no_more_than_all(profile)
    return profile


def no_more_than_all(profile):
    """Nothing is above 100 %, and the books balance."""
    whole = profile.value("select sampled_ns from runs")
    for name, total in profile.rows("select name, total_ns from functions"
                                    " where total_ns is not null"):
        check(total <= whole + 1, f"{name}: {total} of {whole} ns")
    parts = profile.value("select sum(self_ns) from functions")
    other = profile.value("select profiler_ns + dropped_ns from runs")
    functions = profile.value("select count(*) from functions")
    check(abs(parts + other - whole) <= functions, f"{parts} + {other} of {whole} ns")


def share(profile, name):
    return profile.total_share(name)


def uncertainty(profile):
    """Of a share, three standard errors."""
    return 1.5 / profile.all_ticks() ** 0.5


def about(profile, name, wanted):
    found, margin = share(profile, name), uncertainty(profile)
    check(abs(found - wanted) <= margin, f"{name}: {found:.3f}, not {wanted:.3f} +- {margin:.3f}")


def arc(profile, caller, callee):
    return profile.value("select coalesce(sum(in_ticks), 0) from arcs where caller_name = ?"
                         " and callee_name = ?", caller, callee)


def cut(profile):
    return share(profile, "(stack cut off)")


def shares():
    with harness.TickYield(DIRECTORY, 1000000) as ticks:
        profile = recorded("shares", "shares")
    about(profile, "three", 0.75)
    about(profile, "one", 0.25)
    check(cut(profile) < 0.02, f"{cut(profile):.1%} cut")
    check(share(profile, "main") > 0.97, f"main has {share(profile, 'main'):.1%}")
    check("outside" in profile.value("select clock from runs"), "clock")
    check(profile.value("select recorder_ns from runs") > 0, "the recorder took no time")
    ticks.check_run(profile)


def agrees_with_the_runtime():
    """The same shares as from inside, within the uncertainty of both."""
    outside = recorded("agrees", "shares")
    inside_path = DIRECTORY / "inside.ascribe"
    harness.must([ASCRIBE, "record", "-o", inside_path, "--", PROGRAM, "shares"])
    inside = Profile(inside_path)
    for name in ("one", "three", "main"):
        a, b = share(outside, name), share(inside, name)
        margin = (uncertainty(outside) ** 2 + uncertainty(inside) ** 2) ** 0.5
        check(abs(a - b) <= margin, f"{name}: {a:.3f} from outside, {b:.3f} from inside")
    for caller, callee in (("main", "one"), ("one", "burn"), ("three", "burn")):
        check(arc(outside, caller, callee) and arc(inside, caller, callee), f"{caller}: {callee}")


def static_programs():
    for name, flags in (("static", ["-static"]), ("static-pie", ["-static-pie", "-fPIE"])):
        program = harness.compile_program(SOURCE, DIRECTORY / name, ["-O2", *flags], False,
                                          link=flags)
        profile = recorded(name, "shares", program=program)
        about(profile, "three", 0.75)
        check(cut(profile) < 0.02, f"{name}: {cut(profile):.1%} cut")
        check(arc(profile, "main", "three"), "main does not call three")


def another_c_library():
    program = DIRECTORY / "musl"
    harness.must(["musl-gcc", "-static", "-O2", "-g", "-D_GNU_SOURCE", "-I", harness.PROGRAMS,
                  SOURCE, "-o", program])
    profile = recorded("musl", "shares", program=program)
    about(profile, "three", 0.75)
    check(arc(profile, "main", "three"), "main does not call three")


def program_that_begins_by_hand():
    """Its first instructions have no unwind table; they are still where the stack ends."""
    source, program = DIRECTORY / "begins.c", DIRECTORY / "begins"
    source.write_text("""
__asm__(".globl _start; _start: xor %ebp, %ebp; mov %rsp, %rdi; call begin; hlt");
__attribute__((noinline)) void spin(long n) { for (volatile long i = 0; i < n; i++); }
void begin(void) {
  spin(200000000);
  __asm__ volatile("mov $60, %eax; xor %edi, %edi; syscall");
}""")
    harness.must(["gcc", "-O2", "-nostdlib", "-static", "-g", source, "-o", program])
    profile = recorded("begins", program=program)
    check(arc(profile, "begin", "spin"), "begin does not call spin")
    check(cut(profile) < 0.02, f"{cut(profile):.1%} cut")


def code_made_by_go():
    """It has tables of its own, also where its symbols are gone; and no frame is left out."""
    if not shutil.which("go"):
        print("        (Go: is not installed)")
        return
    source, program = DIRECTORY / "spins.go", DIRECTORY / "go-spins"
    source.write_text("""package main
var sink int
//go:noinline
func spin(n int) { for i := 0; i < n; i++ { sink += i } }
//go:noinline
func light() { spin(100000000); sink++ }
//go:noinline
func heavy() { spin(300000000); sink++ }
func main() { light(); heavy() }
""")
    harness.must(["go", "build", "-o", program, source], directory=DIRECTORY,
                 environment={"GOCACHE": DIRECTORY / "go-cache", "GO111MODULE": "off"})
    profile = recorded("go", program=program)
    about(profile, "main.heavy", 0.75)
    check(arc(profile, "main.heavy", "main.spin"), "heavy does not call spin")
    check(not arc(profile, "main.main", "main.spin"), "main calls spin")
    check(cut(profile) < 0.05, f"{cut(profile):.1%} cut")
    harness.must(["strip", program])
    profile = recorded("go-stripped", program=program)
    check(cut(profile) < 0.05, f"stripped: {cut(profile):.1%} cut")


def threads():
    for _ in range(4):  # on a busy machine equal work may take one thread twice as long as another
        profile = recorded("threads", "threads")
        starts = dict(profile.rows("select start_function_name, cpu_ns from threads where"
                                   " start_function_name is not null"))
        check(set(starts) == {"worker", "long_worker"}, f"threads started with {set(starts)}")
        if 0.2 < starts["worker"] / starts["long_worker"] < 0.5:
            break
    check(0.2 < starts["worker"] / starts["long_worker"] < 0.5, f"CPU times {starts}")
    about(profile, "three", 0.75)
    check(not arc(profile, "start_thread", "worker"), "frames outside of the thread's function")


def family():
    """Each program that a process runs is one of its own. Where a tick fell between its fork and its
    exec, the shell has run its parent's program, too."""
    profile = recorded("family", "family")
    commands = [command for command, in profile.rows(
        "select command from processes where command like 'sh -c%'"
        " or pid not in (select pid from processes where command like 'sh -c%')")]
    for ending, wanted in ((" family", 2), (" once", 1)):
        found = sum(command.endswith(ending) for command in commands)
        check(found == wanted, f"{found} of {ending!r} in {commands}")
    check(sum(command.startswith("sh -c") for command in commands) == 1, f"{commands}")
    times = {command.split()[-1]: user for command, user in profile.rows(
        "select command, max(user_ns) from processes group by command")}
    check(2 < times["family"] / times["once"] < 4.5, f"three and one took {times}")


def deep_stacks():
    """What the copy does not hold is cut, and shown as cut: it has no other caller."""
    profile = recorded("deep", "deep", 1000)
    check(share(profile, "one") > 0.95, f"one: {share(profile, 'one'):.1%}")
    check(cut(profile) > 0.95, f"{cut(profile):.1%} cut")
    check(share(profile, "main") < 0.05, "main was found behind the copy")
    report = harness.must([ASCRIBE, "report", profile.path]).output
    check("cut off for" in report, report[:1000])
    profile = recorded("shallow", "deep", 20)
    check(cut(profile) < 0.02 and share(profile, "main") > 0.95, f"{cut(profile):.1%} cut")


def recursion():
    profile = recorded("fib", "fib")
    check(share(profile, "fib") > 0.95, f"fib: {share(profile, 'fib'):.1%}")
    profile = recorded("mutual", "mutual")
    for name in ("even", "odd", "one"):
        check(share(profile, name) > 0.95, f"{name}: {share(profile, name):.1%}")


def time_in_the_kernel():
    if os.getuid() != 0:
        print("        (sampling the kernel: needs root)")
        return
    profile = recorded("kernel", "kernel")
    check(profile.value("select kernel_ns from runs") == 0, "some of it was not sampled")
    called = "getppid (system call)"
    check(any(arc(profile, name, called) for name in ("getppid", "__GI_getppid", "getppid@@GLIBC_2.2.5")),
          "no system calls of getppid")
    check(arc(profile, "touches", "(page fault or interrupt)") > 10, "no page faults of touches")


def unprivileged():
    """Without rights, the kernel is not sampled; with little memory, less of the stacks is."""
    OPEN.chmod(0o755)
    place = OPEN / "unprivileged"
    place.mkdir()
    place.chmod(0o777)
    program = place / "looked_at"
    ascribe = place / "ascribe"
    for copy, original in ((program, PROGRAM), (ascribe, ASCRIBE)):
        shutil.copy(original, copy)
        copy.chmod(0o755)

    def run_as_nobody(name, limit, *arguments):
        result = run([*as_nobody(), "prlimit", f"--memlock={limit}", ascribe, "record", "--perf",
                      "-o", place / name, "--", program, *arguments], place)
        check(result.status == 0, f"{result.ending}\n{result.errors}")
        profile = Profile(place / name)
        no_more_than_all(profile)
        return profile, result

    profile, _ = run_as_nobody("roomy", 8 << 20, "shares")
    about(profile, "three", 0.75)
    if os.getuid() == 0:
        check(profile.value("select kernel_ns from runs") > 0, "no time in the kernel")
        profile, result = run_as_nobody("narrow", 0, "deep", 100)
        check("perf_event_mlock_kb" in result.errors, f"not said: {result.errors}")
        check(cut(profile) > 0.9, f"{cut(profile):.1%} of stacks of 30 KB are cut")


def in_another_root():
    """Files are looked for where the process sees them, and named as we do."""
    if os.getuid() != 0:
        print("        (chroot: needs root)")
        return
    root = OPEN / "root"
    root.mkdir()
    harness.compile_program(SOURCE, root / "only_here", ["-O2", "-static", "-pthread"], False,
                            link=["-static", "-pthread"])
    result, path = record("root", root, "/only_here", "shares", program="chroot")
    check(result.status == 0, f"{result.ending}\n{result.errors}")
    profile = Profile(path)
    about(profile, "three", 0.75)
    check(cut(profile) < 0.02, f"{cut(profile):.1%} cut")


def refused():
    """Nothing is started, and one line says why."""
    refuse = DIRECTORY / "refuse_perf"
    harness.must(["gcc", "-O1", harness.SOURCE / "tests/scenarios/refuse_perf.c", "-o", refuse])
    result, path = record("refused", "-c", "echo started", program="sh", before=[refuse])
    lines = result.errors.splitlines()
    check(result.status == 125 and result.output == "", f"{result.ending}: {result.output!r}")
    check(len(lines) == 1 and "perf_event_open refused" in lines[0], result.errors)
    check(not path.exists(), "saved a profile of nothing")


def the_programs_own_end():
    result, path = record("status", "status")
    check(result.status == 7 and path.exists(), f"{result.ending}\n{result.errors}")
    result, path = record("aborts", "aborts")
    check(result.ending == "signal ABRT" and path.exists(), f"{result.ending}\n{result.errors}")
    check(Profile(path).rows("select ending, signal from processes") == [("signal", 6)],
          "it did not exit")
    check(share(Profile(path), "one") > 0.9, "what it did before")
    result, path = record("missing", program="/nowhere/program")
    check(result.status == 127 and not path.exists(), f"{result.ending}\n{result.errors}")
    check(len(result.errors.splitlines()) == 1, result.errors)


def profile_that_cannot_be_saved():
    """It is kept elsewhere, and the program's status stays."""
    place = DIRECTORY / "removed"
    place.mkdir()
    result, _ = record("removed/x", "-c", f"rmdir {place}; {PROGRAM} once", program="sh")
    kept = re.search(r"the profile is kept: ascribe report (\S+)", result.errors)
    check(result.status == 0 and kept, f"{result.ending}\n{result.errors}")
    check(arc(Profile(kept[1]), "main", "one") > 0, "what was kept")
    shutil.rmtree(pathlib.Path(kept[1]).parent)


def short_processes():
    """They end before their first tick is due: their time is shown apart, and shared with nobody."""
    script = "i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done; " + f"{PROGRAM} once"
    profile = recorded("short", "-c", script, program="sh", options=["--rate", "250"])
    sampled, unsampled, user, system, kernel = profile.rows(
        "select sampled_ns, unsampled_ns, user_ns, system_ns, kernel_ns from runs")[0]
    check(unsampled > 30e6, f"{unsampled} ns of 300 processes without a tick")
    check(abs(sampled + unsampled + kernel - user - system) < 1000, "the books do not balance")
    report = harness.must([ASCRIBE, "report", profile.path]).output
    check("processes without a tick" in report, report[:500])


def signals_are_passed_on():
    for number, status in ((signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, -signal.SIGINT)):
        path = DIRECTORY / f"signal{number}.ascribe"
        recorder = subprocess.Popen([ASCRIBE, "record", "--perf", "-o", path, "--", PROGRAM,
                                     "serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    start_new_session=True)
        check(recorder.stdout.readline() == b"ready\n", "it does not start")
        time.sleep(0.3)
        os.kill(recorder.pid, number)
        _, errors = recorder.communicate(timeout=30)
        check(recorder.returncode == status, f"ended with {recorder.returncode}\n{errors}")
        check(Profile(path).all_ticks() > 5, "few ticks")


def for_some_time():
    """--duration: the program goes on, and is waited for."""
    begin = time.monotonic()
    profile = recorded("duration", "serve", 2, options=["--duration", "0.5"])
    check(time.monotonic() - begin > 1.9, "the program was not waited for")
    cpu, took, dropped = profile.rows(
        "select user_ns + system_ns, ended_ns - started_ns, dropped_ticks from runs")[0]
    check(0.5e9 < took < 1.5e9, f"recorded for {took} ns")
    check(0 < cpu < 2.2 * took, f"{cpu} ns on two threads in {took} ns")
    check(dropped == 0, f"{dropped} ticks dropped after the end")


def options_that_do_not_go_together():
    for options in (["--rate", "0"], ["--clock", "tsc"], ["--stopped"], ["--delay", "1"]):
        result, _ = record("options", options=options)
        check(result.status == 125 and len(result.errors.splitlines()) == 1,
              f"{options}: {result.ending}\n{result.errors}")


def library_that_gets_shorter():
    """The recorder has the files mapped; it does not end when one of them is cut."""
    library, host = DIRECTORY / "libcut.so", DIRECTORY / "cut_host"
    (DIRECTORY / "cut.c").write_text(
        "int spin(int n) { int s = 0; for (volatile int i = 0; i < n; i++) s += i; return s; }\n"
        "int work(int n) { return spin(n) + 1; }\n")
    (DIRECTORY / "cut_host.c").write_text("""
#include <dlfcn.h>
#include <unistd.h>
int main(int count, char **arguments) {
  int (*work)(int) = dlsym(dlopen(arguments[1], RTLD_NOW), "work");
  usleep(200000);
  work(3000000);
  truncate(arguments[1], 64);
  volatile int sum = 0;
  for (volatile int i = 0; i < 300000000; i++) sum += i;
  _exit(0);
}""")
    harness.must(["gcc", "-O0", DIRECTORY / "cut_host.c", "-o", host])
    for _ in range(10):  # ticks are read some time after they came: most times, after the cut
        harness.must(["gcc", "-O0", "-shared", "-fPIC", DIRECTORY / "cut.c", "-o", library])
        profile = recorded("cut", library, program=host)
        check(share(profile, "main") > 0.9, f"main has {share(profile, 'main'):.1%}")
        if cut(profile) > 0:
            return
    check(False, "no tick was read after the cut")


if __name__ == "__main__":
    try:
        harness.compile_program(SOURCE, PROGRAM, ["-O2", "-pthread"], False, link=["-pthread"])
        harness.main(shares, agrees_with_the_runtime, static_programs, another_c_library,
                     program_that_begins_by_hand, code_made_by_go, threads,
                     family, deep_stacks, recursion, time_in_the_kernel, unprivileged,
                     in_another_root, refused,
                     the_programs_own_end,
                     profile_that_cannot_be_saved, short_processes, signals_are_passed_on, for_some_time,
                     options_that_do_not_go_together, library_that_gets_shorter)
    finally:
        shutil.rmtree(OPEN, ignore_errors=True)
