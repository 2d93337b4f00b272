/* The same bound at start, in an executable at a fixed address.
 * EXPECT levels -O2
 * EXPECT compile -fno-pie -no-pie -Wl,-z,now
 * EXPECT output 30
 * EXPECT calls chosen 10
 * EXPECT arc main chosen 10
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
