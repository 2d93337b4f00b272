/* siglongjmp out of a handler on the alternate stack, after a stack overflow.
 * EXPECT levels -O0 -O2
 * EXPECT output 2
 * EXPECT calls handler 2
 * EXPECT calls after 2
 * EXPECT arc main after 2
 */
#include "program.h"
#include <setjmp.h>
#include <signal.h>
#include <string.h>

static sigjmp_buf back;
static volatile int overflows;

KEEP void after(void) {
  overflows++;
}

KEEP void handler(int signal_number) {
  (void)signal_number;
  siglongjmp(back, 1);
}

KEEP int overflow(int n) {
  volatile char frame[4096];
  frame[0] = (char)n;
  int below = overflow(n + 1);
  NOT_A_TAIL();
  return below + frame[0];
}

int main(void) {
  static char stack[64 * 1024];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  if (sigaltstack(&alternate, NULL) != 0) return 1;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, NULL);
  for (volatile int i = 0; i < 2; i++) {
    if (sigsetjmp(back, 1) == 0) overflow(0);
    after();
  }
  printf("%d\n", overflows);
  return 0;
}
