"""The small measurements: shared libraries, threads, short processes, a large recording."""
import os
from collections import namedtuple

from ascribe_bench import measure, recording
from ascribe_bench.programs import Runner
from ascribe_bench.variants import VARIANTS, environment, recording_directory

BY_NAME = {variant.name: variant for variant in VARIANTS}
BARE, ASCRIBE, UNRECORDED = (BY_NAME[name] for name in ("bare", "ascribe", "not recording"))

# ratio: to the bare program; nanoseconds: of one call, over the bare program (Spreads).
Hooks = namedtuple("Hooks", "ratio nanoseconds")
Report = namedtuple("Report", "contexts seconds peak_bytes recording_bytes")


def hooks_cost(times, calls):
    extra = [mine - bare for mine, bare in zip(times["ascribe"], times["bare"])]
    return Hooks(measure.ratios(times["ascribe"], times["bare"]),
                 measure.Spread([1e9 * seconds / calls for seconds in extra]))


def library_hooks(builder, name, rounds):
    """Hooks where the hot code lies in the executable, and where it lies in a shared library."""
    runner, calls = Runner(builder), {}
    times = {shared: {"bare": [], "ascribe": []} for shared in (False, True)}
    for _ in range(rounds):
        for shared in (False, True):
            for variant in (BARE, ASCRIBE):
                cost, _, recorded = runner.once(name, variant, shared)
                times[shared][variant.name].append(measure.cpu(cost))
            calls[shared] = recording.read_directory(recorded).calls
    return tuple(hooks_cost(times[shared], calls[shared]) for shared in (False, True))


def thread_hooks(builder, threads, calls, rounds):
    """Hooks on `threads` threads that make `calls` calls together."""
    times = {"bare": [], "ascribe": []}
    executables = {variant.name: builder.micro("threads", variant.build)
                   for variant in (BARE, ASCRIBE)}
    for _ in range(rounds):
        for variant in (BARE, ASCRIBE):
            directory = recording_directory(builder.work, "threads")
            cost = measure.run([executables[variant.name], str(threads), str(calls // threads)],
                               environment(variant, builder.work, directory))
            times[variant.name].append(measure.cpu(cost))
    return hooks_cost(times, recording.read_directory(directory).calls)


def processes(builder, how, count, rounds):
    """{variant: Spread of microseconds} for one process that is forked, or forked and exec'd."""
    times = {variant.name: [] for variant in (BARE, UNRECORDED, ASCRIBE)}
    for _ in range(rounds):
        for variant in (BARE, UNRECORDED, ASCRIBE):
            # The exec'ing parent is bare, so that its own fork costs the same in all variants.
            parent = builder.micro("spawn", variant.build if how == "fork" else "bare")
            short = builder.micro("short", variant.build)
            directory = recording_directory(builder.work, "processes")
            text = measure.output_of([parent, how, str(count), short],
                                     environment(variant, builder.work, directory))
            times[variant.name].append(float(text))
    return {name: measure.Spread(figures) for name, figures in times.items()}


def loop_costs(builder, name, rounds):
    """{recorded: [Spread of nanoseconds]} of what the program measures, in its order."""
    program = builder.micro(name, "bare")
    figures = {False: [], True: []}
    for _ in range(rounds):
        for recorded in (False, True):
            command = [builder.ascribe, "record", "-q", "-o", os.path.join(builder.work, f"{name}.ascribe"), "--"]
            text = measure.output_of((command if recorded else []) + [program])
            figures[recorded].append([float(word) for word in text.split()])
    return {recorded: [measure.Spread(column) for column in zip(*rows)] for recorded, rows in figures.items()}


def large_report(builder):
    """`ascribe report` on a recording with 2^20 - 1 contexts."""
    directory = recording_directory(builder.work, "many_contexts")
    measure.run([builder.micro("many_contexts", "ascribe")],
                environment(ASCRIBE, builder.work, directory))
    cost = measure.run([builder.ascribe, "report", directory])
    return Report(recording.read_directory(directory).contexts, cost.wall, cost.peak_bytes,
                  recording.disk_bytes(directory))
