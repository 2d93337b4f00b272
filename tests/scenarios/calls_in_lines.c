/* A function called from several lines, for unequal times; prints what each call took, by the
 * thread's CPU clock, as JSON. Places are told by the comments. */
#include "program.h"
#include <time.h>

enum { ROUNDS = 100 };

static long now(void) {
  return cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

KEEP void work(unsigned long rounds) {
  burn(rounds);
  NOT_A_TAIL();
}

static inline __attribute__((always_inline)) void inlined(unsigned long rounds) {
  work(rounds); /* INLINED */
}

KEEP void down(int depth) {
  if (depth)
    down(depth - 1); /* AGAIN */
  else
    work(400000); /* DEEP */
  NOT_A_TAIL();
}

KEEP void caller(long times[4]) {
  long begin = now();
  work(200000); /* SHORT */
  long after_short = now();
  work(900000); /* LONG */
  long after_long = now();
  inlined(500000); /* IN */
  long after_inlined = now();
  down(5); /* DOWN */
  times[0] += after_short - begin;
  times[1] += after_long - after_short;
  times[2] += after_inlined - after_long;
  times[3] += now() - after_inlined;
}

int main(void) {
  long times[4] = {0};
  for (int i = 0; i < ROUNDS; i++)
    caller(times);
  printf("{\"SHORT\": %ld, \"LONG\": %ld, \"INLINED\": %ld, \"DOWN\": %ld}\n", times[0], times[1],
         times[2], times[3]);
  return 0;
}
