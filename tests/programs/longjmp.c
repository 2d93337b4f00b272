/* longjmp out of many frames leaves the right context behind.
 * EXPECT levels -O0 -Og -O1 -O2 -O3 -Os
 * EXPECT counted-levels expressions-O2
 * EXPECT output 3 3
 * EXPECT calls work 6
 * EXPECT arc main work 3
 * EXPECT arc deep work 3
 * EXPECT calls deep 93
 * EXPECT arc main deep 3
 */
#include "program.h"
#include <setjmp.h>

static jmp_buf back;
static volatile int worked;

KEEP void work(void) {
  worked++;
}

KEEP void deep(int n) {
  if (n == 0) {
    work();
    longjmp(back, 1);
  }
  deep(n - 1);
  NOT_A_TAIL();
}

int main(void) {
  volatile int jumps = 0;
  for (volatile int i = 0; i < 3; i++) {
    if (setjmp(back) == 0)
      deep(30);
    else
      jumps++;
    work();
  }
  printf("%d %d\n", jumps, worked - 3);
  return 0;
}
