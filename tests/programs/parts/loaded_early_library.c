/* Its first function is its DT_INIT (linked with -init=early_init). */
#include "program.h"

int early_choose(void);

static volatile int steps;

KEEP void early_step(void) {
  steps++;
}

void early_init(void);
void early_init(void) {
  for (int i = 0; i < 10; i++)
    early_step();
}

KEEP int early_work(void) {
  static int once;
  int first = once ? 0 : steps;
  once = 1;
  return 1 + first;
}

static int seven(void) {
  return 7;
}

static int (*resolve_answer(void))(void) {
  return early_choose() ? seven : 0;
}

int early_answer(void) __attribute__((ifunc("resolve_answer")));
