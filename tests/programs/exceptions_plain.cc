/* Exceptions through, and caught in, code without hooks.
 * EXPECT levels -O0 -O2
 * EXPECT plain plain_frames.cc
 * EXPECT output 6
 * EXPECT calls work() 6
 * EXPECT arc main work() 3
 * EXPECT arc middle() work() 3
 * EXPECT arc deep(int) thrower() 3
 * EXPECT arc body() deep(int) 3
 * EXPECT arc middle() body() 3
 * EXPECT counted arc main work() 3
 * EXPECT counted arc middle() work() 3
 * EXPECT counted arc body() deep(int) 3
 */
#include "program.h"

void plain_catch(void (*body)());
void plain_call(void (*body)());

static volatile int worked;

KEEP void work() {
  worked = worked + 1;
}

KEEP void thrower() {
  throw 1;
}

KEEP void deep(int n) {
  if (n == 0)
    plain_call(thrower);
  else
    deep(n - 1);
  NOT_A_TAIL();
}

KEEP void body() {
  deep(9);
  NOT_A_TAIL();
}

KEEP void middle() {
  plain_catch(body);
  work();
  NOT_A_TAIL();
}

int main() {
  for (int i = 0; i < 3; i++) {
    middle();
    work();
  }
  printf("%d\n", worked);
  return 0;
}
