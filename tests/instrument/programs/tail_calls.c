/* Calls in tail position that become jumps, and such that cannot: either way their caller stays in
 * the context. */
#include "fixture.h"

#define APART __attribute__((noipa))

static volatile long sink; /* written last, so that the expectation is no tail call itself */

struct big {
  long words[9];
};

APART static long many(long a, long b, long c, long d, long e, long f, long g, long h) {
  fixture_expect(a == 1 ? "main>more_arguments>many" : "main>as_many_arguments>many");
  sink = 1;
  return a + b + c + d + e + f + g + h;
}
APART static long more_arguments(long n) {
  return many(n, n, n, n, n, n, n, n);
}
APART static long as_many_arguments(long a, long b, long c, long d, long e, long f, long g,
                                    long h) {
  return many(h, g, f, e, d, c, b, a);
}

APART static struct big make(long n) {
  struct big made = {{n}};
  fixture_expect("main>returns_memory>make");
  sink = 1;
  return made;
}
APART static struct big returns_memory(long n) {
  return make(n + 1);
}

APART static long takes_big(struct big taken) {
  fixture_expect("main>passes_memory>takes_big");
  sink = 1;
  return taken.words[0];
}
APART static long passes_memory(long n) {
  struct big passed = {{n}};
  return takes_big(passed);
}

APART static long variable(int n, ...) {
  fixture_expect("main>more_variable>variable");
  sink = 1;
  return n;
}
APART static long more_variable(int n) {
  return variable(n, 1, 2, 3, 4, 5, 6, 7);
}

APART static long target(long n) {
  fixture_expect(n == 2 ? "main>jumps>target" : "main>jumps_through>target");
  sink = 1;
  return n;
}
APART static long jumps(long n) {
  return target(n + 1);
}
APART static long jumps_through(long n, long (*function)(long)) {
  return function(n);
}

int main(int count, char **arguments) {
  FIXTURE_NAME(main), FIXTURE_NAME(many), FIXTURE_NAME(more_arguments);
  FIXTURE_NAME(returns_memory), FIXTURE_NAME(make), FIXTURE_NAME(passes_memory);
  FIXTURE_NAME(takes_big), FIXTURE_NAME(more_variable), FIXTURE_NAME(variable);
  FIXTURE_NAME(target), FIXTURE_NAME(as_many_arguments), FIXTURE_NAME(jumps);
  FIXTURE_NAME(jumps_through);
  more_arguments(1);
  returns_memory(1);
  passes_memory(1);
  more_variable(1);
  if (count > 1) { /* compiled with sibling calls */
    as_many_arguments(1, 2, 3, 4, 5, 6, 7, 8);
    jumps(1);
    jumps_through(1, target);
    fixture_expect_calls("target", target, 2);
  }
  fixture_expect_calls("many", many, count > 1 ? 2 : 1);
  fixture_expect("main");
  return fixture_faults();
}
