/* Direct recursion, binary and deep: one context each, however deep.
 * EXPECT levels -O0 -Og -O1 -O2 -O3 -Os
 * EXPECT output 55 20001
 * EXPECT calls fib 177
 * EXPECT arc main fib 1
 * EXPECT arc fib fib 176
 * EXPECT calls depth 20001
 * EXPECT arc depth depth 20000
 * EXPECT contexts-below 12
 */
#include "program.h"

KEEP int fib(int n) {
  if (n < 2) return n;
  int a = fib(n - 1);
  NOT_A_TAIL();
  int b = fib(n - 2);
  NOT_A_TAIL();
  return a + b;
}

KEEP int depth(int n) {
  int below = n ? depth(n - 1) : 0;
  NOT_A_TAIL();
  return below + 1;
}

int main(void) {
  printf("%d ", fib(10));
  printf("%d\n", depth(20000));
  return 0;
}
