/* The program's own alternate stack is of the usual 8 KB with a guard below, and its handler works
 * there for long: ticks neither overflow it nor touch what lies around it.
 * EXPECT levels -O2
 * EXPECT link -Wl,-z,now
 * EXPECT record --rate 4000
 * EXPECT output 20 ok
 * EXPECT calls handler 20
 * EXPECT sampled cut some
 * EXPECT arc handler work 20
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, STACK = 8192, USED = 1024 };

static volatile int handled, spoiled;

KEEP void work(void) {
  burn(10000000);
}

KEEP void handler(int number) {
  volatile char frame[USED];
  memset((char *)frame, number, sizeof frame);
  work();
  for (int i = 0; i < USED; i++)
    spoiled += frame[i] != (char)number;
  handled++;
}

int main(void) {
  char *memory =
      mmap(NULL, PAGE + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, PAGE, PROT_NONE) != 0) return 1;
  stack_t alternate = {.ss_sp = memory + PAGE, .ss_size = STACK};
  if (sigaltstack(&alternate, NULL) != 0) return 1;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 20; i++) {
    burn(10000000);
    raise(SIGUSR1);
  }
  printf("%d %s\n", handled, spoiled ? "spoiled" : "ok");
  return 0;
}
