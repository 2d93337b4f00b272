#!/usr/bin/env python3
"""CPU time of programs that are in the kernel, however they end: nothing of it is lost, and what was
not sampled is said."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("cpu_books")
PROGRAM = DIRECTORY / "in_kernel"
STATIC = DIRECTORY / "static"
READS = 1500


def recorded(name, *command, options=()):
    """What the program said of its CPU time; its profile; what was told of it."""
    output = DIRECTORY / f"{name}.ascribe"
    done = run([ASCRIBE, "record", "-o", output, *options, "--", *command], DIRECTORY)
    check(output.exists(), f"no profile\n{done.errors}")
    used = max((int(line) for line in done.output.split()), default=0)
    return used, Profile(output), done.errors


def cpu_ns(profile):
    return profile.value("select sum(user_ns + system_ns) from processes")


def ends():
    for ending in ("exit", "_exit", "quick_exit", "kill", "exec"):
        used, profile, told = recorded(ending, PROGRAM, READS, ending)
        check(cpu_ns(profile) > 0.8 * used, f"{ending}: {cpu_ns(profile)} ns of {used}")
        check("not recorded" not in told, told)
        check(profile.value("select sum(unknown_ns) from processes") < 0.2 * used, "not known whose")


def end_that_is_told():
    for ending, words in (("_exit", "exit"), ("kill", "signal"), ("exec", "exec")):
        _, profile, told = recorded("told", PROGRAM, 10, ending)
        ends = [row[0] for row in profile.rows("select ending from processes order by started_ns")]
        check(ends[0] == words, f"{ending}: {ends}")
        signal = profile.value("select signal from processes order by started_ns limit 1")
        check(signal == (9 if ending == "kill" else None), f"{ending}: signal {signal}")
        report = must([ASCRIBE, "report", DIRECTORY / "told.ascribe"]).output
        one = "1 process that ran 2 programs, " if ending == "exec" else "1 process, "
        check(one in report, report)
        check(("1 process that ran 2 programs: " in told) == (ending == "exec"), told)
        check(("was ended by SIGKILL" in report) == (ending == "kill"), report)
        check(("was ended by SIGKILL" in told) == (ending == "kill"), told)
        check("without exit" not in report, report)


def lives_until_it_is_killed():
    """Asleep, it has no ticks that look at the time: who waited for it knows how long it lived."""
    for command in ("sleep 0.7; kill -9 $$", "exec sleep 0.7", "sleep 0.7; exec true"):
        _, profile, _ = recorded("asleep", "sh", "-c", command)
        lived = profile.value("select max(updated_ns - started_ns) from processes where executable"
                              " like '%sh' or executable like '%sleep'")
        check(lived > 0.7e9, f"{command}: {lived} ns")
        head = must([ASCRIBE, "report", DIRECTORY / "asleep.ascribe"]).output
        check(profile.value("select ended_ns - started_ns from runs") > 0.7e9, head)


def several_that_were_killed():
    """What they used is known, but which of them only by ticks since the last look at their clocks."""
    for rate, most in ((1000, 0.2), (10, 1), (0, 1)):
        used, profile, told = recorded("several", PROGRAM, READS, "two", options=("--rate", rate))
        known = cpu_ns(profile)
        unknown = profile.value("select sum(unknown_ns) from processes")
        check(used > 0 and abs(known + unknown - used) < 0.1 * used,
              f"rate {rate}: {known} ns known, {unknown} not, of {used}")
        check(unknown < most * used, f"rate {rate}: {unknown} ns not known of {used}")
    check("not recorded: " in told, told)
    report = must([ASCRIBE, "report", DIRECTORY / "several.ascribe"]).output
    check("more was not recorded" in report, report)


def ticks_that_stand_for_more():
    """A tick may stand for more than the program had: the sum is what who waited for it was told."""
    for _ in range(5):
        used, profile, _ = recorded("rarely", PROGRAM, READS, "kill", options=("--rate", "10"))
        check(cpu_ns(profile) < 1.1 * used + 5e6, f"{cpu_ns(profile)} ns of {used}")
        profile.connection.close()


def not_recorded():
    """What a cleared environment keeps out is missing, and that is said."""
    used, profile, told = recorded("cleared", "env", "-i", PROGRAM, READS, "exit")
    unknown = profile.value("select sum(unknown_ns) from processes")
    check(unknown > 0.8 * used or cpu_ns(profile) > 0.8 * used, f"{unknown} ns of {used}")
    check(("not recorded: " in told) == (unknown > cpu_ns(profile)), told)


def gone_on_unrecorded():
    """What a static program uses is not that of the one that it followed in the same process."""
    used, profile, told = recorded("gone_on", "sh", "-c", f"exec {STATIC} {READS} exit")
    unknown = profile.value("select sum(unknown_ns) from processes")
    check(cpu_ns(profile) < 0.5 * used, f"{cpu_ns(profile)} ns of {used} are the shell's")
    check(unknown > 0.8 * used and "not recorded: " in told, f"{unknown} ns of {used}\n{told}")
    report = must([ASCRIBE, "report", profile.path]).output
    check("gone on as a program that was not recorded" in report, report)


def killed_by_another():
    """timeout waits for it, and its own figures are not mistaken for the other's."""
    _, profile, _ = recorded("timeout", "timeout", "0.5", PROGRAM, 1000000, "exit")
    by_program = dict(profile.rows("select substr(executable, -9), max(user_ns + system_ns)"
                                   " from processes group by 1"))
    check(by_program["in_kernel"] > 5 * by_program["n/timeout"], str(by_program))


def a_split_that_is_too_coarse():
    """The kernel's own ticks may find no user time at all."""
    for ending in ("exit", "kill"):
        _, profile, _ = recorded("split", PROGRAM, READS, ending)
        ticks = profile.all_ticks()
        self_ns = profile.value("select coalesce(sum(self_ns), 0) from functions")
        period = profile.value("select period_ns from processes")
        check(ticks < 5 or self_ns >= 0.4 * ticks * period, f"{ticks} ticks of {period} ns: {self_ns} ns")
        report = must([ASCRIBE, "report", DIRECTORY / "split.ascribe"]).output
        check("nan" not in report, report)


def percentages_are_of_all():
    """Of the CPU time, the kernel's too, which was not sampled unless CPU timers were used."""
    _, profile, told = recorded("kernel", PROGRAM, 400000, "exit", 16)
    report = must([ASCRIBE, "report", profile.path]).output
    kernel, whole = profile.rows("select kernel_ns, sampled_ns + kernel_ns from runs")[0]
    if not kernel:
        return
    percent = 100 * kernel / whole
    rows = report.partition("Flat profile")[2].partition("Call graph")[0].splitlines()[3:]
    shares = [float(row.split()[0]) for row in rows if row.strip() and "more functions" not in row]
    row = [row for row in rows if row.endswith("(in the kernel, not sampled)")]
    check(row and abs(float(row[0].split()[0]) - percent) < 0.1, report)
    check(95 < sum(shares) < 101, f"{shares} sum to {sum(shares)}\n{report}")
    check(shares[0] == max(shares), "the kernel's row is not in its place")
    check("(in the kernel, not sampled)" in told, told)
    check((f"{percent:.0f} % of the time was spent in the kernel" in told) == (percent > 10), told)
    machine = json.loads(must([ASCRIBE, "report", "--json", profile.path]).output)["run"]
    check(machine["whole_ns"] == whole, f"{machine['whole_ns']} is not {whole}")
    part = must([ASCRIBE, "report", "--thread", "1", profile.path]).output
    check("% is of the whole" in part, part)
    check("the kernel's work for each tick is unknown" in part, part)


def start_of_the_runtime():
    """What it does before the program begins is not the program's: dlsym, pthread_atfork."""
    found = set()
    for _ in range(40):
        _, profile, _ = recorded("start", PROGRAM, 1, "exit", options=("--rate", "10000"))
        found |= {name for name, in profile.rows("select name from functions where total_ns > 0")}
        profile.connection.close()
    check(not {"_dl_sym", "dlsym", "__register_atfork"} & found, f"charged to the program: {found}")


if __name__ == "__main__":
    must(["gcc", "-O2", harness.SOURCE / "tests/scenarios/in_kernel.c", "-o", PROGRAM])
    must(["gcc", "-O2", "-static", harness.SOURCE / "tests/scenarios/in_kernel.c", "-o", STATIC])
    harness.main(ends, end_that_is_told, lives_until_it_is_killed, several_that_were_killed, ticks_that_stand_for_more,
                 not_recorded, gone_on_unrecorded, killed_by_another,
                 a_split_that_is_too_coarse, percentages_are_of_all,
                 start_of_the_runtime)
