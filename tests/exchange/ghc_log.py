"""Event logs of GHC, taken apart and written: what imports are compared with, and logs that no GHC wrote."""

import collections
import struct

VARIABLE = 0xffff
# Sizes of the types that the logs here are made of, as GHC 9.0 declares them.
SIZES = {18: 14, 30: VARIABLE, 32: 8, 43: 16, 58: VARIABLE, 160: VARIABLE, 161: VARIABLE, 162: 8, 163: VARIABLE,
         164: VARIABLE, 165: 8, 166: 16, 167: VARIABLE, 168: 8, 169: VARIABLE}
ROOT = ("MAIN", "MAIN")


def events_of(log):
    """(type, ns, payload) of each."""
    at, sizes = 8, {}
    while log[at:at + 4] != b"hete":
        kind, size, words = struct.unpack_from(">HHI", log, at + 4)
        at += 12 + words
        at += 4 + struct.unpack_from(">I", log, at)[0] + 4
        sizes[kind] = size
    at += 12
    while log[at:at + 2] not in (b"\xff\xff", b""):
        kind, ns = struct.unpack_from(">HQ", log, at)
        size, at = sizes[kind], at + 10
        if size == VARIABLE:
            (size,), at = struct.unpack_from(">H", log, at), at + 2
        if kind == 169:  # GHC 9.6 says one byte too many
            texts = log[at + 8:at + size].split(b"\0")
            size = 8 + sum(len(text) + 1 for text in texts[:6])
        yield kind, ns, log[at:at + size]
        at += size


class Log:
    """What a log says: ticks and bytes by stack of (label, module) below MAIN, or by band."""

    def __init__(self, log):
        self.ticks, self.samples, self.marks, self.centres = collections.Counter(), [], [], {}
        self.tick_ns = self.last_ns = 0
        tables, sample = {}, None
        for kind, ns, payload in events_of(log):
            self.last_ns = max(self.last_ns, ns)
            if kind == 161:
                label, module, location = (text.decode() for text in payload[4:].split(b"\0")[:3])
                self.centres[struct.unpack(">I", payload[:4])[0]] = (label, module, location)
            elif kind == 168:
                (self.tick_ns,) = struct.unpack(">Q", payload[:8])
            elif kind == 167:
                self.ticks[self.stack(payload[12:])] += 1
            elif kind in (162, 166):
                sample = collections.Counter()
                self.samples.append((struct.unpack(">Q", payload[8:])[0] if kind == 166 else ns, sample))
            elif kind == 163:
                sample[self.stack(payload[9:])] += struct.unpack(">Q", payload[1:9])[0]
            elif kind == 164:
                band = payload[9:].split(b"\0")[0].decode()
                sample[tables.get(band, band)] += struct.unpack(">Q", payload[1:9])[0]
            elif kind == 169:
                name, _, _, label, module, _ = (text.decode() for text in payload[8:].split(b"\0")[:6])
                if module:
                    tables[hex(struct.unpack(">Q", payload[:8])[0])] = f"{module}.{label or name}"
            elif kind == 58:
                self.marks.append((ns, payload.decode()))

    def stack(self, payload):
        numbers = struct.unpack(f">{payload[0]}I", payload[1:1 + 4 * payload[0]])
        return (ROOT, *(self.centres[number][:2] for number in reversed(numbers)))


def event(kind, ns, payload, size=None):
    """An event of a type whose size is declared in SIZES, or `size` of another."""
    variable = (SIZES[kind] if size is None else size) == VARIABLE
    return struct.pack(">HQ", kind, ns) + (struct.pack(">H", len(payload)) if variable else b"") + payload


def header(sizes=None):
    types = (b"etb\0" + struct.pack(">HHI", kind, size, 4) + b"name" + struct.pack(">I", 0) + b"ete\0"
             for kind, size in (sizes or SIZES).items())
    return b"hdrbhetb" + b"".join(types) + b"hetehdredatb"


def log_of(*events, sizes=None, end=b"\xff\xff"):
    return header(sizes) + b"".join(events) + end


def words(*numbers):
    return struct.pack(f">B{len(numbers)}I", len(numbers), *numbers)


def centre(number, label, module="Main", place="a.hs:1:1-9"):
    return event(161, 1, struct.pack(">I", number) + b"".join(text.encode() + b"\0" for text in (label, module, place))
                 + b"\0")


def tick_length(ns=1000000):
    return event(168, 1, struct.pack(">Q", ns))


def tick(ns, *stack):
    return event(167, ns, struct.pack(">IQ", 0, 1) + words(*stack))


def sample(ns, *parts):
    """Parts: (bytes, stack) or (bytes, text)."""
    of = lambda size, what: event(163, ns, struct.pack(">BQ", 0, size) + words(*what)) if isinstance(what, tuple) \
        else event(164, ns, struct.pack(">BQ", 0, size) + what.encode() + b"\0")
    return event(162, ns, bytes(8)) + b"".join(of(*part) for part in parts) + event(165, ns, bytes(8))


def arguments(*command):
    return event(30, 1, struct.pack(">I", 0) + b"".join(word.encode() + b"\0" for word in command))


def clock(seconds):
    return event(43, 0, struct.pack(">IQI", 0, seconds, 0))
