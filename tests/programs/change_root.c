/* The program goes where no file can be reached, works, and forks: where chroot is not permitted it
 * goes on as it is.
 * EXPECT levels sampled
 * EXPECT compile -D_GNU_SOURCE
 * EXPECT output child parent
 * EXPECT share work 1
 * EXPECT sampled outermost main
 */
#include "program.h"
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

KEEP void work(void) {
  burn(150000000);
  NOT_A_TAIL();
}

int main(void) {
  char empty[] = "/tmp/ascribe-tests-XXXXXX";
  if (!mkdtemp(empty)) return 1;
  if (chroot(empty) && unshare(CLONE_NEWUSER) == 0 && chroot(empty)) return 1;
  if (chdir("/")) return 1;
  work();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    work();
    puts("child");
    return 0;
  }
  int status;
  if (waitpid(child, &status, 0) != child || status) return 1;
  puts("parent");
  return 0;
}
