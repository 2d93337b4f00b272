/* A child that a bare clone system call makes takes the calls that its parent has made before: they
 * are counted as its own.
 * EXPECT levels -O0 -O2
 * EXPECT output 7
 * EXPECT calls work 43
 * EXPECT calls several 4
 * EXPECT arc several work 40
 * EXPECT arc main work 3
 * EXPECT processes 2
 */
#include "program.h"
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

KEEP int work(int n) {
  return n + 1;
}

KEEP void several(void) {
  for (int i = 0; i < 10; i++)
    work(i);
  NOT_A_TAIL();
}

int main(void) {
  pid_t pid = 1;
  int status;
  for (int i = 0; i < 3; i++) {
    if (i == 2) pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    several();
    if (!pid) _exit(7);
  }
  waitpid(pid, &status, 0);
  for (int i = 0; i < 3; i++)
    work(i);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
