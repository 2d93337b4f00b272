/* An alternate stack of the smallest legal size, guarded: a signal's frame fits, and little else.
 * EXPECT levels -O2
 * EXPECT record --rate 4000
 * EXPECT output 1
 * EXPECT calls handler 1
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, LITTLE = 512 };

static volatile int handled;

KEEP void handler(int number) {
  handled += number == SIGUSR1;
}

int main(void) {
  size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + LITTLE, pages = (size + PAGE - 1) / PAGE * PAGE;
  char *memory =
      mmap(NULL, PAGE + pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, PAGE, PROT_NONE) != 0) return 1;
  stack_t alternate = {.ss_sp = memory + PAGE, .ss_size = size};
  if (sigaltstack(&alternate, NULL) != 0) return 1;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  burn(300000000);
  printf("%d\n", handled);
  return 0;
}
