/* A bare clone system call makes a child that no library knows of: it records its own.
 * EXPECT levels -O0 -O2
 * EXPECT output 7
 * EXPECT calls work 8
 * EXPECT arc main work 3
 * EXPECT arc child work 5
 * EXPECT arc outer child 1
 * EXPECT calls outer 1
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

KEEP void child(void) {
  for (int i = 0; i < 5; i++)
    work(i);
  NOT_A_TAIL();
}

KEEP int outer(void) {
  pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0) {
    child();
    _exit(7);
  }
  int status;
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}

int main(void) {
  int status = outer();
  for (int i = 0; i < 3; i++)
    work(i);
  printf("%d\n", status);
  return 0;
}
