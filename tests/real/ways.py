"""The ways of counting agree on a real program: what it does is the same however it is built to be
counted. Only --expressions counts before inlining: it is compared with itself.

- Contexts and counters, -O2: calls of every function.  With -fno-optimize-sibling-calls: calls at
  the call sites, by the function whose code calls and the callee, and of most by line.  With tail
  calls the two differ by their nature: contexts follow the stack, and have a tail call at its
  caller's site.  By line they differ where the optimiser made one instruction of several calls, and
  where it made calls of its own, that have no line (the rest of a function that was inlined in part).
- Counters where they are needed and counters everywhere: calls of functions and at call sites; with
  --expressions executions of all ranges, ways, loops and texts of macros, too.  There what a library's
  inline code calls is left out (called_by_library): whether it is counted hangs on what GCC inlines.

Clones and pieces of functions are the functions that they were made from: which symbol a call has is
another matter than how often it was made.
"""

import collections
import os

from callgrind import PIECES
from harness import check
from program_builds import FLAGS, HIGH, NO_TAIL_CALLS, WHOLE_PROGRAM

COUNTS, CONTEXTS, BLOCKS = "--counts", "--contexts", "--expressions"
EVERYWHERE = " --ascribe-placement=all"
# Functions that hash addresses, which are not those of another build.
HASHING = {"lua": {"ltable.c", "lstring.c"}}
FUNCTIONS = ("select name, calls from functions"
             " where kind = 'counted' and calls > 0")
# Calls from code that was counted: code without hooks that calls back has its own way of telling.
SITES = ("select s.within_name, s.callee_name, s.file, s.line, s.calls from call_sites s"
         " where s.caller is not null and s.calls and s.within_name in"
         " (select name from functions where kind = 'counted')")
EXPRESSIONS = ("select function_name, file, line, source_column, end_line, end_column, kind, way, count"
               " from expressions")
COPIES = ("select function_name, within_name, file, line, source_column, end_line, end_column, kind,"
          " way, through, count from copies")
# By code that has no counters.
UNCOUNTED = "select callee_name, sum(calls) from call_sites where caller is null and calls group by 1"
CALLEES = "select within_name, callee_name from call_sites where caller is not null and calls"
LEAST_SHARE_BY_LINE = 0.8


def without_pieces(value):
    return PIECES.sub("", value) if isinstance(value, str) else value


def summed(rows):
    """Each row's last column, by the others."""
    result = collections.Counter()
    for *key, count in rows:
        result[tuple(map(without_pieces, key))] += count or 0
    return result


def hashing(builds, profile):
    files = HASHING.get(builds.name, set())
    return {name for name, file in profile.rows("select name, file from functions")
            if file and os.path.basename(file) in files}


def called_by_library(few, everywhere):
    """Functions of system headers that code without counters called more often in one of the builds,
    and what they call in such headers.

    std::string's copy constructor is an inline function of `extern template class`: its code is
    libstdc++'s, and it has no counters where it is inlined, either.  What it calls, as
    std::char_traits<char>::copy, is the program's own copy of an inline function and counts, if GCC
    inlines the constructor, and is libstdc++'s copy, which does not, if GCC calls it.  More counters
    make larger functions, of which GCC inlines fewer.  What counted code calls is the same: its
    call sites are compared, whatever they call."""
    calls, others = (summed(profile.rows(UNCOUNTED)) for profile in (few, everywhere))
    foreign, callees = set(), collections.defaultdict(set)
    for profile in few, everywhere:
        foreign.update(without_pieces(name) for name, in profile.rows(
            "select name from functions where not own"))
        for caller, callee in profile.rows(CALLEES):
            callees[without_pieces(caller)].add(without_pieces(callee))
    found, more = set(), {name for name, in calls | others if calls[name,] != others[name,]} & foreign
    while more:
        found |= more
        more = set().union(*(callees[name] for name in more)) & foreign - found
    return found


def compare(what, ours, others, left_out, left_out_itself=frozenset()):
    """Counters by a key that begins with the names of functions, the first the one that is counted or
    calls: `left_out_itself` may stand elsewhere."""
    for counts in ours, others:
        for key in [key for key in counts if left_out.intersection(key) or key[0] in left_out_itself]:
            del counts[key]
    wrong = [f"{key}: {ours[key]} and {others[key]}" for key in sorted(set(ours) | set(others), key=str)
             if ours[key] != others[key]]
    check(not wrong, f"{what}:\n    " + "\n    ".join(wrong[:20]) +
          (f"\n    and {len(wrong) - 20} more" if len(wrong) > 20 else ""))
    check(len(ours) > 20 or "macros" in what, f"only {len(ours)} {what}")
    return f"{len(ours)} {what}"


def counted_sites(profile):
    return summed((*row[:2], row[-1]) for row in profile.rows(SITES))


def share_by_line(profile, other):
    """Of the calls at call sites whose lines both know, those that have the same number."""
    ours, others = (summed(row for row in one.rows(SITES) if row[3]) for one in (profile, other))
    same = sum(ours[key] == others[key] for key in ours)
    return same / max(1, len(ours))


def check_ways(builds):
    by_contexts, by_counters = (builds.profile(way, FLAGS) for way in (CONTEXTS, COUNTS))
    left_out = hashing(builds, by_counters)
    said = compare("functions by contexts and counters", summed(by_contexts.rows(FUNCTIONS)),
                   summed(by_counters.rows(FUNCTIONS)), left_out)
    by_contexts, by_counters = (builds.profile(way, NO_TAIL_CALLS) for way in (CONTEXTS, COUNTS))
    said += "; " + compare("arcs", counted_sites(by_contexts), counted_sites(by_counters), left_out)
    share = share_by_line(by_counters, by_contexts)
    check(share > LEAST_SHARE_BY_LINE, f"{share:.1%} of the call sites have the same calls")
    return f"{said}; {share:.1%} of the call sites by line"


def compared_with_everywhere(builds, way, flags, questions):
    few, everywhere = builds.profile(way, flags), builds.profile(way + EVERYWHERE, flags)
    left_out = hashing(builds, few)
    of_library = called_by_library(few, everywhere) if way == BLOCKS else set()
    return ", ".join(compare(f"{what} {way}", summed(few.rows(query)), summed(everywhere.rows(query)),
                             left_out, of_library)
                     for what, query in questions)


CALLS = (("functions", FUNCTIONS), ("call sites", SITES))


def check_blocks(builds, flags=tuple(FLAGS)):
    said = [compared_with_everywhere(builds, COUNTS, flags, CALLS)]
    if "-flto" not in flags:
        executions = (("ranges", EXPRESSIONS), ("texts of macros", COPIES))
        said.append(compared_with_everywhere(builds, BLOCKS, flags, CALLS + executions))
    return f"{flags[0]}{' -flto' * ('-flto' in flags)}, a counter at every edge: " + ", ".join(said)


def check_blocks_high(builds):
    return check_blocks(builds, HIGH)


def check_blocks_whole_program(builds):
    return check_blocks(builds, WHOLE_PROGRAM)
