/* What a vfork's child does to its signals before it executes, as shells do, is not done to its
 * parent's.
 * EXPECT levels -O2
 * EXPECT output handled 2 blocked 2 unblocked 3
 */
#include "program.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

KEEP void on_signal(int number) {
  handled += number == SIGTRAP || number == SIGPROF;
}

KEEP void run_true(void) {
  pid_t child = vfork();
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
      signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execl("/bin/true", "true", (char *)NULL);
    _exit(1);
  }
  waitpid(child, NULL, 0);
}

int main(void) {
  sigset_t trap;
  signal(SIGTRAP, on_signal);
  signal(SIGPROF, on_signal);
  run_true();
  burn(50000000);
  raise(SIGTRAP);
  raise(SIGPROF);
  printf("handled %d ", (int)handled);
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  sigprocmask(SIG_BLOCK, &trap, NULL);
  run_true();
  raise(SIGTRAP);
  printf("blocked %d ", (int)handled);
  sigprocmask(SIG_UNBLOCK, &trap, NULL);
  printf("unblocked %d\n", (int)handled);
  return 0;
}
