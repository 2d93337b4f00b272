#include "runtime/ticks/tick_clock.h"

static enum clock_use use;

enum clock_use clock_use(void) {
  return use;
}

void clock_set_use(enum clock_use now) {
  use = now;
}
