/* A hundred thousand frames: main is found, and the program gets on with its work however long
 * that takes.
 * EXPECT levels sampled
 * EXPECT output done
 * EXPECT record --rate 10000
 * EXPECT sampled outermost main
 * EXPECT sampled present deep
 * EXPECT sampled contexts-below 100
 */
#include "program.h"

KEEP unsigned long deep(int depth) {
  unsigned long result = depth ? deep(depth - 1) : burn(1000000000);
  NOT_A_TAIL();
  return result + 1;
}

int main(void) {
  puts(deep(100000) == 12345678 ? "" : "done");
  return 0;
}
