#include "program.h"
#include <string.h>

static char memory[1 << 20];

KEEP int ENTRY(void) {
  for (int i = 0; i < 200; i++) {
    memset(memory, i, sizeof memory);
    NOT_A_TAIL();
  }
  return 1;
}
