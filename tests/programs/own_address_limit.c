/* A program limits its own address space: what is left is its own.
 * EXPECT levels -O0 -O2
 * EXPECT output enough
 * EXPECT calls deep 1001
 */
#include "program.h"
#include <stdlib.h>
#include <sys/resource.h>

KEEP int deep(int n) {
  volatile char room[100];
  room[0] = (char)n;
  return n ? deep(n - 1) + room[0] : 0;
}

int main(void) {
  struct rlimit limit = {400 << 20, 400 << 20};
  int got = 0;
  setrlimit(RLIMIT_AS, &limit);
  while (got < 20 && malloc(10 << 20))
    got++;
  deep(1000);
  puts(got == 20 ? "enough" : "not enough");
  return 0;
}
