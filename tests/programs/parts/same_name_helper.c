/* Built twice, with different TIMES. */
#include "program.h"

KEEP int helper(int n) {
  return n;
}

KEEP int entry(void) {
  int calls = 0;
  for (int i = 0; i < TIMES; i++)
    calls += helper(i) == i;
  return calls;
}
