#include "program.h"

KEEP int second_leaf(void) {
  return 1;
}

KEEP int second_entry(void) {
  int result = second_leaf();
  result += second_leaf();
  NOT_A_TAIL();
  return result;
}
