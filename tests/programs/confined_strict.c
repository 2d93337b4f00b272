/* The program confines itself to read, write, exit and the return from handlers (strict mode), and
 * goes on working at places where it has not been before.
 * EXPECT levels sampled
 * EXPECT output before after
 * EXPECT sampled outermost main
 * EXPECT sampled present before
 * EXPECT sampled present after
 */
#include "program.h"
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

KEEP void before(void) {
  burn(50000000);
  NOT_A_TAIL();
}

KEEP void after(unsigned depth) {
  if (depth) after(depth - 1);
  burn(10000000);
  NOT_A_TAIL();
}

int main(void) {
  before();
  if (write(1, "before\n", 7) != 7) return 1;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) return 2;
  after(20);
  if (write(1, "after\n", 6) != 6) syscall(SYS_exit, 3);
  syscall(SYS_exit, 0);
}
