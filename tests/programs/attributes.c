/* naked, no_instrument_function, noreturn, cold, constructor-free, asm-only: all run as written.
 * EXPECT levels -O0 -O2
 * EXPECT status 9
 * EXPECT output 7 8
 * EXPECT calls seen 2
 * EXPECT arc main seen 1
 * EXPECT calls last 1
 * EXPECT counted arc last seen 1
 */
#include "program.h"

KEEP int seen(int n) {
  return n;
}

__attribute__((naked, used)) static int seven(void) {
  __asm__("movl $7, %eax\n\tret");
}

__attribute__((no_instrument_function)) KEEP int unseen(int n) {
  int result = seen(n);
  NOT_A_TAIL();
  return result;
}

__attribute__((noreturn, cold)) KEEP void last(int status) {
  seen(1);
  exit(status);
}

int main(void) {
  printf("%d ", seven());
  printf("%d\n", unseen(8));
  last(9);
}
