/* About a second in a known call tree: recursion, a mutual recursion, an inlined function, and work
 * below a stack that is deeper than perf copies (500 frames of 300 bytes). */
#include "program.h"
#include <string.h>

enum { ROUNDS = 60, DEEP = 500 };

KEEP void tree(int depth) {
  burn(20000);
  if (depth) tree(depth - 1);
  if (depth) tree(depth - 1);
  NOT_A_TAIL();
}

KEEP void pong(int depth);

KEEP void ping(int depth) {
  burn(60000);
  if (depth) pong(depth - 1);
  NOT_A_TAIL();
}

KEEP void pong(int depth) {
  burn(30000);
  if (depth) ping(depth - 1);
  NOT_A_TAIL();
}

static inline __attribute__((always_inline)) unsigned long inlined(unsigned long rounds) {
  unsigned long x = rounds;
  for (unsigned long i = 0; i < rounds; i++) {
    x = x * 2862933555777941757ul + 3037000493ul;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

KEEP unsigned long holder(void) {
  unsigned long x = inlined(3000000);
  burn(1000000);
  NOT_A_TAIL();
  return x;
}

KEEP void deep(int depth) {
  volatile char room[256];
  room[depth % 256] = 1;
  if (depth)
    deep(depth - 1);
  else
    burn(3000000);
  NOT_A_TAIL();
}

int main(void) {
  unsigned long x = 0;
  for (int i = 0; i < ROUNDS; i++) {
    tree(6);
    ping(20);
    x += holder();
    deep(DEEP);
  }
  printf("%lu\n", x % 10);
  return 0;
}
