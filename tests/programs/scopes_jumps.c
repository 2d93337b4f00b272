/* A scope that longjmp leaves, from a handler too, does not keep what comes after; in a static
 * program, which no one watches jump, the enclosing scope's end restores what that one found.
 * EXPECT output 3 5
 * EXPECT entries left 3
 * EXPECT entries after 3
 * EXPECT entries outer 3
 * EXPECT entries handler 5
 * EXPECT entries clean 5
 * EXPECT inside outer left 3
 * EXPECT inside outer after 3
 * EXPECT inside - handler 5
 * EXPECT inside - clean 5
 * EXPECT inside - outer 3
 * EXPECT centre-share left self 0 0.1
 * EXPECT centre-share after self 0.6 1
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"

#include <ascribe/ascribe.h>
#include <setjmp.h>
#include <signal.h>

static jmp_buf back;
static sigjmp_buf out;
static volatile int jumped, escaped;

KEEP void leave(void) {
  ASCRIBE_SCOPE("left");
  longjmp(back, 1);
}

static void handler(int number) {
  ASCRIBE_SCOPE("handler");
  escaped += number == SIGUSR1;
  siglongjmp(out, 1);
}

KEEP void outer(void) {
  ASCRIBE_SCOPE("outer");
  if (setjmp(back) == 0) leave();
  jumped++;
  ASCRIBE_SCOPE("after");
  burn(50000000);
}

KEEP void clean(void) {
  ASCRIBE_SCOPE("clean");
  burn(1000);
}

int main(void) {
  signal(SIGUSR1, handler);
  for (int i = 0; i < 3; i++)
    outer();
  for (int i = 0; i < 5; i++) {
    if (sigsetjmp(out, 1) == 0) raise(SIGUSR1);
    clean();
  }
  printf("%d %d\n", jumped, escaped);
  return 0;
}
