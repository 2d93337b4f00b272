#!/usr/bin/env python3
"""Try a libFuzzer target on its seeds: run.py TARGET [SEEDS...], SEEDS a command that writes seeds into a
folder, its last argument. With FUZZ_SECONDS in the environment it goes on from them for so many seconds; what it finds
new stays in NAME.corpus beside the target, and is where it goes on the next time.

With FUZZ_SEED, a number, it takes the same way each time, as far as it gets: a faster machine tries more
inputs, but the same ones first. For that nothing is kept, files are not read again while it runs, and
addresses are not random, where the kernel permits that. Seeds that are recordings made for the run
(of `profile`) have other times and addresses each time, and so has its way.

An input that fails stays beside the target, too, as NAME-crash-... or NAME-timeout-...: once the
defect is mended it belongs into corpus/NAME."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"


def write_seeds(name, command, folder):
    for seed in (CORPUS / name).glob("*"):
        (folder / seed.name).write_bytes(seed.read_bytes())
    if command:
        subprocess.run([*command, folder], check=True)
    count = len(list(folder.iterdir()))
    if count == 0:
        sys.exit(f"{name} has no seeds")
    return count


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    log = result.stdout.decode(errors="replace")
    if result.returncode != 0:
        sys.exit(log[-20000:])
    return log


def same_addresses():
    """What stands before a command so that its addresses are not random."""
    command = ["setarch", "--addr-no-randomize"]
    permitted = shutil.which(command[0]) and subprocess.run(
        [*command, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    return command if permitted else []


def go_on(target, name, seconds, options, folder):
    """Fuzz from the seeds in the folder; the number of inputs that were tried."""
    options = [f"-max_total_time={seconds}", "-timeout=300", "-print_final_stats=1", *options]
    seed = os.environ.get("FUZZ_SEED")
    if seed:
        log = run([*same_addresses(), target, f"-seed={seed}", "-reload=0", *options, folder])
    else:
        corpus = target.parent / (name + ".corpus")
        corpus.mkdir(exist_ok=True)
        log = run([target, *options, corpus, folder])
    return int(re.search(r"number_of_executed_units: (\d+)", log)[1])


def main():
    target = pathlib.Path(sys.argv[1]).resolve()
    name = target.name.removeprefix("fuzz_")
    seconds = int(os.environ.get("FUZZ_SECONDS") or 0)
    options = ["-max_len=65536", f"-artifact_prefix={target.parent / name}-"]
    with tempfile.TemporaryDirectory(prefix="ascribe-fuzz-") as folder:
        count = write_seeds(name, sys.argv[2:], pathlib.Path(folder))
        log = run([target, "-runs=0", *options, folder])
        read = re.search(r"INFO: seed corpus: files: (\d+)", log)
        if not read or int(read[1]) != count:
            sys.exit(f"{log}\nnot all of the {count} seeds of {name} were read")
        if seconds:
            count = go_on(target, name, seconds, options, folder)
    print(f"{name}: {count} inputs")


if __name__ == "__main__":
    main()
