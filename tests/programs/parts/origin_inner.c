#include "program.h"

KEEP int inner_work(void) {
  return burn(100000000) ? 3 : 0;
}

KEEP int inner_entry(void) {
  int result = inner_work();
  NOT_A_TAIL();
  return result;
}
