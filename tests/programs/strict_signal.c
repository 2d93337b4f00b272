/* signal() as strict ISO C has it, which libc calls by another name.
 * EXPECT levels -O2
 * EXPECT compile -std=c11
 * EXPECT output 1 1
 * EXPECT calls handler 2
 */
#include "program.h"
#include <signal.h>

static volatile sig_atomic_t traps, profs;

KEEP void handler(int number) {
  if (number == 5) traps++;  /* SIGTRAP */
  if (number == 27) profs++; /* SIGPROF */
}

int main(void) {
  signal(5, handler);
  signal(27, handler);
  raise(5);
  raise(27);
  burn(300000000);
  printf("%d %d\n", (int)traps, (int)profs);
  return 0;
}
