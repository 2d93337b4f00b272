/* An ifunc's resolver runs before the program is relocated: it must not fault.
 * EXPECT levels -O0 -O2
 * EXPECT output 30
 * EXPECT calls chosen 10
 * EXPECT arc main chosen 10
 * EXPECT counted arc main chosen 0
 */
#include "program.h"

KEEP int chosen(int n) {
  return n + 3;
}

KEEP int decide(int n) {
  return n;
}

static int (*resolve_twice(void))(int) {
  decide(1);
  return chosen;
}

int twice(int n) __attribute__((ifunc("resolve_twice")));

int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += twice(0);
  printf("%d\n", sum);
  return 0;
}
