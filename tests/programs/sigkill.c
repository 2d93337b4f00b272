/* SIGKILL: nothing can run; all counts up to it are there.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT signal KILL
 * EXPECT calls work 1000
 * EXPECT arc leave work 1000
 */
#include "program.h"
#include <signal.h>
#include <unistd.h>

KEEP int work(int n) {
  return n + 1;
}

KEEP void leave(void) {
  for (int i = 0; i < 1000; i++)
    work(i);
  kill(getpid(), SIGKILL);
}

int main(void) {
  leave();
}
