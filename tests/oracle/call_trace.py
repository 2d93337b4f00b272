"""The slow reference for contexts: all calls of a program's own functions, by breakpoints (call_trace.c), and rules
A1 to A5 as the paper states them.

Of the program only its code, its symbols and its stack are used: nothing that the instrumentation wrote. Functions
are the symbols of the program's objects. Clones (`.isra`, `.constprop`) and pieces (`.part`, `.cold`) are the
function that they were made from, but in histories while the program runs: they are joined afterwards, as profiles
do. That a function goes on in its own piece is no call."""

import bisect
import collections
import re
import struct

from callgrind import PIECES, own_piece
from harness import must, run

THUNK = re.compile(r"_ZT[hvc]")
NUMBER = re.compile(r"\.\d+$")  # statics of functions, nested functions: kept
INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\t(?:notrack |bnd )?(\S+)\s*(.*)")
TARGET = re.compile(r"(?:0x)?([0-9a-f]+)(?: <|$)")
TAIL, OUTSIDE = 1 << 31, 1 << 63


def symbols_of(file):
    """(address, size, name) of its functions."""
    for line in must(["nm", "-S", file]).output.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwW" and not fields[3].startswith("ascribe_"):
            yield int(fields[0], 16), int(fields[1], 16), fields[3]


class Code:
    """The functions of a program that come from some objects."""

    def __init__(self, program, objects):
        names = {name for file in objects for _, _, name in symbols_of(file) if not THUNK.match(name)}
        self.at = {}  # start -> symbols
        ranges = {}
        for address, size, name in symbols_of(program):
            if name in names:
                self.at.setdefault(address, []).append(name)
                ranges[address] = address + size
        self.ranges = sorted(ranges.items())
        self.names = {}  # every name of a function -> the one that stands for it
        for symbols in self.at.values():
            symbols.sort()
            for name in symbols:
                self.names[name] = self.names[PIECES.sub("", name)] = PIECES.sub("", symbols[0])
        self.entries = sorted(address for address, symbols in self.at.items()
                              if not symbols[0].endswith(".cold"))
        self.returns, self.jumps = set(), {}
        self.ends = {}  # address of a call, or of a jump out of the function -> its end
        self.next_of = {}  # address of an instruction -> of the one that follows, conditions taken for false
        self.scan(program)
    def start_of(self, address):
        """Start of the function around an address; None: of no function of ours."""
        i = bisect.bisect_right(self.ranges, (address, 1 << 64)) - 1
        return self.ranges[i][0] if i >= 0 and address < self.ranges[i][1] else None

    def scan(self, program):
        hooked = set()  # starts of functions that know the cell
        loops = []  # jumps to the function's own entry
        after, before = None, None
        for line in must(["objdump", "-d", "--no-show-raw-insn", "-w", program]).output.splitlines():
            match = INSTRUCTION.match(line)
            if not match:
                continue
            address, name, operands = int(match[1], 16), match[2], match[3]
            if after:
                self.after(*after, address, loops)
                after = None
            if before:
                self.next_of.setdefault(before, address)
            start = self.start_of(address)
            before = start and address
            if start is None:
                continue
            if "%fs:" in operands:
                hooked.add(start)
            if name.startswith(("call", "j")):
                after = start, address, name, operands
        for start, address, end in loops:
            if start in hooked:
                self.jumps[address] = self.ends[address] = end

    def after(self, start, address, name, operands, end, loops):
        if name.startswith("call"):
            self.returns.add(end)
            self.ends[address] = end
            return
        target = None if operands.startswith("*") else TARGET.match(operands)
        target = int(target[1], 16) if target else None
        if target == start and name == "jmp":
            loops.append((start, address, end))
        elif target is None or self.start_of(target) != start:
            self.jumps[address] = self.ends[address] = end
        elif name == "jmp":
            self.next_of[address] = target

    def call_after(self, offset):
        """The site that a place belongs to. Rows know a call by the instruction that counts it: control goes from
        there to the call."""
        address = offset and self.next_of.get(offset - 1)
        for _ in range(100):
            if address is None or address in self.ends:
                break
            address = self.next_of.get(address)
        return self.ends.get(address, address)

    def plan(self):
        return "".join([f"entry {address:x}\n" for address in self.entries] +
                       [f"return {address:x}\n" for address in sorted(self.returns)] +
                       [f"jump {address:x} {end:x}\n" for address, end in sorted(self.jumps.items())])


def squeezed(s):
    """By rules A4 and A5."""
    while True:
        for i in range(1, len(s) - 1):
            if not (s[i - 1][1] or s[i][1] or s[i + 1][1]):
                del s[i]
                break
        else:
            break
    while True:
        for i in range(len(s) - 1):
            if s[i] == s[i + 1] and not s[i][1]:
                del s[i]
                break
        else:
            return tuple(s)


def step(history, function):
    """The history after a call, by the paper: a tuple of (function, marked)."""
    if history and history[-1][0] == function:  # A1
        return history
    return squeezed([(name, marked and name != function) for name, marked in history] +  # A3
                    [(function, True)])  # A2


def folded(history, names):
    """Of clones and pieces, of functions: next to itself a function stands once (A1), and only its last entry may be
    marked (A3)."""
    s = []
    for name, marked in history:
        if s and s[-1][0] == names[name]:
            s[-1] = names[name], marked or s[-1][1]
        else:
            s.append((names[name], marked))
    last = {name: i for i, (name, _) in enumerate(s)}
    return squeezed([(name, marked and last[name] == i) for i, (name, marked) in enumerate(s)])


class Reference:
    """calls(): (history of the caller, site, history of the callee) -> number. A site is an address in the program's
    file; None: outside."""

    def __init__(self, code, events):
        self.code = code
        self.steps = []  # of each call, in order
        self.tails = 0
        symbols = [code.at[address][0] for address in code.entries]
        memory, contexts, entered = {}, [()], [None]
        for depth, entry, site in struct.iter_unpack("=IIQ", events):
            is_tail, symbol = entry & TAIL, symbols[entry & ~TAIL]
            del contexts[depth + 1:], entered[depth + 1:]
            caller = contexts[-1]
            if entered[-1] and own_piece(entered[-1], symbol):
                contexts.append(caller)
            else:
                callee = memory.get((caller, symbol))
                if callee is None:
                    callee = memory[caller, symbol] = step(caller, symbol)
                self.steps.append((caller, None if site == OUTSIDE else site, callee))
                contexts.append(callee)
                self.tails += bool(is_tail)
            entered.append(symbol)

    def calls(self, number=None):
        """Of the first calls, or of all."""
        calls = collections.Counter()
        for (caller, site, callee), count in collections.Counter(self.steps[:number]).items():
            calls[folded(caller, self.code.names), site, folded(callee, self.code.names)] += count
        return calls


def trace(tracer, program, objects, directory, arguments=(), timeout=600):
    code = Code(program, objects)
    plan, events = directory / "plan", directory / "events"
    plan.write_text(code.plan())
    result = run([tracer, plan, events, program, *arguments], directory, {"LD_BIND_NOW": "1"}, timeout=timeout)
    return result, Reference(code, events.read_bytes())


def recorded_calls(profile, code, program):
    """The same of a profile."""
    names = {identity: code.names.get(linkage, linkage) for identity, linkage in
             profile.rows("select id, linkage from functions")}
    histories = {context: tuple((names[abs(entry)], entry > 0) for entry in history)
                 for context, history in profile.histories().items()}
    calls = collections.Counter()
    for caller, callee, number, offset, object_path in profile.rows(
            "select from_context, to_context, t.calls, s.offset, s.object from raw_transitions t"
            " join call_sites s on s.id = t.site"):
        site = code.call_after(offset) if object_path == str(program) else None
        calls[histories[caller], site, histories[callee]] += number
    return calls
