#include "program.h"

int other(int n);

static __attribute__((noinline)) int scale(int n, int by, int unused) {
  __asm__ volatile("" : "+r"(n));
  return n + by;
}

KEEP int other(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += scale(i, 9, n);
  return sum;
}
