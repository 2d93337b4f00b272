/* For sampled stacks: a recursion, a mutual one and an inlined function with unequal shares of
 * about 60 ms, interleaved; prints what each really took, by the thread's CPU clock, as JSON. */
#include "program.h"
#include <time.h>

enum { ROUNDS = 60 };

static long inlined_took;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

KEEP void tree(int depth) {
  burn(3000);
  if (depth) tree(depth - 1);
  if (depth) tree(depth - 1);
  NOT_A_TAIL();
}

KEEP void pong(int depth);

KEEP void ping(int depth) {
  burn(20000);
  if (depth) pong(depth - 1);
  NOT_A_TAIL();
}

KEEP void pong(int depth) {
  burn(10000);
  if (depth) ping(depth - 1);
  NOT_A_TAIL();
}

static inline __attribute__((always_inline)) void inlined(unsigned long rounds) {
  for (volatile unsigned long i = 0; i < rounds; i++)
    ;
}

KEEP void holder(void) {
  long start = now();
  inlined(400000);
  inlined_took += now() - start;
  burn(400000);
  NOT_A_TAIL();
}

static long took(void (*function)(int), int depth) {
  long start = now();
  function(depth);
  return now() - start;
}

int main(void) {
  long times[3] = {0};
  for (int i = 0; i < ROUNDS; i++) {
    times[0] += took(tree, 6);
    times[1] += took(ping, 20);
    long start = now();
    holder();
    times[2] += now() - start;
  }
  printf("{\"tree\": %ld, \"ping\": %ld, \"holder\": %ld, \"inlined\": %ld}\n", times[0], times[1],
         times[2], inlined_took);
  return 0;
}
