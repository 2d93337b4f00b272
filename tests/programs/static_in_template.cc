/* Local functions that only an inline function calls: the compiler moves them to its group.
 * EXPECT output 10 30 90
 * EXPECT calls-like helper(int) 30
 * EXPECT calls-like leaf(int) 30
 * EXPECT calls work 60
 * EXPECT arc helper(int) work 60
 */
#include "program.h"

static int worked, leaves;

extern "C" KEEP void work() {
  worked++;
}

static __attribute__((noinline, noclone)) int leaf(int n) {
  leaves++;
  return n & 1;
}

static __attribute__((noinline, noclone)) int helper(int n) {
  work();
  work();
  NOT_A_TAIL();
  return n + 1;
}

template <class number> KEEP int sum(number n) {
  int total = 0;
  for (int i = 0; i < 3; i++)
    total += helper(n + i) + leaf(n + i);
  return total;
}

int main() {
  int total = 0, calls = 0;
  for (; calls < 10; calls++)
    total += sum(0);
  printf("%d %d %d\n", calls, leaves, total + worked - 40);
  return 0;
}
