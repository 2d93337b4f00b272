"""Reads a recording for its statistics, by the layout in src/recording/layout.h.

Independent of the project's own reader, on purpose: the figures of docs/BENCHMARKS.md and the
tests on real programs check one against the other.
"""
import mmap
import os
import struct
from collections import namedtuple

MAGIC = 0x0165626972637361
VERSION = 17
UNIT = 4096
BLOCK_MAGIC = 0x4B4C4241
OBJECTS, THREADS, CONTEXTS, TABLE, TICKS, ROWS, SITES = 2, 4, 5, 6, 7, 13, 14
CONTEXT_READY, CONTEXT_ROOT, CONTEXT_OVERFLOW, CONTEXT_STACK = 1, 2, 4, 8
SLOT_CLAIMED = 1
SLOT_RETIRED = 1 << 63
RETURN_ADDRESS = 1 << 62

HEADER = struct.Struct("<QII6Q12I3Q2I2Q11Q5Q5Q2IQ4Q")
BLOCK = struct.Struct("<IIQQII4Q")
THREAD = struct.Struct("<8I3Q16s8Q")
THREAD_SLOW_STEPS = 12  # which field
THREAD_COUNTS = (8, 9, 10, 15, 16, 17)  # ticks, lost, CPU times, weights: see the layout
CONTEXT = struct.Struct("<5I")
SLOT = struct.Struct("<IIQQQ")
OBJECT = struct.Struct("<II5Q24s")
TICK = struct.Struct("<4IQ2IQ")
TICK_COUNTS = (5, 7)
ROW_START = struct.Struct("<II")
ROW = struct.Struct("<IIQIIQ")
SITE = struct.Struct("<QIhBB")
SITES_HEAD = struct.Struct("<4I")
LEAF, DIRECT, POINTER = 1, 2, 3
TAGGED = 16

Header = namedtuple("Header", """magic version header_bytes capacity next started_ns updated_ns
    cpu_user_ns cpu_system_ns pid parent_pid context_base function_base parent_sequence is_fork
    finished ways tick_source tick_errno rate_hz tick_flags period_ns events profiler_ticks hook_low
    hook_high rebuilds overflow_calls drops threads_started tsc_hz
    handler_cycles tsc_started tsc_updated profiler_weight rows_offset rows_next""")


class Statistics:
    """What one or several process images recorded; they add up."""

    def __init__(self):
        self.images = 0
        self.contexts = 0
        self.transitions = 0
        self.calls = 0
        self.slow_steps = 0
        self.rebuilds = 0
        self.overflow_calls = 0
        self.drops = 0
        self.functions = set()
        self.entered = set()  # ids of the functions of rows
        self.depth_sum = 0
        self.depth_max = 0
        self.context_bytes = 0
        self.table_bytes = 0
        self.claimed_bytes = 0
        self.ticks = 0
        self.tick_entries = 0
        self.charged_ns = 0
        self.profiler_ns = 0
        self.handler_ns = 0

    def depth_mean(self):
        return self.depth_sum / self.contexts

    def home_share(self):
        return 1 - self.slow_steps / self.calls


def read_header(data):
    fields = HEADER.unpack_from(data, 0)
    header = Header(*fields[:28], fields[28:39], *fields[39:44], *fields[51:53], fields[54])
    if header.magic != MAGIC or header.version != VERSION or header.header_bytes != HEADER.size:
        raise ValueError("not a recording of version %d with this header" % VERSION)
    return header


def blocks_between(data, offset, end):
    """Yields (kind, start and end of the payload)."""
    while offset + BLOCK.size <= min(end, len(data)):
        magic, kind, size, *_ = BLOCK.unpack_from(data, offset)
        if magic != BLOCK_MAGIC:
            offset += UNIT
            continue
        yield kind, offset + BLOCK.size, offset + size
        offset += size


def blocks(data, header):
    yield from blocks_between(data, UNIT, header.next)


def blocks_of_rows(data, header):
    yield from blocks_between(data, header.rows_offset, header.rows_offset + header.rows_next)


def read_objects(data, start, end):
    """Yields (start, end, offset, path) of every mapped piece of an object."""
    while start + OBJECT.size <= end:
        size, _, first, last, offset, *_ = OBJECT.unpack_from(data, start)
        if size == 0:
            return
        yield first, last, offset, data[start + OBJECT.size:start + size].split(b"\0")[0]
        start += size


def locate(objects, address):
    """(path, offset) of a function: the same in all processes of one program."""
    for first, last, offset, path in objects:
        if first <= address < last:
            return path, address - first + offset
    return None, address


def add_threads(statistics, data, start, end):
    count = (end - start) // THREAD.size
    for fields in THREAD.iter_unpack(data[start:start + count * THREAD.size]):
        statistics.slow_steps += fields[THREAD_SLOW_STEPS]


def add_contexts(statistics, data, start, end):
    while start + CONTEXT.size <= end:
        size, _, length, flags, _ = CONTEXT.unpack_from(data, start)
        if size == 0:
            return
        if flags & CONTEXT_READY and not flags & (CONTEXT_ROOT | CONTEXT_OVERFLOW | CONTEXT_STACK):
            statistics.contexts += 1
            statistics.depth_sum += length
            statistics.depth_max = max(statistics.depth_max, length)
        statistics.context_bytes += size
        start += size


def add_table(statistics, keys, data, start, end):
    statistics.table_bytes += end - start
    count = (end - start) // SLOT.size
    for source, target, callee, site, calls in SLOT.iter_unpack(
            data[start:start + count * SLOT.size]):
        if callee > SLOT_CLAIMED and not callee & RETURN_ADDRESS and calls:
            keys.add((source, callee, site))
            statistics.calls += calls


def read_sites(data, start, end):
    """Yields (id, function, [(address, callee, place, kind)])."""
    while start + SITES_HEAD.size <= end:
        size, function, count, _ = SITES_HEAD.unpack_from(data, start)
        if size == 0:
            return
        first = start + SITES_HEAD.size
        sites = [SITE.unpack_from(data, first + i * SITE.size)[:4] for i in range(count)]
        yield start // 16, function, sites
        start += size


def counted_at(data, header, sites):
    """Yields (site, callee: a row or a leaf's function, calls) of a row."""
    for address, leaf, place, kind in sites:
        at = header + 8 * place
        if kind & 7 == LEAF:
            yield address, ("leaf", leaf - 1), struct.unpack_from("<Q", data, at)[0]
        elif kind & 7 in (DIRECT, POINTER):
            following, count = struct.unpack_from("<QQ", data, at)
            if not following & TAGGED:
                yield address, following, count


def add_rows(statistics, keys, sites, data, start, end):
    statistics.table_bytes += end - start
    start += 16
    while start + ROW_START.size <= end:
        size, leaves = ROW_START.unpack_from(data, start)
        if size == 0:
            return
        header = start + (ROW_START.size + 8 * leaves + 47) // 32 * 32 - 16
        listed = ROW.unpack_from(data, header)[4]
        function, known = sites.get(listed, (None, []))
        for address, callee, calls in counted_at(data, header, known):
            if calls:
                keys.add((header, callee, address))
                statistics.calls += calls
                statistics.entered.add(function)
        start += size


def add_ticks(statistics, data, start, end):
    count = (end - start) // TICK.size
    for *_, pc, ticks, _, weight in TICK.iter_unpack(data[start:start + count * TICK.size]):
        if pc > 1:
            statistics.ticks += ticks
            statistics.tick_entries += 1
            statistics.charged_ns += weight


def add_file(statistics, path):
    with open(path, "rb") as file, \
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        header = read_header(data)
        objects, keys, sites = [], set(), {}
        for kind, start, end in blocks(data, header):
            if kind == OBJECTS:
                objects += read_objects(data, start, end)
            elif kind == THREADS:
                add_threads(statistics, data, start, end)
            elif kind == CONTEXTS:
                add_contexts(statistics, data, start, end)
            elif kind == TABLE:
                add_table(statistics, keys, data, start, end)
            elif kind == TICKS:
                add_ticks(statistics, data, start, end)
            elif kind == SITES:
                for listed, function, known in read_sites(data, start, end):
                    sites[listed] = function, known
        statistics.entered = set()
        rows = set()
        for kind, start, end in blocks_of_rows(data, header):
            if kind == ROWS:
                add_rows(statistics, rows, sites, data, start, end)
        statistics.transitions += len(rows)
        statistics.functions |= {(path, function) for function in statistics.entered}
        callees = {callee & ~SLOT_RETIRED for _, callee, _ in keys}
        statistics.functions |= {locate(objects, callee) for callee in callees}
        statistics.images += 1
        statistics.transitions += len(keys)
        statistics.rebuilds += header.rebuilds
        statistics.overflow_calls += header.overflow_calls
        statistics.drops += sum(header.drops)
        statistics.claimed_bytes += header.next
        cycles = header.tsc_updated - header.tsc_started
        if cycles > 0:
            statistics.handler_ns += header.handler_cycles / cycles * \
                (header.updated_ns - header.started_ns)
        statistics.profiler_ns += header.profiler_weight


def read_directory(directory):
    """The statistics of all process images in a recording's directory."""
    statistics = Statistics()
    for name in sorted(os.listdir(directory)):
        if name.endswith(".recording"):
            add_file(statistics, os.path.join(directory, name))
    if statistics.images == 0:
        raise ValueError("nothing was recorded in " + directory)
    return statistics


def disk_bytes(directory):
    """Bytes that the recording takes on the disk: its files are sparse."""
    return sum(os.stat(os.path.join(directory, name)).st_blocks * 512
               for name in os.listdir(directory))


def multiply(data, offset, form, fields, factor):
    """These fields of the structure at `offset`."""
    values = list(form.unpack_from(data, offset))
    for field in fields:
        values[field] *= factor
    form.pack_into(data, offset, *values)


def multiply_ticks(directory, factor):
    """As if the program had done all it did so many times: its ticks and its CPU time."""
    header_times = [Header._fields.index(name) for name in ("cpu_user_ns", "cpu_system_ns")]
    for name in os.listdir(directory):
        if not name.endswith(".recording"):
            continue
        with open(os.path.join(directory, name), "r+b") as file, \
                mmap.mmap(file.fileno(), 0) as data:
            header = read_header(data)
            multiply(data, 0, HEADER, header_times, factor)
            for kind, start, end in list(blocks(data, header)):
                form, fields = {THREADS: (THREAD, THREAD_COUNTS), TICKS: (TICK, TICK_COUNTS)}.get(
                    kind, (None, ()))
                for offset in range(start, end - form.size + 1, form.size) if form else ():
                    multiply(data, offset, form, fields, factor)
