#!/usr/bin/env python3
"""Calls of MPI: messages, bytes and partners are those of the program's own books, where it calls is known,
and both merges tell the same of who sends to whom, and of who came late."""

import collections
import json
import pathlib
import shutil
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

HERE = pathlib.Path(__file__).resolve().parent
DIRECTORY = harness.scratch("mpi_calls")
ASCRIBE_MPI = pathlib.Path(ASCRIBE).with_name("ascribe-mpi")
RANKS = 3
LARGE = 1 << 32 if sys.maxsize > 1 << 32 else 8  # bytes of the largest type
ONE_SIDED = {"MPI_Put": (2, 88, 0, "transfer"), "MPI_Get": (1, 0, 104, "transfer"),
             "MPI_Get_accumulate": (2, 24, 40, "transfer"), "MPI_Win_fence": (3, 0, 0, "collective"),
             "MPI_Win_flush": (1, 0, 0, "waiting"), "MPI_Win_free": (1, 0, 0, "other")}
FILES = [f"talks.{rank}.ascribe" for rank in range(RANKS)]
if not shutil.which("mpicc"):
    harness.skip("there is no mpicc")
MPIRUN = harness.mpirun()


def books():
    lines = [line for rank in range(RANKS) for line in (DIRECTORY / f"books.{rank}").read_text().splitlines()]
    return sorted(tuple(map(int, line.split())) for line in lines)


def matrix_of(name):
    return sorted(Profile(DIRECTORY / name).rows(
        "select rank, partner, sent, sent_bytes, received, received_bytes from message_matrix"))


def messages_are_those_of_the_books():
    must(["mpicc", "-O1", "-g", HERE / "talks.c", "-o", DIRECTORY / "talks"])
    must([*MPIRUN, "-n", RANKS, ASCRIBE, "record", "-q", "-r", "0", "--", "./talks"], directory=DIRECTORY)
    sums = collections.Counter()
    for name in FILES:  # each tells of both ends of its one-sided calls
        for rank, partner, *figures in matrix_of(name):
            sums.update({(rank, partner, place): figure for place, figure in enumerate(figures)})
    found = [(*pair, *(sums[*pair, place] for place in range(4))) for pair in sorted({key[:2] for key in sums})]
    check(found == books(), f"{found}, not {books()}")


def calls_are_counted_where_they_are():
    source = (HERE / "talks.c").read_text().splitlines()
    for rank, name in enumerate(FILES):
        profile = Profile(DIRECTORY / name)
        sums = {row[0]: row[1:] for row in profile.rows(
            "select call, sum(calls), sum(sent_bytes), sum(received_bytes), min(kind) from messages group by call")}
        done = (DIRECTORY / f"done.{rank}").read_text().splitlines() if (DIRECTORY / f"done.{rank}").exists() else []
        root, new = rank == 0, "large counts" in done  # MPI 4 has MPI_Send_c
        ends = 2 - (rank in (0, RANKS - 1))
        for call, expected in {
                "MPI_Send": (13 + new, 1224 + 40 * new, 0, "transfer"), "MPI_Imrecv": (1, 0, 24, "transfer"),
                "MPI_Recv_init": (1, 0, 432, "transfer"), "MPI_Gatherv": (1, 0, 0, "collective"),
                "MPI_Reduce_scatter": (1, 0, 0, "collective"), "MPI_Reduce": (1, 0, 0, "collective"),
                "MPI_Ireduce": (1, 0, 0, "collective"),
                "MPI_Allgatherv": (1, 8 * (rank + 1), 8 * RANKS * (RANKS + 1) // 2, "collective"),
                "MPI_Recv": (10, 0, 1160, "transfer"),
                "MPI_Waitany": (40, 0, 0, "waiting"), "MPI_Startall": (6, 432, 0, "transfer"),
                "MPI_Barrier": (5, 0, 0, "collective"), "MPI_Comm_free": (4, 0, 0, "other"),
                "MPI_Comm_disconnect": (2, 0, 0, "other"),
                "MPI_Bcast": (3, 40 * root + LARGE, 40 * (not root), "collective"),
                "MPI_Allreduce": (1, 16, 16, "collective"),
                "MPI_Gather": (1, 24, 24 * RANKS * root, "collective"),
                "MPI_Igather": (1, 16, 16 * RANKS * root, "collective"), "MPI_Iscan": (1, 16, 16, "collective"),
                "MPI_Allgather": (1, 16, 16 * RANKS, "collective"),
                "MPI_Alltoall": (1, 8 * RANKS, 8 * RANKS, "collective"),
                "MPI_File_open": (2, 0, 0, "files"), "MPI_File_write_at_all": (1, 80, 0, "files"),
                "MPI_File_read_at": (1, 0, 80 - 8 * rank, "files"),
                "MPI_Cart_create": (1, 0, 0, "other"),
                "MPI_Neighbor_allgather": (1, 16, 16 * ends, "collective"),
                "MPI_Neighbor_alltoall": (1, 24 * ends, 24 * ends, "collective"),
                **({"MPI_Allreduce_init": (1, 48, 48, "collective")} if "persistent collectives" in done else {}),
                **(ONE_SIDED if "one-sided" in done else {})}.items():
            check(sums.get(call) == expected, f"rank {rank}, {call}: {sums.get(call)}, not {expected}")
        for call, line, function in profile.rows(
                "select call, line, function_name from messages where kind = 'transfer'"):
            check(call in source[line - 1], f"{call} is not on line {line} ({function})")


def both_merges_tell_the_same():
    must([ASCRIBE, "merge", "-q", "-o", "job.ascribe", *FILES], directory=DIRECTORY)
    check(matrix_of("job.ascribe") == books(), f"merged: {matrix_of('job.ascribe')}")
    if ASCRIBE_MPI.exists():
        must([*MPIRUN, "-n", "2", ASCRIBE_MPI, "merge", "-q", "-o", "by2.ascribe", *FILES], directory=DIRECTORY)
        whole, by_two = (sorted(sqlite3.connect(DIRECTORY / name).iterdump()) for name in ("job.ascribe", "by2.ascribe"))
        check(whole == by_two, "ascribe-mpi gives another profile")
    report = must([ASCRIBE, "report", "--ranks", "--limit", "all", "job.ascribe"], directory=DIRECTORY).output
    for part in ("Calls of MPI", "Where MPI is called", "Who sends how many bytes", "MPI_Alltoall"):
        check(part in report, f"{part} is not in the report: {report}")
    told = json.loads(must([ASCRIBE, "report", "--ranks", "--json", "job.ascribe"], directory=DIRECTORY).output)
    check(len(told["message_matrix"]) == 2 * RANKS, told["message_matrix"])
    check({row["call"] for row in told["messages"]} >= {"MPI_Irecv", "MPI_Init"}, "messages")


def metrics_are_the_sums_of_the_calls():
    """By line and function in each rank and merged; all are below main; and how they vary over ranks."""
    for name in [*FILES, "job.ascribe"]:
        profile = Profile(DIRECTORY / name)
        for metric, amount in {"sent": "(kind <> 'files') * sent_bytes", "received": "(kind <> 'files') * received_bytes",
                               "mpi": "elapsed_ns",
                               "mpi-transfer": "(kind = 'transfer') * elapsed_ns",
                               "mpi-waiting": "(kind = 'waiting') * elapsed_ns",
                               "mpi-collective": "(kind = 'collective') * elapsed_ns"}.items():
            expected = profile.rows(f"select function_name, line, sum({amount}) as amount from messages"
                                    " group by 1, 2 having amount order by 1, 2")
            found = profile.rows("select function_name, line, sum(self) from metric_lines"
                                 f" where metric = '{metric}' and self group by 1, 2 order by 1, 2")
            check(found == expected, f"{name}, {metric} by line: {found}, not {expected}")
            whole = profile.rows(f"select total from metric_functions where metric = '{metric}' and name = 'main'")
            check(whole == [(sum(row[2] for row in expected),)], f"{name}, {metric} of main: {whole}")
    by_metric = [must([ASCRIBE, "report", "--ranks", *options, "job.ascribe"], directory=DIRECTORY).output
                 .split("Calls of MPI, and how long")[1].split("Where MPI is called")[0]
                 for options in ([], ["--metric", "sent"])]
    check(by_metric[0] == by_metric[1], f"the unit of time is not one of time: {by_metric}")
    per_rank = {(function, run): sent for run, row in enumerate(FILES) for function, sent in Profile(DIRECTORY / row).rows(
        "select function_name, sum((kind <> 'files') * sent_bytes) from messages group by 1")}
    for function, least, most in profile.rows("select function_name, least, most from spreads where metric = 'sent'"
                                              " and function is not null and line is null"):
        amounts = [per_rank[function, run] for run in range(RANKS)]
        check((least, most) == (min(amounts), max(amounts)), f"{function}: {least} to {most}, not {amounts}")


def both_ends_of_messages_are_known():
    known = Profile(DIRECTORY / "job.ascribe").rows(
        "select rank, partner, sum(messages) from late_messages where late_end = 'sender' group by 1, 2")
    expected = [(rank, partner, received) for rank, partner, _, _, received, _ in books() if received]
    check(sorted(known) == expected, f"both ends of {known}, not {expected}")
    check(Profile(DIRECTORY / "job.ascribe").rows("select count(*) from raw_message_ends") == [(0,)],
          "the ends are kept although all ranks are there")


def times_of(rank, call):
    lines = [line.split() for line in (DIRECTORY / f"times.{rank}").read_text().splitlines()]
    return [(int(begin), int(end)) for name, begin, end in lines if name == call]


def lateness(name, late_end):
    ((late, uncertainty, clock, unrelated, messages),) = Profile(DIRECTORY / name).rows(
        "select sum(late_ns), sum(late_uncertainty_ns), max(clock_uncertainty_ns), sum(unrelated), sum(messages)"
        f" from late_messages where rank = 1 and late_end = '{late_end}'")
    check(unrelated == 0 and messages == len(times_of(1, "Recv")), f"{messages} messages, {unrelated} unrelated")
    return late, uncertainty, clock


def late_ends_are_those_of_the_programs_clock():
    """What a call waits is between the program's own times, whatever else delays it: its own call lies within
    these, and what of them is not in the call's recorded time may have been before it. The counter's rate is
    known to some per cent of a short run."""
    must(["mpicc", "-O1", "-g", HERE / "late.c", "-o", DIRECTORY / "late"])
    must([*MPIRUN, "-n", "2", ASCRIBE, "record", "-q", "-r", "0", "--", "./late"], directory=DIRECTORY)
    must([ASCRIBE, "merge", "-q", "-o", "late.ascribe", "late.0.ascribe", "late.1.ascribe"], directory=DIRECTORY)
    for late_end, own_call, partner_call in (("sender", "Recv", "Ssend"), ("receiver", "Ssend", "Recv")):
        late, uncertainty, clock = lateness("late.ascribe", late_end)
        own, partner = times_of(1, own_call), times_of(0, partner_call)
        ((elapsed,),) = Profile(DIRECTORY / "late.ascribe").rows(
            f"select sum(elapsed_ns) from messages where rank = 1 and call = 'MPI_{own_call}'")
        outside = sum(end - begin for begin, end in own) - elapsed
        least = sum(there[0] - here[0] for here, there in zip(own, partner)) - outside
        most = sum(max(there[1] - here[0], 0) for here, there in zip(own, partner))
        check(0.9 * least <= late <= 1.1 * most, f"late {late_end}: {late} ns, not {least} to {most}")
        check(uncertainty == 0 and clock == 0, f"one machine, but +- {uncertainty} ns")

    barriers = Profile(DIRECTORY / "late.ascribe").rows(
        "select call, partner_call, sum(messages) from late_messages where late_end = 'collective' group by 1, 2")
    check(barriers == [("MPI_Barrier", "MPI_Barrier", 8)], f"one of two waits in each of 8 barriers: {barriers}")


def another_machines_clock_is_found_by_messages():
    """Rank 1 as if it were elsewhere: its counter began at another time, and runs 20 ppm faster. What a loaded
    machine's short run has measured of the rates is left out."""
    ((rate,),) = Profile(DIRECTORY / "late.0.ascribe").rows("select cycle_ns from raw_processes")
    shutil.copy(DIRECTORY / "late.1.ascribe", DIRECTORY / "away.1.ascribe")
    with sqlite3.connect(DIRECTORY / "away.1.ascribe") as away:
        away.execute("update raw_processes set clock = 'another machine', cycle_ns = ?", (rate,))
        away.execute("update raw_message_ends set posted = posted + 1000000000000 + (posted"
                     " - (select min(posted) from raw_message_ends)) / 50000")
    away.close()
    must([ASCRIBE, "merge", "-q", "-o", "away.ascribe", "away.1.ascribe", "late.0.ascribe"], directory=DIRECTORY)
    for late_end in ("sender", "receiver"):
        truth, _, _ = lateness("late.ascribe", late_end)
        late, uncertainty, clock = lateness("away.ascribe", late_end)
        most = uncertainty + 2 * clock * len(times_of(1, "Recv")) + 0.05 * truth
        check(clock > 0 and abs(late - truth) <= most, f"late {late_end}: {late} ns, not {truth} +- {most}, clocks +- {clock}")


def rows_may_have_any_order():
    shutil.copy(DIRECTORY / "job.ascribe", DIRECTORY / "mixed.ascribe")
    with sqlite3.connect(DIRECTORY / "mixed.ascribe") as mixed:
        mixed.execute("create temp table rows as select * from raw_messages order by call, process")
        mixed.execute("delete from raw_messages")
        mixed.execute("insert into raw_messages select * from rows order by rowid")
    mixed.close()
    usual, other = (must([ASCRIBE, "report", "--ranks", name], directory=DIRECTORY).output
                    for name in ("job.ascribe", "mixed.ascribe"))
    check(usual == other, f"{other}, not {usual}")


if __name__ == "__main__":
    harness.main(messages_are_those_of_the_books, calls_are_counted_where_they_are, both_merges_tell_the_same,
                 metrics_are_the_sums_of_the_calls, both_ends_of_messages_are_known, late_ends_are_those_of_the_programs_clock,
                 another_machines_clock_is_found_by_messages, rows_may_have_any_order)
