/* 500 frames of 300 bytes and more: main is still found.
 * EXPECT levels sampled
 * EXPECT output done
 * EXPECT share main 1
 * EXPECT share deep 1
 * EXPECT sampled outermost main
 */
#include "program.h"
#include <string.h>

KEEP int deep(int depth) {
  char frame[300];
  memset(frame, depth, sizeof frame);
  __asm__ volatile("" : : "r"(frame) : "memory");
  int result = depth ? deep(depth - 1) : (int)burn(300000000);
  NOT_A_TAIL();
  return result + frame[depth % 300];
}

int main(void) {
  puts(deep(500) == 12345678 ? "" : "done");
  return 0;
}
