/* Work that is done when the library goes. */
#include "../program.h"

static KEEP void last_work(void) {
  printf("%d\n", burn(100000000) != 0);
}

int begin_library(void) {
  return atexit(last_work);
}
