/* A static program, where nobody watches longjmp: the end of the enclosing scope restores what that
 * one had found.
 * EXPECT link -static
 * EXPECT unsampled static
 * EXPECT output 3
 * EXPECT entries outer 3
 * EXPECT entries left 3
 * EXPECT entries clean 3
 * EXPECT inside - outer 3
 * EXPECT inside outer left 3
 * EXPECT inside - clean 3
 */
#include "program.h"

#include <ascribe/ascribe.h>
#include <setjmp.h>

static jmp_buf back;
static volatile int jumped;

KEEP void leave(void) {
  ASCRIBE_SCOPE("left");
  longjmp(back, 1);
}

KEEP void outer(void) {
  ASCRIBE_SCOPE("outer");
  if (setjmp(back) == 0) leave();
  jumped++;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    outer();
    ASCRIBE_SCOPE("clean");
  }
  printf("%d\n", jumped);
  return 0;
}
