/* swapcontext between coroutines on 8 KB stacks: each goes on in its own context.
 * EXPECT levels -O0 -O1 -O2 -O3
 * EXPECT output 600
 * EXPECT calls produce 600
 * EXPECT arc generator produce 600
 * EXPECT arc main consume 600
 * EXPECT calls generator 3
 * EXPECT never consume generator
 */
#include "program.h"
#include <ucontext.h>

enum { STACK = 8192, COROUTINES = 3 };

static ucontext_t main_context, contexts[COROUTINES];
static char stacks[COROUTINES][STACK] __attribute__((aligned(64)));
static volatile int current, produced, consumed;

KEEP void produce(void) {
  produced++;
  burn(2000);
}

KEEP void consume(void) {
  consumed++;
  burn(2000);
}

KEEP void generator(int self) {
  for (;;) {
    produce();
    swapcontext(&contexts[self], &main_context);
  }
}

int main(void) {
  for (int i = 0; i < COROUTINES; i++) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = STACK;
    contexts[i].uc_link = &main_context;
    makecontext(&contexts[i], (void (*)(void))generator, 1, i);
  }
  for (int i = 0; i < 600; i++) {
    swapcontext(&main_context, &contexts[i % COROUTINES]);
    consume();
  }
  printf("%d\n", consumed);
  return 0;
}
