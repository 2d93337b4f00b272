/* A crash: the signal is the program's own, all counts are there.
 * EXPECT levels -O0 -O2
 * EXPECT signal SEGV
 * EXPECT calls work 1000
 * EXPECT arc leave work 1000
 */
#include "program.h"

KEEP int work(int n) {
  return n + 1;
}

KEEP void leave(void) {
  for (int i = 0; i < 1000; i++)
    work(i);
  *(volatile int *)8 = 1;
}

int main(void) {
  leave();
}
