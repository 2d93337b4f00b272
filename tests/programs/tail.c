/* Ten million mutual tail calls run in a stack of one frame.  Each is counted where it is made, and
 * who made it stays active.
 * EXPECT levels -O2 -O3 -Os
 * EXPECT compile -foptimize-sibling-calls
 * EXPECT output 0
 * EXPECT calls ping 5000001
 * EXPECT calls pong 5000000
 * EXPECT arc main ping 1
 * EXPECT arc pong ping 5000000
 * EXPECT arc ping pong 5000000
 * EXPECT arc main pong 0
 * EXPECT cycle ping pong
 * EXPECT contexts-below 12
 */
#include "program.h"

KEEP long pong(long n);
KEEP long ping(long n) {
  return n == 0 ? 0 : pong(n - 1);
}
KEEP long pong(long n) {
  return n == 0 ? 1 : ping(n - 1);
}

int main(void) {
  printf("%ld\n", ping(10000000));
  return 0;
}
