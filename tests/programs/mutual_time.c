/* Mutual recursion with work at every level: callgrind's inclusive shares pass 600 %; nothing
 * here is above 100 %.
 * EXPECT levels -O0 -O2
 * EXPECT record --rate 2000
 * EXPECT output done
 * EXPECT calls left 400
 * EXPECT calls right 400
 * EXPECT cycle left right
 * EXPECT share left 1.0
 * EXPECT share right 0.99875
 * EXPECT share work 1.0
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"

KEEP void work(void) {
  burn(1000000);
  NOT_A_TAIL();
}

KEEP void right(int n);

KEEP void left(int n) {
  work();
  right(n);
  NOT_A_TAIL();
}

KEEP void right(int n) {
  work();
  if (n > 1) left(n - 1);
  NOT_A_TAIL();
}

int main(void) {
  left(400);
  puts("done");
  return 0;
}
