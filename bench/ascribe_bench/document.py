"""Writes docs/BENCHMARKS.md."""
import os
import platform
import statistics

from ascribe_bench import measure

# Spivey, "Fast, accurate call graph profiling", Tables I and II (Pentium III, 500 MHz).
PAPER_SIZES = [
    ["TeX (paper)", "0.57 MB", "456", "32.6", "8286", "8355", "9.30", "23", "0.66 MB", "0.5 MB",
     "0.44 MB", "0.27 MB", "99.97 %"],
    ["GCC (paper)", "1.97 MB", "1703", "61.2", "55437", "57777", "13.13", "29", "5.24 MB",
     "0.5 MB", "3.79 MB", "0.94 MB", "99.91 %"],
    ["pProlog (paper)", "0.32 MB", "115", "47.6", "435", "443", "10.31", "19", "0.07 MB",
     "0.5 MB", "0.02 MB", "0.14 MB", "100.00 %"],
]
PAPER_TIMES = [
    ["TeX (paper)", "5.30", "6.15", "10.16 (+92 %)", "5.32", "12.37 (+134 %)", "6.86 (+30 %)"],
    ["GCC (paper)", "12.48", "14.17", "27.61 (+121 %)", "12.71", "24.81 (+99 %)",
     "15.64 (+25 %)"],
    ["pProlog (paper)", "4.93", "5.40", "9.73 (+97 %)", "4.62", "14.53 (+195 %)",
     "6.74 (+37 %)"],
]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def megabytes(count):
    return "%.2f MB" % (count / 1e6)


def spread(figures, form="%.2f"):
    return ("%s (%s to %s)" % (form, form, form)) % (figures.median, figures.least, figures.most)


def machine_facts(ascribe):
    with open("/proc/cpuinfo") as file:
        model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        paranoid = file.read().strip()
    compiler = measure.output_of(["gcc", "--version"]).splitlines()[0]
    return table(["what", "here"], [
        ["processor", "%s, %d CPUs" % (model, os.cpu_count())],
        ["memory", "%.1f GiB" % (pages / 2**30)],
        ["kernel", "Linux %s, perf_event_paranoid=%s" % (platform.release(), paranoid)],
        ["compiler", compiler],
        ["ascribe", measure.output_of([ascribe, "--version"]).splitlines()[0]],
    ])


def machine_line(facts):
    """The same in one sentence."""
    rows = [line.strip("| ").split(" | ") for line in facts.splitlines()[2:]]
    return "On: %s." % "; ".join(value for _, value in rows)


def ratio_table(programs):
    variants = ["gprof", "dummy", "counts", "ascribe", "not recording"]
    rows = []
    for program in programs:
        cells = [spread(program.ratio(variant)) for variant in variants]
        seconds = measure.Spread(program.times["bare"]).median
        rows.append([program.title, "%.3f s" % seconds] + cells)
    if len(programs) > 1:
        medians = [measure.Spread([program.ratio(variant).median for program in programs])
                   for variant in variants]
        rows.append(["median of the medians", ""] + ["**%.2f**" % each.median for each in medians])
    return table(["program", "bare", "gprof", "empty hooks", "counts", "contexts",
                  "contexts, not recording"],
                 rows)


def call_table(programs):
    rows = [[program.title, "%.2f" % (program.recorded.calls / 1e6)] +
            ["%.2f" % program.nanoseconds_per_call(variant)
             for variant in ("gprof", "dummy", "counts", "ascribe", "not recording")]
            for program in programs]
    return table(["program", "calls (millions)", "gprof", "empty hooks", "counts", "contexts",
                  "contexts, not recording"], rows)


def size_row(program):
    recorded = program.recorded
    return [program.title, megabytes(program.text["bare"]), str(len(recorded.functions)),
            "%.1f" % (recorded.calls / 1e6), str(recorded.contexts), str(recorded.transitions),
            "%.2f" % recorded.depth_mean(), str(recorded.depth_max),
            megabytes(recorded.context_bytes), megabytes(recorded.table_bytes),
            megabytes(program.recording_bytes), megabytes(program.gmon_bytes),
            "%.2f %%" % (100 * recorded.home_share())]


def size_table(programs):
    head = ["program", "text size", "functions", "calls (millions)", "states", "transitions",
            "depth (ave)", "depth (max)", "profiling memory", "rows", "recording",
            "gmon.out", "in line"]
    return table(head, [size_row(program) for program in programs] + PAPER_SIZES)


def time_row(program):
    medians = {name: measure.Spread(times).median for name, times in program.times.items()}

    def total(variant):
        return "%.3f (%+.0f %%)" % (medians[variant],
                                    100 * (medians[variant] / medians["bare"] - 1))

    return [program.title, "%.3f" % medians["bare"], "%.3f" % statistics.mean(program.charged),
            total("ascribe"), "%.3f" % statistics.mean(program.gmon_charged), total("gprof"),
            total("dummy")]


def time_table(programs):
    head = ["program", "bare", "ascribe charged", "ascribe total", "gprof charged", "gprof total",
            "dummy total"]
    return table(head, [time_row(program) for program in programs] + PAPER_TIMES)


def text_table(programs):
    rows = []
    for program in programs:
        bare = program.text["bare"]
        rows.append([program.title, megabytes(bare)] +
                    ["%+.0f %%" % (100 * (program.text[build] / bare - 1))
                     for build in ("gprof", "dummy", "counts", "ascribe")])
    return table(["program", "bare", "gprof", "empty hooks", "counts", "contexts"], rows)


def library_table(libraries):
    rows = [[title, spread(static.ratio), spread(shared.ratio), spread(static.nanoseconds),
             spread(shared.nanoseconds)] for title, static, shared in libraries]
    return table(["program", "ratio, in the executable", "ratio, in a shared library",
                  "ns per call, executable", "ns per call, library"], rows)


SCOPE_LOOPS = ["one scope", "two, one in the other", "two in turn, each", "capture and resume"]
HOST_LOOPS = ["enter and leave", "64 callees in turn, each", "put a context back", "a counter", "enter and update a thunk",
              "allocate a closure", "add a closure to a census"]


def loop_table(titles, figures):
    return table(["what", "not recorded, ns", "recorded, ns"],
                 [[title, spread(figures[False][i]), spread(figures[True][i])] for i, title in enumerate(titles)])


def thread_table(figures):
    rows = [[str(count), spread(hooks.nanoseconds), spread(hooks.ratio)]
            for count, hooks in figures]
    return table(["threads", "ns per call over bare", "ratio to bare"], rows)


def process_table(figures):
    rows = [[title, spread(times["bare"], "%.0f"), spread(times["not recording"], "%.0f"),
             spread(times["ascribe"], "%.0f"),
             "%.2f ms" % ((times["ascribe"].median - times["bare"].median) / 1e3)]
            for title, times in figures]
    return table(["process", "bare, us", "instrumented, not recorded, us", "recorded, us",
                  "cost of recording"], rows)


def interval(figures, form="%.1f"):
    return ("%s (%s to %s)" % (form, form, form)) % (figures.median, figures.low, figures.high)


def account(each, signals):
    """Per cent of the program's CPU time, from what its ticks take: the fewer, the longer each."""
    if each.rate is None or each.handler_ns is None:
        return ""
    nearest = min(signals, key=lambda rate: abs(rate - each.rate))
    signal = signals[nearest].microseconds.median
    return "%.2f %%" % (100 * each.rate * (signal + each.handler_ns.median / 1e3) / 1e6)


def sampling_table(figures, signals):
    rows = [[each.title, each.sampler, interval(each.ratio, "%.3f"),
             "%.3f to %.3f" % (each.ratio.lower, each.ratio.upper),
             "?" if each.rate is None else "%.0f" % each.rate,
             "" if each.handler_ns is None else interval(each.handler_ns, "%.0f"),
             account(each, signals)]
            for each in figures]
    return table(["program", "sampler", "ratio to bare", "middle half", "ticks a CPU second",
                  "handler, ns a tick", "account"], rows)


def scheme_times_table(figures):
    return table(["program", "alone, s", "trace points (millions)", "counted", "ns a point", "at 1000 Hz", "-:p", "csc -profile"],
                 [[each.name, "%.3f" % each.seconds, "%.1f" % (each.points / 1e6), interval(each.ratios["counts"], "%.3f"),
                   "" if each.points < 1e6 else "%.1f" % each.nanoseconds, *(interval(each.ratios[way], "%.3f") for way in ("1000 Hz", "-:p", "-profile"))]
                  for each in figures])


def scheme_built_table(times):
    return table(["program", "alone, s", "calls (millions)", "not recorded", "counted", "at 1000 Hz", "`--expressions`"],
                 [[each.name, "%.3f" % each.seconds, "%.1f" % (each.points / 1e6),
                   *(interval(each.ratios[way], "%.3f") for way in ("alone", "counts", "1000 Hz", "--expressions"))]
                  for each in times])


def scheme_ticks_table(figures):
    least = figures[0].handler_ns.median
    return table(["program", "handler, ns a tick", "more than in C"],
                 [[each.name, interval(each.handler_ns, "%.0f"), "%.0f" % (each.handler_ns.median - least)] for each in figures])


def profilers_table(tables, article, title, least):
    rows = []
    for each in tables:
        rows += [[each.profiler, name, "" if calls is None else str(calls), "%.3f" % seconds, "%.1f" % percent]
                 for name, calls, seconds, percent in each.rows if percent >= least]
        rows += [["%s, the article" % each.profiler, name, "" if calls is None else str(calls), "%.3f" % seconds, "%.1f" % percent]
                 for name, calls, seconds, percent in article.get((title, each.profiler), [])]
    return table(["profiler", "procedure", "calls", "seconds", "%"], rows)


def signal_table(signals):
    return table(["clock", "ticks a second", "us a tick", "middle half"],
                 [[each.clock, str(rate), interval(each.microseconds),
                   "%.1f to %.1f" % (each.microseconds.lower, each.microseconds.upper)]
                  for rate, each in signals.items()])


def growth_text(sizes):
    first, last = sizes[1], sizes[-1]
    grown = last.bytes - first.bytes
    hour = last.bytes + grown * (3600 - last.seconds) / (last.seconds - first.seconds)
    return ("A program of a hundred functions at 1000 Hz: %s after %.0f s, %s after %.0f s. Going on like\n"
            "this it is %s after an hour.\n" %
            (megabytes(first.bytes), first.seconds, megabytes(last.bytes), last.seconds,
             megabytes(hour)))


def pg_table(counted):
    rows = [[each.title, "%.2f" % each.calls, spread(each.glibc), spread(each.ascribe),
             "%.2f" % each.glibc_ns, "%.2f" % each.ascribe_ns] for each in counted]
    return table(["program", "calls (millions)", "glibc's mcount", "ascribe",
                  "ns a call, glibc's", "ns a call, ascribe"], rows)


def counts_table(figures):
    ways = list(figures[0].ratios)
    rows = [[each.title] + ["%s [%.3f to %.3f]" % (interval(ratio, "%.3f"), ratio.lower, ratio.upper)
                            for ratio in each.ratios.values()] for each in figures]
    if len(figures) > 1:
        rows.append(["median of the medians"] +
                    ["**%.3f**" % statistics.median(each.ratios[way].median for each in figures)
                     for way in ways])
    return table(["program"] + ways, rows)


def growth_table(figures):
    builds = list(figures[0].growth)
    return table(["program"] + builds,
                 [[each.title] + ["%+.1f %%" % each.growth[build] for build in builds]
                  for each in figures])


def exact_table(figures):
    return table(["threads", "calls made", "calls counted", ""],
                 [[str(each.threads), str(each.expected), str(each.counted),
                   "exact" if each.expected == each.counted else "**not exact**"]
                  for each in figures])
