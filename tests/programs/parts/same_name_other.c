/* Built twice, with different ENTRY. */
#include "program.h"

KEEP int shared(int n) {
  return n >= 0;
}

KEEP int ENTRY(void) {
  int calls = 0;
  for (int i = 0; i < 4; i++)
    calls += shared(i);
  return calls;
}
