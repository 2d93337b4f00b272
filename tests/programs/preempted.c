/* Coroutines that signals switch: each handler goes on when its coroutine has its turn again, so it
 * has to run on the coroutine's own stack. By both signals that sampling uses.
 * EXPECT levels -O2
 * EXPECT output switched switched
 * EXPECT calls step 400000
 * EXPECT sampled cut any
 */
#include "program.h"
#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

enum { COROUTINES = 4, STEPS = 50000, STACK_BYTES = 65536, TURNS = 5 };

static ucontext_t outside, coroutines[COROUTINES];
static char stacks[COROUTINES][STACK_BYTES];
static volatile int current, ended, turns[COROUTINES];

KEEP void step(void) {
  for (volatile int i = 0; i < 20; i++)
    ;
}

static void switch_over(int number) {
  int left = current;
  (void)number;
  current = (current + 1) % COROUTINES;
  turns[current]++;
  swapcontext(&coroutines[left], &coroutines[current]);
}

static void run(void) {
  int self = current;
  for (int i = 0; i < STEPS; i++)
    step();
  while (turns[self] < TURNS)
    ;
  __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED); /* a switch in between would lose another's */
  while (ended < COROUTINES)
    ;
  setcontext(&outside);
}

static void prepare(ucontext_t *coroutine, char *stack) {
  getcontext(coroutine);
  coroutine->uc_stack.ss_sp = stack;
  coroutine->uc_stack.ss_size = STACK_BYTES;
  makecontext(coroutine, run, 0);
}

static void switch_by(int number) {
  struct sigaction action = {.sa_handler = switch_over, .sa_flags = SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
  struct itimerspec each = {{0, 2000000}, {0, 2000000}};
  static volatile int back;
  timer_t timer;
  ended = current = back = 0;
  memset((void *)turns, 0, sizeof turns);
  for (int i = 0; i < COROUTINES; i++)
    prepare(&coroutines[i], stacks[i]);
  sigaction(number, &action, NULL);
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  getcontext(&outside);
  if (!back++) {
    timer_settime(timer, 0, &each, NULL);
    setcontext(&coroutines[0]);
  }
  signal(number, SIG_IGN);
  timer_delete(timer);
  puts(ended == COROUTINES ? "switched" : "stuck");
}

int main(void) {
  switch_by(SIGTRAP);
  switch_by(SIGPROF);
  return 0;
}
