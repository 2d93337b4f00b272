/* vfork: the child borrows the parent's memory, calls, and leaves; the parent goes on.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT output 4 hello
 * EXPECT arc spawn work 6
 * EXPECT arc main work 2
 */
#include "program.h"
#include <sys/wait.h>
#include <unistd.h>

KEEP int work(int n) {
  return n + 1;
}

KEEP int spawn(const char *path) {
  work(1);
  pid_t pid = vfork();
  if (pid == 0) {
    work(2);
    if (path) execl(path, path, "hello", (char *)NULL);
    _exit(4);
  }
  work(3);
  int status;
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}

int main(void) {
  int status = spawn(NULL);
  work(4);
  printf("%d ", status);
  fflush(stdout);
  spawn("/bin/echo");
  work(5);
  return 0;
}
