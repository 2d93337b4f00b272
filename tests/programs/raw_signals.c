/* Handlers of the signals of the clocks, set by system calls of the program's own.
 * EXPECT levels -O2
 * EXPECT output old default traps 2 profs 1 gone
 */
#include "program.h"
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kernel_action {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

void return_from_handler(void);
__asm__(".type return_from_handler, @function\n"
        "return_from_handler: movq $15, %rax; syscall\n"
        ".size return_from_handler, .-return_from_handler");

static volatile sig_atomic_t traps, profs;

KEEP void handler(int number) {
  traps += number == SIGTRAP;
  profs += number == SIGPROF;
}

static int set(int number, void (*function)(int), struct kernel_action *old) {
  struct kernel_action action = {function, 0x04000000 /* SA_RESTORER */, return_from_handler, 0};
  return (int)syscall(SYS_rt_sigaction, number, &action, old, 8);
}

int main(void) {
  struct kernel_action old;
  if (set(SIGTRAP, handler, &old) || set(SIGPROF, handler, NULL)) return 1;
  printf(old.handler == SIG_DFL ? "old default " : "old %p ", (void *)old.handler);
  for (int i = 0; i < 20; i++)
    burn(10000000);
  raise(SIGTRAP);
  raise(SIGPROF);
  raise(SIGTRAP);
  printf("traps %d profs %d ", (int)traps, (int)profs);
  if (set(SIGTRAP, SIG_IGN, NULL)) return 1;
  raise(SIGTRAP);
  printf(traps == 2 && syscall(SYS_rt_sigaction, SIGTRAP, (void *)8, NULL, 8) == -1 ? "gone\n"
                                                                                    : "still\n");
  return 0;
}
