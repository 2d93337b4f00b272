/* An exception thrown out of a signal handler unwinds through the frame that the kernel made,
 * which unwinders know by its return code.
 * EXPECT compile -fnon-call-exceptions
 * EXPECT output caught 10
 * EXPECT calls faults(int volatile*) 10
 * EXPECT calls handler(int) 10
 * EXPECT arc main after() 10
 */
#include "program.h"
#include <csignal>

static volatile int afters;

KEEP void handler(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  throw number;
}

KEEP int faults(volatile int *where) {
  return *where + 1;
}

KEEP void after() {
  afters = afters + 1;
}

int main() {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(SIGSEGV, &action, nullptr);
  for (int i = 0; i < 10; i++) {
    try {
      faults(nullptr);
    } catch (int) {
    }
    after();
  }
  printf("caught %d\n", (int)afters);
  return 0;
}
