/* Twelve functions, the first with `more` per cent more work than without: steps MORE THOUSANDS. */
#include <stdio.h>
#include <stdlib.h>

#define STEP(name)                                                                                 \
  __attribute__((noinline, noclone)) static unsigned name(unsigned seed, long turns) {             \
    for (long i = 0; i < turns; i++)                                                               \
      seed = seed * 1664525u + 1013904223u + (seed >> 13);                                         \
    return seed;                                                                                   \
  }

STEP(changed)
STEP(step1)
STEP(step2)
STEP(step3)
STEP(step4)
STEP(step5)
STEP(step6)
STEP(step7)
STEP(step8)
STEP(step9)
STEP(step10)
STEP(step11)

int main(int count, char **arguments) {
  static unsigned (*const steps[])(unsigned, long) = {step1, step2, step3, step4,  step5, step6,
                                                      step7, step8, step9, step10, step11};
  long more = count > 1 ? atol(arguments[1]) : 0, thousands = count > 2 ? atol(arguments[2]) : 100;
  unsigned seed = (unsigned)count;
  for (long round = 0; round < thousands; round++) {
    seed = changed(seed, 1000 * (100 + more) / 10);
    for (int i = 0; i < 11; i++)
      seed = steps[i](seed, 1000L * (i + 1) / 4);
  }
  printf("%u\n", seed);
}
