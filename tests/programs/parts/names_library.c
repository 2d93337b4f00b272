/* Built twice, with different TIMES. */
#include "program.h"

__attribute__((visibility("hidden"))) int inner(void);
int name(void);

KEEP int own(void) {
  return 0;
}

KEEP int preferred(void) {
  return 100;
}

int entry(void);
KEEP int entry(void) {
  int sum = 0;
  for (int i = 0; i < TIMES; i++)
    sum += inner() + own() + preferred() + name();
  return sum;
}
