/* Code that goes to several places: inlined, expanded. */
#include <stdio.h>

#define KEEP_MOST(most, x) ((most) = (x) > (most) ? (x) : (most))

static inline unsigned step(unsigned n) {
  if (n % 3 == 0) return n / 3;
  return n * 5 + 1;
}

static inline unsigned twice(unsigned n) {
  return step(step(n));
}

__attribute__((noinline)) static unsigned outer(unsigned n, unsigned trips) {
  unsigned most = 0;
  for (unsigned i = 0; i < trips; i++) {
    n = twice(n);
    KEEP_MOST(most, n);
  }
  return most;
}

__attribute__((noinline)) static void show(unsigned n) {
  printf("%u\n", n);
}

static inline void report(unsigned n) {
  show(n);
}

int main(int argc, char **argv) {
  (void)argv;
  unsigned highest = 0;
  for (unsigned k = 1; k <= 100; k++)
    KEEP_MOST(highest, outer(k, 200000));
  report(highest);
  report(step(argc));
  return 0;
}
