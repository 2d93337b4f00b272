/* In C a `case` may jump over the beginning of a scope, whose end then restores anything: later
 * entries are counted all the same, and nothing crashes.
 * EXPECT output 5050
 * EXPECT entries after 100
 */
#include "program.h"

#include <ascribe/ascribe.h>
#include <string.h>

static volatile int sum;

KEEP void dirty_stack(int byte) {
  char used[512];
  memset(used, byte, sizeof used);
  __asm__ volatile("" : : "r"(used) : "memory");
}

KEEP void skips(int n) {
  switch (n & 1) {
  case 0:;
    ASCRIBE_SCOPE("skipped");
    sum += 0;
    /* fall through */
  case 1:
    sum += n;
  }
}

KEEP void after(void) {
  ASCRIBE_SCOPE("after");
  NOT_A_TAIL();
}

int main(void) {
  for (int i = 1; i <= 100; i++) {
    dirty_stack(i);
    skips(i);
    after();
  }
  printf("%d\n", sum);
  return 0;
}
