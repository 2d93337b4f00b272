/* Recursion thousands of frames deep, through a call in an argument. */
#include <stdio.h>

__attribute__((noipa)) static unsigned ackermann(unsigned m, unsigned n) {
  unsigned result;
  if (m == 0)
    result = n + 1;
  else if (n == 0)
    result = ackermann(m - 1, 1);
  else
    result = ackermann(m - 1, ackermann(m, n - 1));
  __asm__ volatile("" : "+r"(result)); /* no tail call: every activation has its frame */
  return result;
}

int main(void) {
  unsigned last = 0;
  for (int i = 0; i < 2; i++)
    last = ackermann(3, 10);
  printf("%u\n", last);
  return 0;
}
