#include "program.h"

__attribute__((visibility("hidden"))) int inner(void);
KEEP int inner(void) {
  return 0;
}

KEEP int named(void) {
  return 0;
}

int name(void) __attribute__((alias("named")));
