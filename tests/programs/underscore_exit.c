/* _exit: no handler of ours can run; all counts are there.
 * EXPECT levels -O0 -O2
 * EXPECT status 3
 * EXPECT calls work 1000
 * EXPECT arc leave work 1000
 */
#include "program.h"
#include <unistd.h>

KEEP int work(int n) {
  return n + 1;
}

KEEP void leave(void) {
  for (int i = 0; i < 1000; i++)
    work(i);
  _exit(3);
}

int main(void) {
  leave();
}
