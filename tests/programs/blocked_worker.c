/* A thread that blocks every signal is sampled as any other, and sees the mask that it set; a
 * signal that it blocked waits until it is let through.
 * EXPECT levels -O2
 * EXPECT record --rate 2000
 * EXPECT output blocked yes yes waiting yes none handled 1 open no
 * EXPECT calls on_trap 1
 * EXPECT share cheap measured
 * EXPECT share dear measured
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t trapped;

KEEP void on_trap(int number) {
  trapped += number == SIGTRAP;
}

KEEP void cheap(void) {
  burn(40000000);
  NOT_A_TAIL();
}

KEEP void dear(void) {
  burn(160000000);
  NOT_A_TAIL();
}

static const char *blocks(int number) {
  sigset_t now;
  sigprocmask(SIG_BLOCK, NULL, &now);
  return sigismember(&now, number) ? "yes" : "no";
}

int main(void) {
  sigset_t all, waiting;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_trap;
  sigfillset(&action.sa_mask);
  sigaction(SIGTRAP, &action, NULL);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  long long cheap_ns = 0, dear_ns = 0;
  for (int i = 0; i < 5; i++) {
    MEASURE(cheap_ns, cheap());
    MEASURE(dear_ns, dear());
  }
  expect_share("cheap", cheap_ns);
  expect_share("dear", dear_ns);
  printf("blocked %s %s ", blocks(SIGTRAP), blocks(SIGPROF));
  raise(SIGTRAP);
  sigpending(&waiting);
  printf("waiting %s %s ", sigismember(&waiting, SIGTRAP) ? "yes" : "no",
         trapped ? "some" : "none");
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  printf("handled %d open %s\n", (int)trapped, blocks(SIGTRAP));
  return 0;
}
