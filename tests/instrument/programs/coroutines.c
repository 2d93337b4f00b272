/* Coroutines on small stacks, resumed from different places. */
#include <stddef.h>
#include <ucontext.h>

#include "fixture.h"

#define APART __attribute__((noipa))

enum { STACK = 8192 };
static char stacks[2][STACK] __attribute__((aligned(16)));
static ucontext_t main_context, contexts[2];
static int produced[2];
static volatile int sink; /* written after a call, so that it is no tail call */

APART static void produce(int which) {
  produced[which]++;
  swapcontext(&contexts[which], &main_context);
  fixture_expect(which ? "main>resume_second>body>produce" : "main>resume_first>body>produce");
  sink = 0;
}

APART static void body(int which) {
  for (;;)
    produce(which);
}

APART static void resume_first(void) {
  swapcontext(&main_context, &contexts[0]);
  fixture_expect("main>resume_first");
  sink = 0;
}

APART static void resume_second(void) {
  swapcontext(&main_context, &contexts[1]);
  fixture_expect("main>resume_second");
  sink = 0;
}

int main(void) {
  FIXTURE_NAME(main), FIXTURE_NAME(body), FIXTURE_NAME(produce);
  FIXTURE_NAME(resume_first), FIXTURE_NAME(resume_second);
  for (int i = 0; i < 2; i++) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = STACK;
    contexts[i].uc_link = NULL;
    makecontext(&contexts[i], (void (*)(void))body, 1, i);
  }
  for (int i = 0; i < 50; i++) {
    resume_first();
    fixture_expect("main");
    resume_second();
    fixture_expect("main");
  }
  fixture_expect_calls("produce", produce, 100);
  return produced[0] == 50 && produced[1] == 50 ? fixture_faults() : 1;
}
