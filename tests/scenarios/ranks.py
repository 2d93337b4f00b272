#!/usr/bin/env python3
"""Ranks of a parallel job: record knows which one it is by its launcher's environment, names its file by
it and keeps it; a merged profile tells how the work was shared."""

import json
import os
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("ranks")
# What the test itself may have been started by.
LAUNCHERS = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMI_JOBID", "PMIX_RANK",
             "PMIX_NAMESPACE", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID", "SLURMD_NODENAME")
SOURCE = """
#include <stdlib.h>
static volatile int sink;
__attribute__((noinline)) void step(void) { sink++; }
int main(int count, char **arguments) {
  for (int i = count > 1 ? atoi(arguments[1]) : 1; i > 0; i--) step();
  return 0;
}
"""
COUNTS_ONLY = ["-r", "0"]


def recorded(*options, steps=1, **variables):
    """What ascribe said, and the files that are there then and were not before."""
    environment = {**dict.fromkeys(LAUNCHERS), **variables}
    before = set(DIRECTORY.glob("*.ascribe"))
    result = run([ASCRIBE, "record", *COUNTS_ONLY, *options, "--", DIRECTORY / "steps", str(steps)], DIRECTORY,
                 environment)
    return result, sorted(path.name for path in set(DIRECTORY.glob("*.ascribe")) - before)


def rank_of(name):
    return Profile(DIRECTORY / name).rows("select rank, ranks, job from runs")[0]


def expect(variables, name, told):
    result, files = recorded(**variables)
    check(result.status == 0 and files == [name], f"{variables}: {result.errors}, {files}")
    check(rank_of(name) == told, f"{variables}: {rank_of(name)}")
    check(Profile(DIRECTORY / name).rows("select rank, ranks, job from processes") == [told], "processes")
    (DIRECTORY / name).unlink()
    return result.errors


def launchers_tell_the_rank():
    source = DIRECTORY / "steps.c"
    source.write_text(SOURCE)
    harness.compile_program(source, DIRECTORY / "steps", ["-O1"])
    slurm = {"SLURM_JOB_ID": "77"}
    expect({}, "steps.ascribe", (None, None, None))
    expect({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4", "PMIX_NAMESPACE": "8123"}, "steps.3.ascribe",
           (3, 4, "8123"))
    expect({"PMI_RANK": "11", "PMI_SIZE": "12"}, "steps.11.ascribe", (11, 12, None))
    expect({"PMIX_RANK": "5", "PMIX_NAMESPACE": "prterun-1"}, "steps.5.ascribe", (5, None, "prterun-1"))
    expect({"SLURM_PROCID": "2", "SLURM_NTASKS": "8", "SLURM_STEP_NUM_TASKS": "8", **slurm}, "steps.2.ascribe",
           (2, 8, "77"))
    # mpirun below srun: the inner launcher's rank, the batch system's job.
    expect({"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1", "OMPI_COMM_WORLD_RANK": "1",
            "OMPI_COMM_WORLD_SIZE": "2", "PMIX_NAMESPACE": "1", **slurm}, "steps.1.ascribe", (1, 2, "77"))
    # A batch script is no rank of what it starts.
    expect({"SLURM_PROCID": "0", "SLURM_NTASKS": "8", **slurm}, "steps.ascribe", (None, None, None))
    expect({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}, "steps.ascribe", (0, 1, None))
    for odd in ("-1", "4", "x", "", "99999999999999999999"):
        expect({"PMI_RANK": odd, "PMI_SIZE": "4"}, "steps.ascribe", (None, None, None))


def nodes_have_the_batch_systems_names():
    _, files = recorded("-o", "node.ascribe", PMI_RANK="1", PMI_SIZE="2", SLURMD_NODENAME="cn17")
    for view in ("processes", "runs"):
        check(Profile(DIRECTORY / files[0]).rows(f"select host from {view}") == [("cn17",)], view)
    (DIRECTORY / files[0]).unlink()


def only_rank_0_speaks():
    size = {"PMI_SIZE": "2"}
    said = expect({"PMI_RANK": "0", **size}, "steps.0.ascribe", (0, 2, None))
    check("ascribe merge -o steps.ascribe steps.[0-9]*.ascribe" in said, said)
    check(expect({"PMI_RANK": "1", **size}, "steps.1.ascribe", (1, 2, None)) == "", "rank 1 speaks")
    result, _ = recorded("-o", "missing/one.ascribe", PMI_RANK="1", **size)
    check(result.status == 125 and "missing/one.1.ascribe" in result.errors, f"nothing is said: {result.errors}")


def names_have_the_rank():
    size = {"PMI_SIZE": "2"}
    for output, name in (("job.ascribe", "job.1.ascribe"), ("other", "other.1.ascribe")):
        result, files = recorded("-o", output, PMI_RANK="1", **size)
        check(files == [name], f"-o {output}: {files} {result.errors}")
    for name in ("steps.1.ascribe", "steps.1.2.ascribe"):
        check(recorded(PMI_RANK="1", **size)[1] == [name], f"not {name}: nothing is overwritten")


def a_variable_of_ones_own():
    _, files = recorded("--rank-from", "MY_RANK", MY_RANK="6", PMI_RANK="1", PMI_SIZE="2")
    check(files == ["steps.6.ascribe"] and rank_of(files[0]) == (6, None, None), f"{files}")
    for value, part in ((None, "MY_RANK: the environment variable is not set"), ("six", "is not a number")):
        result, files = recorded("--rank-from", "MY_RANK", MY_RANK=value)
        check(result.status == 125 and part in result.errors and not files, f"{value}: {result.errors}")
    result = run([ASCRIBE, "record", "--rank-from", "HOME", "--pid", str(os.getpid())], DIRECTORY)
    check("--rank-from cannot be combined with --pid" in result.errors, result.errors)


def merged(name, *profiles, status=0):
    result = run([ASCRIBE, "merge", "-q", "-o", name, *profiles], DIRECTORY)
    check(result.status == status, f"{result.ending}: {result.errors}")
    return result.errors


def record_job():
    """Four ranks, of which rank 2 has three times the steps of any other; the last profile comes first."""
    files = []
    for rank in (3, 2, 1, 0):
        result, made = recorded("-o", "job", steps=30 if rank == 2 else 10, PMI_RANK=str(rank), PMI_SIZE="4",
                                PMI_JOBID="night")
        check(result.status == 0 and made == [f"job.{rank}.ascribe"], result.errors)
        files += made
    return files


def a_merged_profile_knows_ranks():
    for stale in DIRECTORY.glob("job*"):
        stale.unlink()
    files = record_job()
    merged("all.ascribe", *files)
    whole = Profile(DIRECTORY / "all.ascribe")
    check(whole.rows("select id, rank, ranks, job from runs order by rank")
          == [(4 - rank, rank, 4, "night") for rank in range(4)], str(whole.rows("select * from runs")))
    check(whole.rows("select rank, calls from run_functions where function_name = 'step' order by rank")
          == [(0, 10), (1, 10), (2, 30), (3, 10)], "calls of each rank")
    merged("again.ascribe", "all.ascribe", files[0])
    check(Profile(DIRECTORY / "again.ascribe").rows("select rank from runs order by id") == [(3,), (2,), (1,), (0,), (3,)],
          "ranks of merged profiles stay ranks")


def spreads_are_of_the_ranks(data):
    """What single profiles say of a line or a function is what the merged one knows of all."""
    whole = Profile(DIRECTORY / "all.ascribe")
    single = [Profile(DIRECTORY / f"job.{rank}.ascribe") for rank in range(4)]
    for of, columns in (("lines", "function_name, file, line"), ("functions", "name, file")):
        known = {}
        for rank, profile in enumerate(single):
            for *thing, ns in profile.rows(f"select {columns}, self_ns from {of} where self_ns > 0"):
                known.setdefault(tuple(thing), {})[rank] = ns
        name = "f.name, f.file" if of == "functions" else "s.function_name, s.file, s.line"
        found = whole.rows(f"select {name}, s.runs, round(s.mean * 4), s.least, s.most, s.most_rank from spreads s"
                           " left join functions f on f.id = s.function where s.context is null and"
                           f" s.line is {'not' if of == 'lines' else ''} null"
                           f" and s.function is {'not' if of == 'functions' else ''} null")
        for *thing, runs, total, least, most, rank in found:
            each = known.get(tuple(thing))
            if each is None or list(map(tuple, (row[:len(thing)] for row in found))).count(tuple(thing)) > 1:
                continue  # code of one name in several objects
            check(runs == len(each) and total == sum(each.values()) and most == max(each.values())
                  and least == (min(each.values()) if runs == 4 else 0) and each[rank] == most,
                  f"{of} {thing}: {runs} {total} {least} {most} {rank}: {each}")
    check(sum(entry["self"]["mean_ns"] for entry in data["run_functions"]) > 0
          or not whole.value("select sum(self_ticks) from functions"), "nothing varies")


def the_report_lists_ranks():
    report = must([ASCRIBE, "report", "--ranks", DIRECTORY / "all.ascribe"]).output
    ranks = report.split("\nRanks\n")[1].split("\n\n")[0].splitlines()[2:]
    check([line.split()[0] for line in ranks] == ["0", "1", "2", "3"], f"not in order of rank: {ranks}")
    check("--ranks shows" in report and "How 4 ranks share" in report, report)
    step = [line for line in report.splitlines() if " step [" in line][0].split()
    check(step[-3] == "15*", f"mean of calls: {step}")
    data = must([ASCRIBE, "report", "--ranks", "--json", DIRECTORY / "all.ascribe"]).output
    data = json.loads(data)
    step = [entry for entry in data["run_functions"] if entry["name"] == "step"][0]["calls"]
    check(step == {"mean": 15, "least": 10, "most": 30, "most_run": 2, "imbalance": 2}, str(step))
    check([run["rank"] for run in data["runs"]] == [3, 2, 1, 0], "ranks of runs")
    spreads_are_of_the_ranks(data)
    one = must([ASCRIBE, "report", "--ranks", DIRECTORY / "job.2.ascribe"]).output
    check("Ranks: this is rank 2" in one, one)
    recorded("-o", "alone.ascribe")
    alone = must([ASCRIBE, "report", "--ranks", DIRECTORY / "alone.ascribe"]).output
    check("Ranks: none is known" in alone, alone)


def sampled_alike():
    """As if ticks had been taken: rank 2's fall into another function; ranks 2 and 3 ran on another node."""
    path = DIRECTORY / "sampled.ascribe"
    merged(path.name, "job.[0-9].ascribe")  # as a pattern
    database = sqlite3.connect(path)
    ids = dict(database.execute("select name, id from functions where name in ('step', 'main')"))
    runs = dict(database.execute("select rank, id from runs"))
    database.execute("update raw_runs set ticks = 1000, sampled_ns = 1000000000")
    database.execute("update raw_runs set host = 'other' where id in (?, ?)", (runs[2], runs[3]))
    database.execute("update raw_run_costs set self_ns = 0")
    for rank, id_of_run in runs.items():
        milliseconds = 700 if rank == 2 else 400
        for name, amount in (("step", milliseconds), ("main", 1000 - milliseconds)):
            database.execute("update raw_run_costs set self_ns = ? where run = ? and function = ?",
                             (amount * 1000000, id_of_run, ids[name]))
    database.commit()
    database.close()
    return path


def ranks_alike_are_grouped():
    path = sampled_alike()
    report = must([ASCRIBE, "report", "--ranks", path]).output
    groups = report.split("\nRanks that spend their time alike\n")[1].split("\n\n")[0].splitlines()[3:]
    check([line.split(": rank ")[1] for line in groups] == ["0, 1, 3", "2"], f"groups: {groups}")
    check("70.0 % (others 40.0 %) of step" in groups[1] or "30.0 % (others 60.0 %) of main" in groups[1], groups[1])
    nodes = report.split("\nNodes\n")[1].split("\n\n")[0].splitlines()[2:]
    check([line.split()[0] for line in nodes] == ["2", "2"] and nodes[1].endswith("other"), f"nodes: {nodes}")
    groups = json.loads(must([ASCRIBE, "report", "--ranks", "--json", path]).output)["run_groups"]
    check([len(group["runs"]) for group in groups["groups"]] == [3, 1] and not groups["differ_within"], str(groups))


def damaged_and_missing_ones_are_named():
    whole = (DIRECTORY / "job.1.ascribe").read_bytes()
    (DIRECTORY / "job.1.ascribe").write_bytes(whole[:len(whole) // 2])
    said = merged("rest.ascribe", *(f"job.{rank}.ascribe" for rank in range(4)), "job.4.ascribe", status=1)
    lines = said.splitlines()
    check(len(lines) == 2 and "job.1.ascribe" in lines[0] and "job.4.ascribe" in lines[1]
          and said.count("it is left out") == 2, said)
    report = must([ASCRIBE, "report", "--ranks", DIRECTORY / "rest.ascribe"]).output
    check("not here: rank 1 of 4 of job night" in report, report)


if __name__ == "__main__":
    harness.main(launchers_tell_the_rank, nodes_have_the_batch_systems_names, only_rank_0_speaks,
                 names_have_the_rank, a_variable_of_ones_own, a_merged_profile_knows_ranks, the_report_lists_ranks, ranks_alike_are_grouped,
                 damaged_and_missing_ones_are_named)
