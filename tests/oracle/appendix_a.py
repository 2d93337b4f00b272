#!/usr/bin/env python3
"""The state transitions of Sansom and Peyton Jones, "Profiling Lazy Functional Languages" (1992), Appendix A,
one method per rule.  Random typed programs, and examples/lazy's own, run here and in that machine under
`ascribe record`: the centre is the same at each scc, thunk entry and update, and so are entries and the
closures that are left, by kind, description and centre.  The lexical rule for functions, GHC's since 1995, runs here
and there, too.  Arguments: the first seed and how many."""

import collections
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must

DIRECTORY = harness.scratch("appendix_a")
EXAMPLE = harness.SOURCE / "examples/lazy"
STEPS_MOST = 60000
OPERATIONS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
              "div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
              "mod": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1), ">": lambda a, b: a > b, "==": lambda a, b: a == b}
OUTSIDE = "-"  # in no centre


class TooLong(Exception):
    """A program with more steps than we want to wait for."""


# ---- the language: words are str, numbers int, lists are lists ----

def parse(text):
    stack = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(";.*", "", text)):
        if word == "(": stack.append([])
        elif word == ")": stack[-2].append(stack.pop())
        else: stack[-1].append(int(word) if re.fullmatch(r"-?\d+", word) else word)
    return stack[0]


def text_of(node):
    return "(" + " ".join(map(text_of, node)) + ")" if isinstance(node, list) else str(node)


def is_constructor(node):
    return isinstance(node, str) and node[0].isupper()


class Core:
    """The program with atoms for arguments; operands and printed values are examined by `case`."""

    def __init__(self):
        self.count = 0

    def name(self):
        self.count += 1
        return f"({self.count})"

    def examine(self, operand, rest):
        """`rest` gets the name of the operand's value."""
        name = self.name()
        return ["case", self.expression(operand), [name, rest(name)]]

    def expression(self, e):
        if not isinstance(e, list): return e
        head = e[0] if isinstance(e[0], str) else None
        if head in ("let", "letrec"):
            return [head, [[name, self.form(name, bound)] for name, bound in e[1]], self.expression(e[2])]
        if head == "case":
            return ["case", self.expression(e[1])] + [[pattern, self.expression(result)] for pattern, result in e[2:]]
        if head == "scc": return ["scc", e[1], self.expression(e[2])]
        if head == "print": return self.examine(e[1], lambda name: ["print", name, self.expression(e[2])])
        if head in OPERATIONS:
            return self.examine(e[1], lambda a: self.examine(e[2], lambda b: [head, a, b]))
        for i, argument in enumerate(e):
            if isinstance(argument, list):
                name = self.name()
                return ["let", [[name, self.form("(argument)", argument)]], self.expression(e[:i] + [name] + e[i + 1:])]
        return e

    def form(self, name, e):
        """A lambda form: its name, flag, arguments, body and description."""
        if isinstance(e, list) and e[0] == "lam": return (name, "r", e[1], self.expression(e[2]), name)
        if isinstance(e, list) and e[0] == "single": return (name, "s", [], self.expression(e[1]), applied(e[1]))
        is_data = isinstance(e, list) and is_constructor(e[0]) and len(e) > 1 and not any(isinstance(a, list) for a in e)
        return (name, "r" if is_data else "u", [], e if is_data else self.expression(e), applied(e))


def applied(e):
    """Which function a thunk applies."""
    head = e[0] if isinstance(e, list) else e
    return head if isinstance(head, str) else "UNKNOWN"


def names_bound(pattern):
    if isinstance(pattern, list): return set(pattern[1:])
    return {pattern} if isinstance(pattern, str) and not is_constructor(pattern) else set()


def free(e):
    if not isinstance(e, list): return {e} if isinstance(e, str) and not is_constructor(e) else set()
    if e[0] in ("let", "letrec"):
        bound = {name for name, _ in e[1]}
        forms = set().union(*(free(form[3]) - set(form[2]) for _, form in e[1]))
        return (forms - bound if e[0] == "letrec" else forms) | (free(e[2]) - bound)
    if e[0] == "case": return free(e[1]).union(*(free(result) - names_bound(pattern) for pattern, result in e[2:]))
    if e[0] == "scc": return free(e[2])
    return set().union(*map(free, e[1:] if e[0] in OPERATIONS or e[0] == "print" else e))


# ---- the machine ----

class Closure:
    """centre (vs \\flag xs -> e) ws.  `static`: of the top level, which nobody built."""

    def __init__(self, centre, name, flag, arguments, body, described, variables, static=False):
        self.centre, self.name, self.flag, self.arguments, self.body = centre, name, flag, arguments, body
        self.described = described
        self.variables, self.static, self.indirection = variables, static, None


class Application:
    """Arguments that were given together, and who gave them; of a partial application, who built that."""

    def __init__(self, centre, partial=False):
        self.centre, self.partial = centre, partial


class Machine:
    """<code, as, rs, us, h, cc>.  A closure is its own address; in `as` each argument has its application."""

    def __init__(self, definitions, lexical):
        self.lexical = lexical
        core = Core()
        self.top = {}
        for _, name, *arguments, body in definitions:
            arguments = arguments[0] if arguments else []
            self.top[name] = Closure(OUTSIDE, name, "r" if arguments else "u", arguments, core.expression(body),
                                     name if arguments else applied(body), {}, True)
        self.args, self.returns, self.updates, self.centre = [], [], [], OUTSIDE
        # "Hidden execution": the closure that is returned, and the centre that it has or will have.
        self.returned = self.returned_centre = None
        self.steps, self.trace, self.output, self.entries = 0, [], [], collections.Counter()
        self.allocated = collections.Counter()

    def run(self):
        code = ("Enter", self.top["main"])
        while code:
            self.steps += 1
            if self.steps > STEPS_MOST: raise TooLong
            code = getattr(self, code[0])(*code[1:])

    def value(self, atom, variables):
        if isinstance(atom, int): return atom
        if is_constructor(atom): return self.data(atom, [], OUTSIDE)
        return variables[atom] if atom in variables else self.top[atom]

    # Expressions

    def Eval(self, e, variables, application=None):
        self.returned = self.returned_centre = None
        if not isinstance(e, list): e = [e]
        if e[0] == "scc": return self.rule_scc(e, variables)
        if e[0] in ("let", "letrec"): return self.rule_3(e, variables)
        if e[0] == "case":
            self.returns.append((e[2:], variables, self.centre))
            return "Eval", e[1], variables
        if e[0] == "print":
            self.output.append(self.value(e[1], variables))
            return "Eval", e[2], variables
        values = [self.value(atom, variables) for atom in e[1:]]
        if e[0] in (">", "=="): return "ReturnCon", str(OPERATIONS[e[0]](*values)), []
        if e[0] in OPERATIONS: return "ReturnInt", (OPERATIONS[e[0]](*values) + 2**62) % 2**63 - 2**62
        if is_constructor(e[0]):
            if values: self.allocated[f"closure data {e[0]} {self.centre}"] += 1
            return "ReturnCon", e[0], values
        application = application or Application(self.centre)
        self.args = [(value, application) for value in values] + self.args
        head = self.value(e[0], variables)
        return ("ReturnInt", head) if isinstance(head, int) else ("Enter", head)

    def rule_scc(self, e, variables):
        self.updates.append((self.args, self.returns, self.centre, None))
        self.args, self.returns, self.centre = [], [], e[1]
        self.entries[e[1]] += 1
        self.trace.append(f"scc {e[1]} {self.centre}")
        return "Eval", e[2], variables

    def rule_3(self, e, variables):
        inner = dict(variables)
        for name, form in e[1]:
            inner[name] = Closure(self.centre, *form, None)
            self.allocated[f"closure {kind(inner[name])} {inner[name].described} {self.centre}"] += 1
        for name, (_, _, arguments, body, _) in e[1]:
            of = inner if e[0] == "letrec" else variables
            inner[name].variables = {v: of[v] for v in free(body) - set(arguments) if v in of}
        return "Eval", e[2], inner

    # Closures

    def Enter(self, a):
        if a.indirection is not None:
            return ("ReturnInt", a.indirection) if isinstance(a.indirection, int) else ("Enter", a.indirection)
        if a.flag == "u": return self.rule_15(a)
        if a.flag == "s": return self.rule_15_prime(a)
        if len(self.args) >= len(a.arguments): return self.rule_2(a)
        assert not self.returns, "functions are not examined"
        if self.args: self.partly_applied()
        if self.updates[-1][3]: return self.rule_17a(a)
        return self.rule_17a_prime(a)

    def rule_2(self, a):
        own, self.args = self.args[:len(a.arguments)], self.args[len(a.arguments):]
        if self.lexical and a.arguments: self.centre = self.lexical_centre(a, own)
        before = None if a.arguments else self.allocated.copy()  # entering a constructor builds none
        partial = Application(a.centre, True) if a.described == "PAP" else None
        code = self.Eval(a.body, {**a.variables, **dict(zip(a.arguments, (value for value, _ in own)))}, partial)
        if before is not None: self.allocated = before
        if a.described == "PAP" and not self.args[len(a.body) - 1:] or code[0] == "ReturnCon" and not a.arguments:
            self.returned, self.returned_centre = a, a.centre
        return code

    # The lexical rule, which is not in the paper: a function is charged to the centre that it was built in, those of the
    # top level to their callers.  Who gave the arguments that are left, or examines the value, goes on in its own centre.

    def lexical_centre(self, a, own):
        """Arguments that came one after the other made partial applications, and the last of those was called."""
        applications = list(dict.fromkeys(application for _, application in own))
        if not a.static: return a.centre
        return applications[-2 if len(applications) > 1 else -1].centre

    def partly_applied(self):
        """Too few arguments: a partial application is built by who gave the last; or there is one already."""
        applications = list(dict.fromkeys(application for _, application in self.args))
        if len(applications) == 1 and applications[0].partial: return
        if self.lexical: self.centre = applications[-1].centre
        partial = Application(self.centre, True)
        self.args = [(value, partial) for value, _ in self.args]

    def rule_15(self, a):
        self.updates.append((self.args, self.returns, self.centre, a))
        self.args, self.returns, self.centre = [], [], a.centre
        self.trace.append(f"thunk {a.name} {self.centre}")
        return "Eval", a.body, a.variables

    def rule_15_prime(self, a):
        self.updates.append((self.args, self.returns, self.centre, None))
        self.args, self.returns, self.centre = [], [], a.centre
        self.trace.append(f"thunk {a.name} {self.centre}")
        return "Eval", a.body, a.variables

    # Updates

    def built(self, a, closure):
        """h[a -> closure], or an indirection to what there is of this value already."""
        if self.returned is not None:
            a.indirection = self.returned
        else:
            a.__dict__.update(closure.__dict__)
            a.centre, self.returned = self.returned_centre, a

    def note_returned(self):
        """The centre just before the first update."""
        if self.returned_centre is None: self.returned_centre = self.centre

    def restore(self, step):
        """(as, rs, cc, a) or (as, rs, cc) from the update stack; arguments that waited make another value."""
        args, self.returns, self.centre, _ = self.updates.pop()
        self.args = self.args + args
        if args: self.returned = self.returned_centre = None
        self.trace.append(f"{step}  {self.centre}")

    def ReturnCon(self, c, ws):
        if self.returns:
            alternatives, variables, centre = self.returns.pop()
            self.note_returned()
            if self.lexical: self.centre = centre
            return self.choose(alternatives, variables, c, ws)
        assert not self.args
        if not self.updates: return None
        self.note_returned()
        return self.rule_16(c, ws) if self.updates[-1][3] else self.rule_16_prime(c, ws)

    def choose(self, alternatives, variables, c, ws):
        for pattern, result in alternatives:
            head = pattern[0] if isinstance(pattern, list) else pattern
            if head == c:
                return "Eval", result, {**variables, **dict(zip(pattern[1:] if isinstance(pattern, list) else [], ws))}
            if isinstance(head, str) and not is_constructor(head):
                whole = self.returned or self.data(c, ws, self.returned_centre)
                return "Eval", result, {**variables, head: whole}
        raise AssertionError(f"no alternative for {c}")

    def data(self, c, ws, centre):
        fields = [f"field{i}" for i in range(len(ws))]
        return Closure(centre, c, "r", [], [c, *fields], c, dict(zip(fields, ws)), not ws)

    def rule_16(self, c, ws):
        self.built(self.updates[-1][3], self.data(c, ws, self.centre))
        self.restore("update")
        return "ReturnCon", c, ws

    def rule_16_prime(self, c, ws):
        self.restore("restore")
        return "ReturnCon", c, ws

    def rule_17a(self, a):
        self.note_returned()
        if not self.args and self.returned is None: self.returned = a
        names = [f"argument{i}" for i in range(len(self.args))]
        self.built(self.updates[-1][3], Closure(self.centre, "", "r", [], ["function", *names], "PAP",
                                                {"function": a, **dict(zip(names, (value for value, _ in self.args)))}))
        self.restore("update")
        return "Enter", a

    def rule_17a_prime(self, a):
        self.note_returned()
        self.restore("restore")
        return "Enter", a

    # Numbers are values and no closures; the paper leaves their rules out, which are those of constructors.

    def ReturnInt(self, k):
        if self.returns:
            alternatives, variables, centre = self.returns.pop()
            if self.lexical: self.centre = centre
            for pattern, result in alternatives:
                if pattern == k: return "Eval", result, variables
                if isinstance(pattern, str) and not is_constructor(pattern): return "Eval", result, {**variables, pattern: k}
            raise AssertionError(f"no alternative for {k}")
        a = self.updates[-1][3]
        if a: a.indirection = k
        self.restore("update" if a else "restore")
        return ("ReturnInt", k) if self.updates else None

    # What is left

    def closures(self):
        left, seen, waiting = collections.Counter(), set(), list(self.top.values())
        while waiting:
            a = waiting.pop()
            while isinstance(a, Closure) and a.indirection is not None: a = a.indirection
            if not isinstance(a, Closure) or a in seen: continue
            seen.add(a)
            waiting += a.variables.values()
            if not a.static: left[f"closure {kind(a)} {a.described} {a.centre}"] += 1
        return left


def kind(a):
    if a.flag != "r": return "thunk"
    if a.described == "PAP": return "partial"
    return "function" if a.arguments else "data"


# ---- random programs ----

LIBRARY = """
(def upto (n m) (case (> n m) (True Nil) (False (Cons n (upto (+ n 1) m)))))
(def map (f l) (case l (Nil Nil) ((Cons x xs) (Cons (f x) (map f xs)))))
(def sum (a l) (case l (Nil a) ((Cons x xs) (case (+ a x) (b (sum b xs))))))
(def add (a b c) (+ a (+ b c)))
(def apply (f x) (f x))
(def compose (f g x) (f (g x)))
"""
NUMBER, LIST, FUNCTION = "number", "list", "function"


class Writer:
    """Typed expressions without recursion but the library's: they end."""

    def __init__(self, seed):
        self.random, self.count = random.Random(seed), 0

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def known(self, kind, names):
        return [name for name, of in names if of == kind]

    def leaf(self, kind, names):
        found = self.known(kind, names)
        if found and self.random.random() < 0.8: return self.random.choice(found)
        return {NUMBER: self.random.randint(-3, 9), LIST: "Nil", FUNCTION: ["add", 1, self.random.randint(0, 5)]}[kind]

    def bound(self, kind, depth, names):
        """What let may bind, besides an expression."""
        e = self.expression(kind, depth, names)
        if kind == FUNCTION and self.random.random() < 0.6:
            x = self.name()
            return ["lam", [x], self.expression(NUMBER, depth, names + [(x, NUMBER)])]
        return ["single", e] if self.random.random() < 0.1 else e

    def let(self, kind, depth, names):
        new = [(self.name(), self.random.choice([NUMBER, LIST, FUNCTION])) for _ in range(self.random.randint(1, 2))]
        bound = [[name, self.bound(of, depth - 1, names)] for name, of in new]
        return [self.random.choice(["let", "letrec"]), bound, self.expression(kind, depth - 1, names + new)]

    def examine(self, kind, depth, names):
        x, xs = self.name(), self.name()
        some = lambda more: self.expression(kind, depth - 1, names + more)
        return self.random.choice([
            lambda: ["case", [">", self.expression(NUMBER, depth - 1, names), 3], ["True", some([])], ["False", some([])]],
            lambda: ["case", self.expression(LIST, depth - 1, names), ["Nil", some([])],
                     [["Cons", x, xs], some([(x, NUMBER), (xs, LIST)])]],
            lambda: ["case", self.expression(LIST, depth - 1, names), [xs, some([(xs, LIST)])]],
            lambda: ["case", self.expression(NUMBER, depth - 1, names), [0, some([])], [x, some([(x, NUMBER)])]]])()

    def expression(self, kind, depth, names):
        if depth <= 0: return self.leaf(kind, names)
        of = lambda kind: self.expression(kind, depth - 1, names)
        ways = [lambda: self.leaf(kind, names), lambda: self.let(kind, depth, names), lambda: self.examine(kind, depth, names)]
        ways += [lambda: ["scc", f"c{self.random.randint(1, 6)}", of(kind)]] * 3
        ways += {NUMBER: [lambda: [self.random.choice("+-*"), of(NUMBER), of(NUMBER)], lambda: ["sum", of(NUMBER), of(LIST)],
                          lambda: ["add", of(NUMBER), of(NUMBER), of(NUMBER)], lambda: ["apply", of(FUNCTION), of(NUMBER)],
                          lambda: [of(FUNCTION), of(NUMBER)]],
                 LIST: [lambda: ["Cons", of(NUMBER), of(LIST)], lambda: ["upto", 1, self.random.randint(0, 4)],
                        lambda: ["map", of(FUNCTION), of(LIST)]],
                 FUNCTION: [lambda: ["add", of(NUMBER), of(NUMBER)], lambda: ["compose", of(FUNCTION), of(FUNCTION)]]}[kind]
        return self.random.choice(ways)()

    def program(self):
        names, definitions = [], parse(LIBRARY)
        for _ in range(self.random.randint(1, 4)):
            name, of = self.name(), self.random.choice([NUMBER, LIST, FUNCTION])
            definitions.append(["def", name, self.expression(of, 4, names)])
            names.append((name, of))
        kept = [(self.name(), self.random.choice([NUMBER, LIST, FUNCTION])) for _ in range(3)]
        main = ["Kept", *(name for name, _ in kept)]
        for kind in (NUMBER, NUMBER):
            main = ["print", self.expression(kind, 4, names + kept), main]
        bound = [[name, self.bound(of, 4, names)] for name, of in kept]
        return definitions + [["def", "main", ["let", bound, main]]]


# ---- the comparison ----

def compare_closures(source, path, machine):
    """What was allocated, and live in the last census: partial applications are the machine's own, and only live."""
    words = {"constructor": "data", "partial application": "partial"}
    allocated, live = collections.Counter(), collections.Counter()
    for centre, of, description, count, left in Profile(path).rows(
            "select coalesce(centre_name, '-'), kind, description, closures, live_closures from closures"):
        key = f"closure {words.get(of, of)} {description} {centre}"
        if of != "partial application": allocated[key] += count
        live[key] += left
    check(+live == machine.closures(), f"{source}: live {live - machine.closures()}, by the rules {machine.closures() - live}")
    check(+allocated == machine.allocated,
          f"{source}: allocated {allocated - machine.allocated}, by the rules {machine.allocated - allocated}")


def compare(name, definitions, program, lexical):
    machine = Machine(definitions, lexical)
    machine.run()
    source, trace, path = (DIRECTORY / f"{name}.{end}" for end in ("stg", "trace", "ascribe"))
    source.write_text("\n".join(map(text_of, definitions)) + "\n")
    result = must([ASCRIBE, "record", "-q", "-o", path, "--", program, *["--lexical"] * lexical, "--trace", trace, source])
    check(list(map(int, result.output.split())) == machine.output, f"{source}: printed {result.output}, expected {machine.output}")
    lines = trace.read_text().splitlines()
    steps = [line for line in lines if not line.startswith("closure ")]
    for i, (found, expected) in enumerate(zip(steps + ["the end"], machine.trace + ["the end"])):
        check(found == expected, f"{source}: step {i + 1} is {found!r}, by the rules {expected!r}")
    left = collections.Counter(lines[len(steps):])
    check(left == machine.closures(), f"{source}: left {left - machine.closures()}, by the rules {machine.closures() - left}")
    compare_closures(source, path, machine)
    entries = dict(Profile(path).rows("select name, sum(entries) from cost_centres where name <> '(collector)' and entries group by 1"))
    check(entries == machine.entries, f"{source}: entries {entries}, by the rules {dict(machine.entries)}")
    return machine


def main(first, number):
    program = DIRECTORY / "lazy"
    must(["gcc", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover", "-I", harness.SOURCE / "include",
          EXAMPLE / "lazy.c", "-o", program])
    for path in sorted(EXAMPLE.glob("*.stg")):
        smaller = re.sub(r"\b\d{3,}\b", lambda number: str(int(number[0]) // 50), path.read_text())
        for lexical in (False, True) if path.stem == "returned" else (False,):
            compare(path.stem, parse(smaller), program, lexical)
    met, left, run, seed = collections.Counter(), collections.Counter(), 0, first
    while run < number:
        try:
            machine = compare(f"random{seed}", Writer(seed).program(), program, seed % 2 == 0)
            met.update(line.split()[0] for line in machine.trace)
            left.update(line.split()[1] for line in machine.closures().elements())
            run += 1
        except TooLong:
            check(seed < first + 2 * number, "too many programs are too long")
        seed += 1
    print(run, "programs:", dict(met), dict(left))
    check({"scc", "thunk", "update", "restore"} <= met.keys() and {"data", "function", "thunk", "partial"} <= left.keys(),
          "the programs do not try everything")


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    main(int(sys.argv[1]), int(sys.argv[2]))
