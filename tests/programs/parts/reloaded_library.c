#include "program.h"

static volatile unsigned long sink;

KEEP void LEAF(void) {
  unsigned long x = 1;
  for (unsigned long i = 0; i < ROUNDS; i++) {
    x = x * 6364136223846793005ul + 1442695040888963407ul;
    __asm__ volatile("" : "+r"(x));
  }
  sink = x;
}

KEEP int ENTRY(void) {
  LEAF();
  NOT_A_TAIL();
  return 1;
}
