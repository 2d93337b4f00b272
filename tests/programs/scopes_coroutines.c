/* Coroutines that stand in scopes when they are left: each goes on in its own centre, and main in
 * its.
 * EXPECT output 300 300
 * EXPECT entries producer 3
 * EXPECT entries item 300
 * EXPECT entries consumer 1
 * EXPECT entries consume 300
 * EXPECT inside consumer consume 300
 * EXPECT inside producer item 300
 * EXPECT centre-share item self 0.5 0.5
 * EXPECT centre-share consume self 0.5 0.5
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"

#include <ascribe/ascribe.h>
#include <ucontext.h>

enum { STACK = 8192, COROUTINES = 3, ROUNDS = 300 };
static ucontext_t main_context, contexts[COROUTINES];
static char stacks[COROUTINES][STACK] __attribute__((aligned(64)));
static volatile int produced, consumed;

KEEP void generator(int self) {
  ASCRIBE_SCOPE("producer");
  for (;;) {
    ASCRIBE_SCOPE("item");
    produced++;
    burn(300000);
    swapcontext(&contexts[self], &main_context);
  }
}

int main(void) {
  for (int i = 0; i < COROUTINES; i++) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = STACK;
    makecontext(&contexts[i], (void (*)(void))generator, 1, i);
  }
  ASCRIBE_SCOPE("consumer");
  for (int i = 0; i < ROUNDS; i++) {
    swapcontext(&main_context, &contexts[i % COROUTINES]);
    ASCRIBE_SCOPE("consume");
    consumed++;
    burn(300000);
  }
  printf("%d %d\n", produced, consumed);
  return 0;
}
