/* Two files have a static function of one name, and of each the compiler compiled a clone only:
 * they stay two functions.
 * EXPECT levels -O2
 * EXPECT also static_clones_other.c
 * EXPECT calls scale@static_clones.c 3
 * EXPECT calls scale@static_clones_other.c 5
 */
#include "program.h"

int other(int n);

static __attribute__((noinline)) int scale(int n, int by, int unused) {
  __asm__ volatile("" : "+r"(n));
  return n * by;
}

KEEP static int own(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += scale(i, 7, n);
  return sum;
}

int main(void) {
  return own(3) + other(5) <= 0;
}
