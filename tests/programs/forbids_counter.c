/* The program forbids itself to read the time-stamp counter.
 * EXPECT levels -O2
 * EXPECT output parent child
 * EXPECT sampled present work
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

KEEP void work(void) {
  burn(100000000);
  NOT_A_TAIL();
}

int main(void) {
  int status;
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0) return 1;
  work();
  puts("parent");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    work();
    puts("child");
    return 0;
  }
  return waitpid(child, &status, 0) != child || status;
}
