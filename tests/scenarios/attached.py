#!/usr/bin/env python3
"""`ascribe record --pid`: processes that run already."""

import contextlib
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
from harness import ASCRIBE, Profile, check, run

DIRECTORY = harness.scratch("attached")
SOURCE = harness.SOURCE / "tests/scenarios/looked_at.c"
PROGRAM = DIRECTORY / "looked_at"
OPEN = pathlib.Path(tempfile.mkdtemp(prefix="ascribe-attached-"))


@contextlib.contextmanager
def running(*arguments, program=PROGRAM, ready=True):
    """A program that runs meanwhile, and has said that it does."""
    process = subprocess.Popen([program, *map(str, arguments)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        if ready:
            check(process.stdout.readline() == b"ready\n", "it does not start")
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def recorder_of(process, name, *options, environment=None):
    """`ascribe record --pid`, which looks already."""
    path = DIRECTORY / f"{name}.ascribe"
    recorder = subprocess.Popen([ASCRIBE, "record", "-o", path, *options, "--pid",
                                 str(process.pid)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, start_new_session=True,
                                env=environment)
    first = recorder.stderr.readline().decode()
    check("recording process" in first, f"it does not begin: {first}")
    yield recorder, path


def finished(recorder, path):
    _, errors = recorder.communicate(timeout=30)
    check(recorder.returncode == 0 and b"saved " in errors,
          f"ended with {recorder.returncode}\n{errors.decode()}")
    profile = Profile(path)
    whole = profile.value("select sampled_ns from runs")
    check(profile.value("select max(total_ns) from functions") <= whole + 1, "above 100 %")
    return profile


def cpu_ns(process):
    """Of all its threads, by the kernel's clock of the process."""
    return time.clock_gettime_ns((~process.pid << 3) | 2)


def until_it_took(process, seconds):
    """Of CPU time, however busy the machine is."""
    end = cpu_ns(process) + seconds * 1e9
    while cpu_ns(process) < end:
        time.sleep(0.05)


def threads_ns(process):
    """CPU time of each thread that is there."""
    times = {}
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        with contextlib.suppress(OSError):
            times[int(task.name)] = int((task / "schedstat").read_text().split()[0])
    return times


def stopped_by_signals():
    for number in (signal.SIGINT, signal.SIGTERM):
        with running("serve") as process:
            with recorder_of(process, "signal") as (recorder, path):
                until_it_took(process, 0.5)
                os.kill(recorder.pid, number)
                profile = finished(recorder, path)
            check(process.poll() is None, "the process ended too")
        check(profile.all_ticks() > 100, f"{profile.all_ticks()} ticks")
        check(profile.total_share("server") > 0.2, "what it does is not seen")
        starts = {name for name, in profile.rows("select start_function_name from threads")}
        check({"server", "parent_of_threads"} & starts, f"threads that ran already: {starts}")


def for_some_time():
    with running("serve") as process:
        begin = time.monotonic()
        with recorder_of(process, "duration", "--duration", "0.7") as (recorder, path):
            finished(recorder, path)
        took = time.monotonic() - begin
        check(0.6 < took < 10, f"took {took:.1f} s")


def all_threads():
    """What the kernel says that the process took is what was recorded, however many threads it
    has, and has made meanwhile."""
    for name, arguments in (("churn", ["serve"]), ("crowd", ["crowd", 60])):
        with running(*arguments) as process, harness.TickYield(DIRECTORY, 250000) as ticks:
            outer = -cpu_ns(process)
            with recorder_of(process, name, "--rate", "4000") as (recorder, path):
                inner, threads_before = -cpu_ns(process), threads_ns(process)
                time.sleep(1)
                inner, threads_after = inner + cpu_ns(process), threads_ns(process)
                os.kill(recorder.pid, signal.SIGINT)
                profile = finished(recorder, path)
            outer += cpu_ns(process)
        recorded = profile.value("select user_ns + system_ns from runs")
        check(0.95 * inner < recorded < 1.05 * outer,
              f"{name}: {recorded} ns recorded, not {inner} to {outer}")
        period = profile.value("select period_ns from processes")
        check(profile.all_ticks() * period < 1.1 * recorded, f"{name}: more ticks than time")
        if name == "crowd":
            ticks.check_run(profile)  # brief threads end before their next tick is due
        found = dict(profile.rows("select tid, ticks from threads"))
        dropped = profile.value("select dropped_ticks from runs")
        for tid in threads_before.keys() & threads_after.keys() if not dropped else ():
            ns = threads_after[tid] - threads_before[tid]
            check(ns < 100e6 or found.get(tid, 0) * period > 0.6 * ticks.share * ns,
                  f"{name}: {found.get(tid, 0)} ticks of thread {tid}, which took {ns} ns")
        seen = {tid for tid, in profile.rows("select tid from threads where ticks > 0")}
        ran = {tid for tid, ns in threads_after.items() if ns - threads_before.get(tid, ns) > 20e6}
        check(ran <= seen, f"{name}: {len(ran - seen)} of {len(ran)} threads were not seen")


def grown():
    """A program that makes threads while we begin to look: the profile, and what its threads had
    taken some time after the begin, before the end, and after it."""
    with running("grow", 150) as process:
        with recorder_of(process, "grow", "--rate", "10000") as (recorder, path):
            time.sleep(0.5)
            before = threads_ns(process)
            time.sleep(2)
            after = threads_ns(process)
            os.kill(recorder.pid, signal.SIGINT)
            return finished(recorder, path), before, after, threads_ns(process)


def threads_made_meanwhile():
    """Each thread is measured, and once."""
    for _ in range(5):
        profile, before, after, in_all = grown()
        if not profile.value("select dropped_ticks from runs"):
            break
    else:
        print("        (threads made meanwhile: this machine is too busy)")
        return
    ticks = dict(profile.rows("select tid, ticks from threads"))
    ns_a_tick = profile.value("select user_ns + system_ns from runs") / sum(ticks.values())
    missing, wrong = [], []
    for tid, ns in after.items():
        least = (ns - before.get(tid, 0)) / ns_a_tick
        most = in_all.get(tid, ns) / ns_a_tick
        found = ticks.get(tid, 0)
        told = f"thread {tid}: {found} ticks, not {least:.0f} to {most:.0f}"
        if found < 0.1 * least - 1:
            missing.append(told)
        if found < 0.7 * least - 4 - 3 * least ** 0.5 or found > 1.3 * most + 4 + 3 * most ** 0.5:
            wrong.append(told)
    check(not missing, f"{len(missing)} of {len(after)} are missing: {missing[:3]}")
    # On a virtual machine that waits for its processor, one tick may stand for many.
    check(len(wrong) <= 3, f"{len(wrong)} of {len(after)}: {wrong[:3]}")


def its_own_end():
    with running("serve", 1) as process:
        with recorder_of(process, "end") as (recorder, path):
            profile = finished(recorder, path)
        check(process.wait() == 0, "it did not end by itself")
    check(profile.all_ticks() > 100, f"{profile.all_ticks()} ticks")
    check(profile.value("select ending from processes") == "exit", "its end")


def killed():
    with running("serve") as process:
        with recorder_of(process, "killed") as (recorder, path):
            time.sleep(0.3)
            process.kill()
            profile = finished(recorder, path)
    check(profile.all_ticks() > 30, f"{profile.all_ticks()} ticks")


def children():
    """What it starts is recorded too."""
    script = "read line; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; " \
             f"{PROGRAM} once; exit 0"
    process = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE)
    with recorder_of(process, "children") as (recorder, path):
        process.communicate(b"go\n")
        profile = finished(recorder, path)
    check(profile.total_share("one") > 0.05, "the child's time")
    commands = {command for command, in profile.rows("select command from processes")}
    # Of one that ended before it was looked for in /proc, the kernel's name is known.
    check(commands & {f"{PROGRAM} once", "looked_at"}, f"{commands}")
    check("" not in commands, "a process without a command")


def one_line(arguments, *words, user=()):
    result = run([*user, ASCRIBE, "record", "-o", DIRECTORY / "none.ascribe", "--pid", *arguments],
                 "/")
    lines = result.errors.splitlines()
    check(result.status == 125, f"{arguments}: {result.ending}\n{result.errors}")
    check(len(lines) == 1 and lines[0].startswith("ascribe"), result.errors)
    for word in words:
        check(word in lines[0], f"{word!r} is not in {lines[0]!r}")


def refused_lost():
    """An environment in which the kernel cannot tell how many records an event has lost, as before
    Linux 6.0."""
    library = DIRECTORY / "old_kernel.so"
    harness.must(["gcc", "-O2", "-shared", "-fPIC", harness.SOURCE / "tests/scenarios/old_kernel.c",
                  "-o", library])
    return {**os.environ, "LD_PRELOAD": str(library)}


def accounts_balance(profile):
    """Self times, dropped and unsampled time are the CPU time."""
    total, sampled, unsampled, kernel, handlers, ours, dropped = profile.rows(
        "select user_ns + system_ns, sampled_ns, unsampled_ns, kernel_ns, handlers_ns, profiler_ns,"
        " dropped_ns from runs")[0]
    self_ns = profile.value("select sum(self_ns) from functions")
    rows = profile.value("select count(*) from functions")
    check(abs(sampled + unsampled + kernel + handlers - total) < 1000, "parts are not the whole")
    check(abs(self_ns + dropped + ours - sampled) <= rows, f"{self_ns} + {dropped} of {sampled}")


def while_stopped(what, meanwhile, environment=None):
    """A recorder that does not get to read for two seconds."""
    with running("crowd", 3) as process, harness.TickYield(DIRECTORY, 200000) as ticks:
        with recorder_of(process, f"lost_{what}", "--rate", "5000", environment=environment) as (
                recorder, path):
            os.kill(recorder.pid, signal.SIGSTOP)
            until_it_took(process, 1.5)
            meanwhile(process)
            time.sleep(0.5)
            os.kill(recorder.pid, signal.SIGCONT)
            if process.poll() is None:
                os.kill(recorder.pid, signal.SIGINT)
            profile = finished(recorder, path)
    accounts_balance(profile)
    return profile, ticks


def move(process):
    """All its threads, to the first processor and then to the last."""
    first, *_, last = sorted(os.sched_getaffinity(0))
    for cpu in (first, last) if first != last else ():
        for task in os.listdir(f"/proc/{process.pid}/task"):
            os.sched_setaffinity(int(task), {cpu})
        until_it_took(process, 1)


def end(process):
    process.kill()
    process.wait()


def lost_ticks():
    """Ticks without room are accounted for, though nothing follows them on their processor."""
    for what, meanwhile in (("goes_on", lambda _: None), ("moved", move), ("ended", end)):
        profile, ticks = while_stopped(what, meanwhile)
        dropped = profile.value("select dropped_ticks from runs")
        check(dropped > 100, f"{what}: {dropped} ticks dropped")
        ticks.check_run(profile)


def lost_ticks_on_older_kernels():
    """Where the kernel does not tell of all lost ticks, their time is not sampled."""
    profile, ticks = while_stopped("untold", move, refused_lost())
    total, unsampled = profile.rows("select user_ns + system_ns, unsampled_ns from runs")[0]
    period = profile.value("select period_ns from processes")
    ticks.check(profile.all_ticks() * period + unsampled, total, within=0.2)


def few_descriptors():
    with running("crowd", 40) as process:
        result = run(["prlimit", "--nofile=40:40", ASCRIBE, "record", "-o", DIRECTORY / "few.ascribe",
                      "--pid", process.pid])
    check(result.status == 125 and "too many open files" in result.errors, result.errors)
    check(len(result.errors.splitlines()) == 1, result.errors)


def what_cannot_be_recorded():
    ended = subprocess.Popen(["true"])
    ended.wait()
    one_line([ended.pid], str(ended.pid), "No such process")
    for wrong in ("x", "0", "-1", "99999999999", ""):
        one_line([wrong], "number of a process")
    one_line(["1", "--", "true"], "no PROGRAM")
    with running("serve") as process:
        threads = [int(task) for task in os.listdir(f"/proc/{process.pid}/task")]
        other = min(thread for thread in threads if thread > process.pid)
        one_line([other], f"thread of process {process.pid}")


def of_another_user():
    if os.getuid() != 0:
        one_line([1], "process 1")
        return
    ascribe = OPEN / "ascribe"
    shutil.copy(ASCRIBE, ascribe)
    ascribe.chmod(0o755)
    OPEN.chmod(0o755)
    user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    with running("serve") as process:
        result = run([*user, ascribe, "record", "-o", "/tmp/ascribe-not-permitted.ascribe", "--pid", process.pid], "/")
    check(result.status == 125 and "belongs to user" in result.errors, result.errors)
    check(len(result.errors.splitlines()) == 1, result.errors)


def refused():
    """Where perf events are, the process is not touched."""
    refuse = DIRECTORY / "refuse_perf"
    harness.must(["gcc", "-O1", harness.SOURCE / "tests/scenarios/refuse_perf.c", "-o", refuse])
    with running("serve") as process:
        one_line([process.pid], "perf_event_open refused", user=[refuse])


def ends_at_once():
    """A process that is ending while we begin: one line, or a profile, and no hang."""
    for attempt in range(20):
        process = subprocess.Popen([PROGRAM, "status"], stdout=subprocess.DEVNULL)
        time.sleep(attempt * 0.0002)
        result = run([ASCRIBE, "record", "-o", DIRECTORY / "brief.ascribe", "--pid", process.pid],
                     timeout=20)
        process.wait()
        check(result.status in (0, 125), f"{result.ending}\n{result.errors}")
        check(result.errors.strip(), "nothing was said")


def without_its_first_thread():
    with running("headless") as process:
        with recorder_of(process, "headless", "--duration", "0.5") as (recorder, path):
            profile = finished(recorder, path)
    check(profile.total_share("server") > 0.8, "what goes on is not seen")


def from_the_first_tick():
    """What is mapped is known before ticks come, while threads are still being found."""
    with running("serve") as process:
        for _ in range(5):
            with recorder_of(process, "first", "--duration", "0.05") as (recorder, path):
                profile = finished(recorder, path)
            lost = profile.value("select coalesce(sum(in_ticks), 0) from arcs where"
                                 " caller_name = '(stack cut off)' and callee_name = 'burn'")
            check(lost == 0, f"{lost} ticks of {profile.all_ticks()} have no callers")


def deleted_program():
    """Its file cannot be opened any more: time is known, callers are not, and nothing is guessed."""
    program = DIRECTORY / "deleted"
    shutil.copy(PROGRAM, program)
    with running("serve", program=program) as process:
        program.unlink()
        with recorder_of(process, "gone", "--duration", "0.5") as (recorder, path):
            profile = finished(recorder, path)
    check(profile.all_ticks() > 50, f"{profile.all_ticks()} ticks")
    check(profile.total_share("(stack cut off)") > 0.9, "callers without unwind tables")


def in_another_root():
    """Files are looked for where the process sees them."""
    if os.getuid() != 0:
        print("        (chroot: needs root)")
        return
    root = OPEN / "root"
    root.mkdir()
    inside = harness.compile_program(SOURCE, DIRECTORY / "inside_static",
                                     ["-O2", "-static", "-pthread"], False,
                                     link=["-static", "-pthread"])
    shutil.copy(inside, root / "only_here")
    launcher = subprocess.Popen(["chroot", root, "/only_here", "serve"], stdout=subprocess.PIPE)
    try:
        check(launcher.stdout.readline() == b"ready\n", "it does not start")
        with recorder_of(launcher, "root", "--duration", "0.5") as (recorder, path):
            profile = finished(recorder, path)
    finally:
        launcher.kill()
        launcher.wait()
    check(profile.total_share("server") > 0.2, "its functions have no names")
    check(profile.total_share("(stack cut off)") < 0.02, "its stacks were not followed")


if __name__ == "__main__":
    try:
        harness.compile_program(SOURCE, PROGRAM, ["-O2", "-pthread"], False, link=["-pthread"])
        harness.main(stopped_by_signals, for_some_time, all_threads, threads_made_meanwhile, its_own_end, killed, children, lost_ticks,
                     lost_ticks_on_older_kernels, few_descriptors,
                     what_cannot_be_recorded, of_another_user, refused, ends_at_once,
                     without_its_first_thread, from_the_first_tick, deleted_program,
                     in_another_root)
    finally:
        shutil.rmtree(OPEN, ignore_errors=True)
