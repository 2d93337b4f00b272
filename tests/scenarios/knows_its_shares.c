/* Three functions with unequal shares of about 60 ms, interleaved; prints what each really took,
 * by the thread's CPU clock, as JSON. */
#include "program.h"
#include <time.h>

enum { ROUNDS = 20 };

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

KEEP void leaf(unsigned long rounds) {
  burn(rounds);
  NOT_A_TAIL();
}

KEEP void first(void) {
  leaf(100000);
  NOT_A_TAIL();
}

KEEP void second(void) {
  leaf(600000);
  NOT_A_TAIL();
}

KEEP void third(void) {
  burn(1300000);
  NOT_A_TAIL();
}

static long took(void (*function)(void)) {
  long start = now();
  function();
  return now() - start;
}

int main(void) {
  long times[3] = {0};
  for (int i = 0; i < ROUNDS; i++) {
    times[0] += took(first);
    times[1] += took(second);
    times[2] += took(third);
  }
  printf("{\"first\": %ld, \"second\": %ld, \"third\": %ld}\n", times[0], times[1], times[2]);
  return 0;
}
