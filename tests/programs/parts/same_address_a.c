#include "program.h"

KEEP int first_leaf(void) {
  return 1;
}

KEEP int first_entry(void) {
  int result = first_leaf();
  NOT_A_TAIL();
  return result;
}
