"""Random programs in C and C++ with all the ways that control can go: what tests of counting need.

They end by themselves: calls use up fuel, loops go round until a generator of pseudo-random bits
lets them out.  Where control goes depends on these bits alone, not on addresses, clocks or what an
optimiser may do with variables across longjmp: the same program does the same however it is built.
"""

import random

HEAD = """#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
typedef unsigned function(unsigned);
static int fuel = {fuel};
static unsigned seed = {seed}, array[16] = {{1, 2, 3, 4, 5}};
static inline unsigned bits(void) {{
  seed = seed * 1103515245u + 12345u;
  return seed >> 16;
}}
static unsigned half(unsigned a) {{ return a & 1 ? a >> 1 : a * 3 + 1; }}
static unsigned once(unsigned a) {{ return bits() % 5 < 3 ? a : a + 1; }}
__attribute__((noinline)) static unsigned deep(unsigned a) {{ return bits() % 3 ? a : deep(a / 3) + 1; }}
static unsigned twice(function *f, unsigned a) {{
  unsigned first = f(a);
  return fuel > 9 ? first + f(a + 1) : first;
}}
"""
HEAD_C = "static jmp_buf *there;\n"
HEAD_CXX = """struct guard {
  unsigned &a;
  guard(unsigned &x) : a(x) { a++; }
  ~guard() { a -= bits() % 3 ? 1 : 2; }
};
template <int N> static unsigned times(unsigned a) {
  unsigned n = 0;
  for (int i = 0; i < N; i++) n += a * i;
  return n;
}
"""
SMALL = ("half", "once", "deep")
NO_LOOP, LOOP, SWITCH = range(3)  # what `break` leaves; only of a loop there is `continue`


class RandomProgram:
    def __init__(self, seed, is_cxx):
        self.random = random.Random(seed)
        self.is_cxx = is_cxx
        self.functions = self.random.randint(3, 9)
        self.has_jumps = self.random.random() < 0.5
        self.labels = 0
        self.lines = []

    def text(self):
        head = HEAD.format(fuel=self.random.choice([200, 1000, 2000]),
                           seed=self.random.randint(1, 10**6))
        head += HEAD_CXX if self.is_cxx else HEAD_C
        names = [f"f{i}" for i in range(self.functions)]
        for name in names:
            head += self.random.choice(["", "static "]) + f"function {name};\n"
        head += f"static function *const table[] = {{{', '.join(names)}}};\n"
        for name in names:
            self.function(name)
        self.main()
        return head + "\n".join(self.lines) + "\n"

    def add(self, depth, line):
        self.lines.append("  " * depth + line)

    def new_label(self):
        self.labels += 1
        return f"l{self.labels}"

    def function(self, name):
        begin = len(self.lines)
        self.add(0, f"unsigned {name}(unsigned a) {{")
        self.add(1, "if (--fuel < 0) return a;")
        if self.is_cxx and self.random.random() < 0.5:
            self.add(1, "a += times<3>(a) + times<5>(a);")
        self.statements(1, self.random.randint(2, 4), NO_LOOP)
        self.add(1, self.random.choice(["return a;", f"return {self.call()};"]))
        self.add(0, "}")
        if any("setjmp" in line for line in self.lines[begin:]):
            self.lines[begin] = f"unsigned {name}(unsigned a0) {{\n  volatile unsigned a = a0;"

    def main(self):
        callee = self.random.randrange(self.functions)
        self.add(0, "int main(void) {")
        self.add(1, "unsigned sum = 0;")
        self.add(1, f"for (int i = 0; i < {self.random.randint(1, 40)}; i++) {{")
        if self.is_cxx:
            self.add(2, "try {")
            self.add(3, f"sum += f{callee}(i);")
            self.add(2, "} catch (int x) { sum += x; } catch (...) { sum++; }")
        else:
            self.add(2, "jmp_buf top;")
            self.add(2, "there = &top;")
            self.add(2, f"if (!setjmp(top)) sum += f{callee}(i);")
            self.add(2, "there = 0;")
        self.add(1, "}")
        self.add(1, 'printf("%u\\n", sum);')
        self.add(1, "return 0;")
        self.add(0, "}")

    # ---- expressions ----

    def some_bits(self, most=9):
        return f"bits() % {self.random.randint(2, most)}"

    def call(self):
        callee = f"f{self.random.randrange(self.functions)}"
        return self.random.choices(
            [f"{callee}(a + {self.random.randint(0, 9)})", f"table[bits() % {self.functions}](a)",
             f"twice({callee}, a)", f"{self.random.choice(SMALL)}(a)"], [55, 20, 10, 15])[0]

    def condition(self, depth=2):
        kind = self.random.random() if depth else 1
        if kind < 0.4:
            operator = "&&" if kind < 0.2 else "||"
            return f"({self.condition(depth - 1)} {operator} {self.condition(depth - 1)})"
        if kind < 0.45:
            return f"!{self.condition(depth - 1)}"
        if kind < 0.5:
            return (f"({self.condition(depth - 1)} ? {self.condition(depth - 1)} :"
                    f" {self.condition(depth - 1)})")
        return f"({self.some_bits()} < {self.random.randint(1, 5)})"

    # ---- statements: depth of the text, levels that may still follow, what `break` leaves ----

    KINDS = {"simple": 22, "branch": 20, "for_loop": 10, "short_loop": 4, "do_loop": 6, "while_loop": 4,
             "switch": 8, "leave_loop": 6, "leave_function": 4, "jump": 4, "computed_jump": 3,
             "handler": 4, "lost": 5}

    def statements(self, depth, levels, inside):
        for _ in range(self.random.randint(1, 4)):
            kind, = self.random.choices(list(self.KINDS), list(self.KINDS.values()))
            getattr(self, kind if levels > 0 else "simple")(depth, levels - 1, inside)

    def block(self, depth, head, levels, inside, tail="}"):
        self.add(depth, head)
        self.statements(depth + 1, levels, inside)
        self.add(depth, tail)

    def simple(self, depth, *_):
        self.add(depth, self.random.choice([
            f"a += {self.call()};", f"a = {self.condition()} ? {self.call()} : a * 3;",
            f"a = a * {self.random.randint(3, 99)} + bits();"]))

    def branch(self, depth, levels, inside):
        if self.random.random() < 0.5:
            self.block(depth, f"if ({self.condition()}) {{", levels, inside, "} else {")
            self.statements(depth + 1, levels, inside)
            self.add(depth, "}")
        else:
            self.block(depth, f"if ({self.condition()}) {{", levels, inside)

    def for_loop(self, depth, levels, _):
        i = f"i{depth}"
        self.block(depth, f"for (unsigned {i} = 0; {i} < {self.some_bits()}; {i}++) {{", levels, LOOP)

    def short_loop(self, depth, *_):
        rounds = self.random.choice([3, 4, 8, 16])
        self.add(depth, f"for (int k = 0; k < {rounds}; k++) a += array[k] * a;")

    def do_loop(self, depth, levels, _):
        self.block(depth, "do {", levels, LOOP, f"}} while ({self.some_bits()} == 0);")

    def while_loop(self, depth, levels, _):
        self.block(depth, f"while ({self.some_bits(4)} == 0) {{", levels, LOOP)

    def switch(self, depth, levels, inside):
        inside = LOOP if inside == LOOP else SWITCH
        self.add(depth, f"switch (bits() % {self.random.randint(3, 12)}) {{")
        labels = [f"case {i}:" for i in self.random.sample(range(12), self.random.randint(2, 8))]
        for label in labels + ["default:"] * (self.random.random() < 0.6):
            self.add(depth, label)
            self.statements(depth + 1, levels - 1, inside)
            if self.random.random() < 0.7:
                self.add(depth + 1, "break;")
        self.add(depth, "}")

    def leave_loop(self, depth, levels, inside):
        if inside == NO_LOOP:
            self.simple(depth)
        else:
            how = self.random.choice(["break", "continue"]) if inside == LOOP else "break"
            self.add(depth, f"if (bits() % 4 == 0) {how};")

    def leave_function(self, depth, *_):
        self.add(depth, f"if (bits() % 6 == 0) return {self.random.choice(['a', self.call()])};")

    def jump(self, depth, levels, inside):
        if not self.has_jumps:
            self.simple(depth)
            return
        label = self.new_label()
        if self.random.random() < 0.5:
            self.add(depth, f"if (bits() % 3 == 0) goto {label};")
            self.statements(depth, levels, inside)
            self.add(depth, f"{label}:;")
        else:
            self.add(depth, f"{label}:;")
            self.statements(depth, levels, inside)
            self.add(depth, f"if (bits() % 3 == 0 && --fuel > 0) goto {label};")

    def computed_jump(self, depth, levels, inside):
        if self.is_cxx or not self.has_jumps:
            self.simple(depth)
            return
        labels = [self.new_label() for _ in range(3)]
        self.add(depth, f"{{ static const void *const to[] = {{{', '.join('&&' + l for l in labels)}}};")
        self.add(depth, "goto *to[bits() % 3];")
        for label in labels:
            self.add(depth, f"{label}:;")
            self.statements(depth + 1, levels - 1, inside)
        self.add(depth, "}")

    def handler(self, depth, levels, inside):
        if self.is_cxx:
            self.block(depth, "try {", levels, inside,
                       f"}} catch ({self.random.choice(['int', 'double', 'unsigned', '...'])}) {{")
            self.statements(depth + 1, levels - 1, inside)
            self.add(depth, "}")
        else:
            self.add(depth, "{ jmp_buf *was = there, here;")
            self.add(depth + 1, "there = &here;")
            self.add(depth + 1, f"if (setjmp(here) == 0) a += {self.call()};")
            self.add(depth + 1, "else a ^= 5;")
            self.add(depth + 1, "there = was;")
            self.add(depth, "}")

    def lost(self, depth, *_):
        if not self.is_cxx:
            self.add(depth, self.random.choice(["if (bits() % 5 == 0 && there) longjmp(*there, 1);",
                                                "if (bits() % 997 == 0) exit(3);"]))
            return
        self.add(depth, self.random.choice([
            f"{{ guard g(a); a += {self.call()}; }}",
            "a += [&](unsigned x) { return bits() % 3 ? x + a : once(x); }(a);",
            f"if (bits() % 9 == 0) throw {self.random.choice(['1', '2.5', 'a'])};"]))
