"""Random programs (random_program.py) with all the ways in which one function may come to run below another: also
callbacks through code without hooks, tail calls, arguments on the stack, leaves, virtual calls and thunks, several
calls of one callee on a line, handlers at exit, constructors."""

from random_program import RandomProgram

COMMON = """
#include <alloca.h>
#define KEEP __attribute__((noinline))
static KEEP unsigned leaf(unsigned a) {{ array[a % 16]++; return a * 5 + seed % 3; }}
KEEP unsigned open_leaf(unsigned a) {{ array[a % 7] += a; return a + seed % 5; }}
static KEEP unsigned loop_leaf(unsigned a) {{ do a = a / 3 + array[a % 16] % 2; while (a > 5); return a; }}
static KEEP unsigned many(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g,
                          unsigned h) {{
  if (--fuel < 0) return a;
  unsigned sum = {first}(a + h) + leaf(b);
  return sum + (c ^ d ^ e ^ f ^ g) + (bits() % 4 ? 0 : {last}(sum));
}}
static KEEP unsigned with_room(unsigned a) {{
  unsigned *room = (unsigned *)alloca(16 + a % 64 * 4);
  *room = a;
  return {last}(*room) + open_leaf(*room);
}}
static int by_value(const void *a, const void *b) {{
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  leaf(x);
  return x < y ? -1 : x > y;
}}
static int by_calls(const void *a, const void *b) {{
  if (bits() % 4 == 0 && fuel > 0) {first}(*(const unsigned *)a);
  return by_value(a, b);
}}
int by_tail(const void *a, const void *b) {{
  if (bits() % 5 == 0) {last}(1);
  return by_calls(b, a);
}}
static unsigned sorted(unsigned a, int (*order)(const void *, const void *)) {{
  if (--fuel < 0) return a;
  unsigned v[9];
  for (int i = 0; i < 9; i++) v[i] = bits() % 50;
  qsort(v, 2 + a % 8, sizeof *v, order);
  return v[0] + v[1];
}}
static unsigned found(unsigned a) {{
  static const unsigned v[] = {{1, 3, 5, 8, 13, 21, 34, 55}};
  const unsigned *at = (const unsigned *)bsearch(&a, v, 8, sizeof *v, by_calls);
  return at ? *at : a;
}}
static void at_end(void) {{ fuel = 50; array[0] += {first}(array[1]); }}
__attribute__((constructor)) static void before_main(void) {{ array[2] = leaf(3); atexit(at_end); }}
"""
VIRTUAL = """
struct shape {{ virtual unsigned area(unsigned a) {{ return leaf(a); }} virtual ~shape() {{ leaf(1); }} }};
struct named {{ unsigned name = 1; virtual unsigned area_of(unsigned a) {{ return a + name; }} }};
struct square : shape, named {{
  KEEP unsigned area(unsigned a) override {{ return --fuel < 0 ? a : {first}(a) + shape::area(a); }}
  KEEP unsigned area_of(unsigned a) override {{ return --fuel < 0 ? a : area(a) + name; }}
}};
struct circle final : square {{
  KEEP unsigned area(unsigned a) override {{ if (bits() % 19 == 0) throw 7; return square::area(a + 1); }}
}};
static KEEP shape &some_shape(void) {{
  static shape plain; static square second; static circle third;
  switch (bits() % 3) {{ case 0: return plain; case 1: return second; default: return third; }}
}}
static KEEP named &some_named(void) {{ static square first; static circle second; return bits() % 2 ? first : second; }}
template <class F> static KEEP unsigned applied(F f, unsigned a) {{ return f(a) + f(a + 1); }}
"""


class ContextProgram(RandomProgram):
    KINDS = RandomProgram.KINDS | {"sort": 5, "search": 3, "leaves": 8, "same_line": 6, "stack_arguments": 4,
                                   "room": 2, "virtual": 8, "applied": 3}

    def __init__(self, seed, is_cxx, fuel):
        super().__init__(seed, is_cxx)
        self.fuel = fuel

    def text(self):
        text = super().text()
        names = [f"f{i}" for i in range(self.functions)]
        own = COMMON + (VIRTUAL if self.is_cxx else "")
        lines = text.replace("static int fuel = ", f"static int fuel = {self.fuel} + ", 1).split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("static function *const table"))
        lines.insert(at + 1, own.format(first=self.random.choice(names), last=self.random.choice(names)))
        for i in range(at - self.functions, at):
            if self.random.random() < 0.6:
                lines[i] = "__attribute__((noinline)) " + lines[i]
        return "\n".join(lines)

    def sort(self, depth, *_):
        order = self.random.choice(["by_value", "by_calls", "by_calls", "by_tail"])
        self.add(depth, f"a += sorted(a, {order});")

    def search(self, depth, *_):
        self.add(depth, "a += found(a % 60);")

    def leaves(self, depth, *_):
        self.add(depth, self.random.choice(["a += leaf(a) + leaf(a + 1);", "a ^= open_leaf(a);", "a += loop_leaf(a);",
                                            "if (bits() % 2) return leaf(a);", "if (bits() % 3) return open_leaf(a);"]))

    def same_line(self, depth, *_):
        callee = f"f{self.random.randrange(self.functions)}"
        self.add(depth, f"a += {callee}(a) + {callee}(a + 1) + (bits() % 2 ? {callee}(3) : 0);")

    def stack_arguments(self, depth, *_):
        self.add(depth, "a += many(a, 1, a, 2, a, 3, bits(), 4);")

    def room(self, depth, *_):
        self.add(depth, "a += with_room(a);")

    def virtual(self, depth, *_):
        if not self.is_cxx:
            self.simple(depth)
            return
        self.add(depth, self.random.choice(["a += some_shape().area(a);", "a += some_named().area_of(a);",
                                            "{ circle own; a += own.area(a); }"]))

    def applied(self, depth, *_):
        if not self.is_cxx:
            self.simple(depth)
            return
        callee = f"f{self.random.randrange(self.functions)}"
        self.add(depth, f"a += applied([&a](unsigned x) {{ return {callee}(x + a); }}, a);")
