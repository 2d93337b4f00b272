"""What gcov's files say of each block of a program: its lines and how often it was executed. From these
line counts follow by any rule, not gcov's alone.  Of GCC 12 and later (gcc/gcov-io.h)."""

import collections
import itertools
import os
import struct

FUNCTION, BLOCKS, ARCS, LINES, COUNTS = 0x01000000, 0x01410000, 0x01430000, 0x01450000, 0x01a10000
ON_TREE, FAKE = 1, 2  # an arc without a counter; one that stands for what gcov cannot count
ENTRY, EXIT = 0, 1  # blocks


class Words:
    """A file or a record of one: numbers of four bytes and texts."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def number(self, form="<I"):
        value, = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def text(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at].rstrip(b"\0").decode(errors="replace")

    def records(self):
        while self.more():
            tag = self.number()
            if not tag:
                return
            length = self.number("<i")
            yield tag, length, Words(self.data[self.at:self.at + max(length, 0)])
            self.at += max(length, 0)


def opened(path, magic):
    words = Words(path.read_bytes())
    if words.number() != magic:
        raise ValueError(f"{path}: not gcov's")
    version = words.number().to_bytes(4, "big").decode()
    major = 10 * (ord(version[0]) - ord("A")) + int(version[1])
    if major < 12:
        raise ValueError(f"{path}: of GCC {major}")
    words.number()  # when it was compiled
    words.number()
    return words


class Arc:
    def __init__(self, source, target, flags, count=None):
        self.source, self.target, self.count = source, target, count
        self.has_counter, self.fake = not flags & ON_TREE, bool(flags & FAKE)


class Function:
    """`lines` has of each block its (file, line)s in their order."""

    def __init__(self, record, directory):
        self.ident = record.number()
        record.number()
        record.number()
        self.name = record.text()
        self.artificial = bool(record.number())
        self.file = os.path.normpath(os.path.join(directory, record.text()))
        self.line = record.number()
        self.lines, self.arcs, self.directory = [], [], directory
        self.after = collections.defaultdict(list)  # by block: where its arcs lead
        self.calls = 0

    def add(self, tag, record):
        if tag == BLOCKS:
            self.lines = [[] for _ in range(record.number())]
        elif tag == ARCS:
            source = record.number()
            while record.more():
                target, flags = record.number(), record.number()
                self.arcs.append(Arc(source, target, flags))
                self.after[source].append(target)
        elif tag == LINES:
            self.add_lines(record)

    def add_lines(self, record):
        block, file = self.lines[record.number()], None
        while record.more():
            line = record.number()
            if line:
                block.append((file, line))
                continue
            name = record.text()
            if not name:
                return
            file = os.path.normpath(os.path.join(self.directory, name))

    def solve(self, counters):
        """All arcs from those that have counters: what comes to a block leaves it."""
        for arc in self.arcs:
            if arc.has_counter:
                arc.count = next(counters, 0)
        into, out = collections.defaultdict(list), collections.defaultdict(list)
        for arc in self.arcs:
            into[arc.target].append(arc)
            out[arc.source].append(arc)
        circle = Arc(EXIT, ENTRY, ON_TREE)
        into[ENTRY].append(circle)
        out[EXIT].append(circle)
        waiting = list(range(len(self.lines)))
        while waiting:
            block = waiting.pop()
            unknown = [arc for arc in into[block] + out[block] if arc.count is None]
            if len(unknown) != 1:
                continue
            arc, = unknown
            balance = (sum(one.count or 0 for one in into[block]) -
                       sum(one.count or 0 for one in out[block]))
            arc.count = balance if arc.source == block else -balance
            waiting += [arc.source, arc.target]
        # gcov itself adds the fake arcs: where a computed goto leads to, the function seems to be called.
        self.calls = sum(arc.count for arc in out[ENTRY] if not arc.fake)
        self.passes = [sum(arc.count for arc in into[block] or out[block])
                       for block in range(len(self.lines))]


def functions_of(notes):
    """Each function of a unit, from its .gcno and, if it was run, its .gcda."""
    words = opened(notes, 0x67636e6f)
    directory = words.text()
    words.number()
    functions = []
    for tag, _, record in words.records():
        if tag == FUNCTION:
            functions.append(Function(record, directory))
        elif functions:
            functions[-1].add(tag, record)
    counters = counters_of(notes.with_suffix(".gcda"))
    for function in functions:
        function.solve(iter(counters.get(function.ident, ())))
    return functions


def counters_of(data):
    counters, ident = {}, None
    if not data.exists():
        return counters
    for tag, length, record in opened(data, 0x67636461).records():
        if tag == FUNCTION:
            ident = record.number() if length else None
        elif tag == COUNTS and length > 0:  # a negative length: so many bytes of zeros
            counters[ident] = [record.number("<q") for _ in range(length // 8)]
    return counters


# ---- lines ----

def rounds(blocks, arcs):
    """How often control goes round within these blocks: circles of arcs are taken out, each as often
    as its rarest arc."""
    left = {arc: arc.count for arc in arcs if arc.count > 0}
    out = collections.defaultdict(list)
    for arc in left:
        out[arc.source].append(arc)
    total = 0
    for start in blocks:
        while circle := way_round(start, out, left):
            times = min(left[arc] for arc in circle)
            total += times
            for arc in circle:
                left[arc] -= times
    return total


def way_round(start, out, left):
    """A shortest way from a block back to it."""
    came, waiting = {}, collections.deque([start])
    while waiting:
        block = waiting.popleft()
        for arc in out[block]:
            if not left[arc] or arc.target in came:
                continue
            came[arc.target] = arc
            if arc.target == start:
                way = [arc]
                while way[-1].source != start:
                    way.append(came[way[-1].source])
                return way
            waiting.append(arc.target)
    return None


def arrivals(function, blocks, further=()):
    """Of a line that has these blocks: how often control comes from others, and goes round in them.
    `further`: arcs that take the place of those from others."""
    inside = set(blocks)
    arcs = [arc for arc in function.arcs if arc.source in inside and arc.target in inside]
    arcs += further
    return (sum(function.passes[block] for block in blocks) - sum(arc.count for arc in arcs) +
            rounds(blocks, arcs))


def reached(function, starts, without):
    """The blocks that control may come to from these, by an arc at least, but not through that one."""
    met, waiting = set(), list(starts)
    while waiting:
        for block in function.after[waiting.pop()]:
            if block != without and block not in met:
                met.add(block)
                waiting.append(block)
    return met


def continuations(function, blocks):
    """The blocks of a line that are no executions of their own, as another of the line lies on each
    way to them, and on each from there back to them.  With that one: the nearest."""
    if len(blocks) < 2:
        return {}
    ways_past = {block: reached(function, [ENTRY], block) for block in blocks}
    ever = reached(function, [ENTRY], None)
    before = {block: {other for other in blocks if other != block and block in ever and
                      block not in ways_past[other]} for block in blocks}
    nearest = {block: max(others, key=lambda other: len(before[other]))
               for block, others in before.items() if others}
    return {block: other for block, other in nearest.items()
            if block not in reached(function, [block], other)}


def executions(function, blocks):
    """By our rule: what comes to a continuation from other lines comes from the block before it."""
    further = [Arc(before, block, ON_TREE, arc.count)
               for block, before in continuations(function, blocks).items()
               for arc in function.arcs if arc.target == block and arc.source not in blocks]
    return arrivals(function, blocks, further)


def line_counts(functions, rule=executions):
    """(file, line) -> executions, where a block is of the lines of all that is in it."""
    counts = collections.Counter()
    for function in functions:
        if not function.artificial:
            counts.update(counted(function, function.lines, rule))
    return counts


def gcovs_line_counts(functions):
    """By gcov's rule: a block is of that of its lines which is furthest down, in each file, a function's
    last block of none.  A line that has no block then was executed as often as all blocks that it is in, together."""
    named = [function for function in functions if not function.artificial]
    places = collections.Counter((function.file, function.line) for function in named)
    counts, sums, alone = collections.Counter(), collections.Counter(), collections.Counter()
    for function in named:
        of_function = collections.Counter()
        for passes, lines in zip(function.passes, function.lines):
            for line in lines:
                of_function[line] += passes
        exact = counted(function, gcovs_lines(function), arrivals)
        if places[function.file, function.line] > 1:  # of templates: each has lines of its own
            counts.update({**of_function, **exact})
            continue
        sums.update(of_function)
        alone.update(exact)
    counts.update({**sums, **alone})
    return counts


def gcovs_lines(function):
    lines = []
    for block in function.lines:
        files = itertools.groupby(block, lambda line: line[0])
        lines.append([max(of_file) for _, of_file in files])
    lines[ENTRY] = lines[EXIT] = lines[-1] = []
    return lines


def counted(function, lines_of_blocks, rule):
    of_line = collections.defaultdict(list)
    for block, lines in enumerate(lines_of_blocks):
        for line in dict.fromkeys(lines):
            of_line[line].append(block)
    return {line: rule(function, blocks) for line, blocks in of_line.items()}


def parted_labels(functions):
    """(file, line) -> executions of labels that are jumped to, from below.  Before it counts, GCC may
    part a label from the block that it stands before: then nothing jumps to the label any more."""
    jumps = collections.Counter()
    for function in functions:
        out = collections.defaultdict(list)
        for arc in function.arcs:
            out[arc.source].append(arc)
        for block, lines in enumerate(function.lines):
            if lines and len(set(lines)) == 1 and len(out[block]) == 1:
                arc, = out[block]
                jumps[lines[0]] += function.passes[arc.target] - arc.count
    return jumps
