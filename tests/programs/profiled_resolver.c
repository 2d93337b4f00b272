/* Compiled with -pg, too: the resolver of an ifunc calls mcount while the program is relocated.
 * EXPECT levels sampled
 * EXPECT compile -pg
 * EXPECT link -Wl,-z,now
 * EXPECT output 42
 * EXPECT sampled cut any
 */
#include "program.h"

static int answer(void) {
  return 42;
}

static __attribute__((used)) void *resolve(void) {
  return (void *)answer;
}

int chosen(void) __attribute__((ifunc("resolve")));

int main(void) {
  printf("%d\n", chosen());
  return 0;
}
