/* GNU C: nested functions (static chain in r10), trampolines, and goto out of them.
 * EXPECT levels -O0 -O1 -O2
 * EXPECT output 45 3
 * EXPECT arc main work 3
 * EXPECT calls work 3
 */
#include "program.h"

static volatile int worked;

KEEP void work(void) {
  worked++;
}

KEEP int apply(int (*function)(int), int n) {
  int result = function(n);
  NOT_A_TAIL();
  return result;
}

KEEP int sum(int n) {
  int total = 0;
  int add(int value) {
    total += value;
    return total;
  }
  for (int i = 0; i < n; i++)
    apply(add, i);
  return total;
}

KEEP void leave(void (*out)(void)) {
  out();
  NOT_A_TAIL();
}

int main(void) {
  __label__ left;
  void out(void) {
    goto left;
  }
  volatile int rounds = 0;
again:
  leave(out);
left:
  work();
  if (++rounds < 3) goto again;
  printf("%d %d\n", sum(10), worked);
  return 0;
}
