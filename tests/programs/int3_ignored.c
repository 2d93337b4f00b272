/* A breakpoint instruction ends a program that ignores its signal: the kernel lets nobody ignore
 * it.
 * EXPECT levels -O2
 * EXPECT output before
 * EXPECT signal TRAP
 */
#include "program.h"
#include <signal.h>

int main(void) {
  signal(SIGTRAP, SIG_IGN);
  puts("before");
  fflush(stdout);
  __asm__ volatile("int3");
  puts("went on");
  return 3;
}
