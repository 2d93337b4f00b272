/* Direct recursion from two call sites. */
#include <stdio.h>

__attribute__((noipa)) static unsigned long fib(unsigned long n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void) {
  printf("%lu\n", fib(37));
  return 0;
}
