/* An alternate stack of the least size that the kernel accepts, which may be less than a signal's
 * frame takes: as long as no signal is handled there, none of it is touched.
 * EXPECT levels -O2
 * EXPECT record --rate 4000
 * EXPECT output same again none untouched
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"
#include <signal.h>
#include <stdbool.h>

enum { LEAST = 2048 };

static char memory[8 * LEAST];

KEEP bool is_set(char *where) {
  stack_t now;
  return sigaltstack(NULL, &now) == 0 && now.ss_sp == where && now.ss_size == LEAST &&
         now.ss_flags == 0;
}

int main(void) {
  stack_t stack = {.ss_sp = memory + 4 * LEAST, .ss_size = LEAST}, old;
  if (sigaltstack(&stack, NULL) != 0) return 1;
  burn(300000000);
  printf(is_set(memory + 4 * LEAST) ? "same " : "another ");
  stack.ss_sp = memory + 6 * LEAST;
  if (sigaltstack(&stack, &old) != 0 || old.ss_sp != memory + 4 * LEAST) return 2;
  printf(is_set(memory + 6 * LEAST) ? "again " : "another ");
  stack.ss_flags = SS_DISABLE;
  if (sigaltstack(&stack, NULL) != 0 || sigaltstack(NULL, &old) != 0) return 3;
  printf(old.ss_flags == SS_DISABLE ? "none " : "one ");
  for (size_t i = 0; i < sizeof memory; i++)
    if (memory[i]) return 4;
  puts("untouched");
  return 0;
}
