/* Functions that only their own file calls, in a circle that leads through an inlined one: one of
 * them must be counted at its entry.
 * EXPECT levels -O0 -O2
 * EXPECT output 55
 * EXPECT calls outer 11
 * EXPECT calls inner 10
 * EXPECT arc inner outer 10
 * EXPECT arc outer inner 10
 * EXPECT counted arc inner outer 10
 * EXPECT counted arc middle inner 10
 * EXPECT unsampled it has no time to speak of
 */
#include "program.h"

#define ALONE __attribute__((noinline, noclone))

static int sum;
static ALONE void outer(int n);

static ALONE void inner(int n) {
  sum += n;
  outer(n - 1);
  NOT_A_TAIL();
}

static inline __attribute__((always_inline)) void middle(int n) {
  inner(n);
  NOT_A_TAIL();
}

static ALONE void outer(int n) {
  if (n > 0) middle(n);
  NOT_A_TAIL();
}

int main(void) {
  outer(10);
  printf("%d\n", sum);
  return 0;
}
