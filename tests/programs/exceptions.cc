/* Exceptions through many frames; destructors run while they unwind, in their owner's context.
 * EXPECT levels -O0 -O1 -O2 -O3
 * EXPECT counted-levels expressions-O2
 * EXPECT output 5 60 0
 * EXPECT calls deep(int) 55
 * EXPECT calls work() 5
 * EXPECT arc main work() 5
 * EXPECT calls closed() 60
 * EXPECT arc deep(int) Guard::~Guard() 55
 * EXPECT arc rethrows() Guard::~Guard() 5
 * EXPECT arc rethrows() deep(int) 5
 * EXPECT arc main rethrows() 5
 */
#include "program.h"
#include <exception>

static volatile int destroyed, worked;

KEEP void closed() {
  destroyed = destroyed + 1;
}

struct Guard {
  KEEP ~Guard() {
    closed();
    NOT_A_TAIL();
  }
};

KEEP void work() {
  worked = worked + 1;
}

KEEP void deep(int n) {
  Guard guard;
  if (n == 0) throw std::bad_exception(); /* of the library; <stdexcept> takes long to compile */
  deep(n - 1);
  NOT_A_TAIL();
}

KEEP void rethrows() {
  Guard guard;
  try {
    deep(10);
  } catch (...) {
    throw;
  }
}

int main() {
  int left = 5;
  for (int i = 0; i < 5; i++) {
    try {
      rethrows();
    } catch (const std::bad_exception &) {
      left--;
    }
    work();
  }
  printf("%d %d %d\n", worked, destroyed, left);
  return 0;
}
