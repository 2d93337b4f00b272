/* Nanoseconds per scope. */
#include <ascribe/ascribe.h>

#include "loops.h"

KEEP static void scope(void) {
  for (int i = 0; i < ROUNDS; i++) {
    ASCRIBE_SCOPE("one");
    sink = i;
  }
}

KEEP static void nested(void) {
  for (int i = 0; i < ROUNDS; i++) {
    ASCRIBE_SCOPE("outer");
    ASCRIBE_SCOPE("inner");
    sink = i;
  }
}

KEEP static void alternating(void) {
  for (int i = 0; i < ROUNDS; i++)
    if (i & 1) {
      ASCRIBE_SCOPE("odd");
      sink = i;
    } else {
      ASCRIBE_SCOPE("even");
      sink = i;
    }
}

KEEP static void carried(void) {
  for (int i = 0; i < ROUNDS; i++) {
    struct ascribe_captured here = ascribe_capture();
    ASCRIBE_RESUME(here);
    sink = i;
  }
}

int main(void) {
  void (*const loops[])(void) = {scope, nested, alternating, carried};
  print_loops(loops, 4);
  return 0;
}
