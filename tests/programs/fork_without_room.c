/* Children that may open no file, or write none, have no recording of their own: they run, and the
 * report says that they are missing.
 * EXPECT output 5 0, 5 0
 * EXPECT calls work 2
 * EXPECT processes 1
 * EXPECT dropped 6
 */
#include "program.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

KEEP int work(int n) {
  return n + 1;
}

/* The status of a child that is made while a limit is 0. */
static int forked_below(int resource) {
  struct rlimit limit, none;
  getrlimit(resource, &limit);
  none = (struct rlimit){0, limit.rlim_max};
  setrlimit(resource, &none);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; i++)
      work(i);
    _exit(work(4));
  }
  int status = 0;
  setrlimit(resource, &limit);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void) {
  int first = forked_below(RLIMIT_NOFILE), second = forked_below(RLIMIT_FSIZE);
  printf("%d %d, %d %d\n", first, work(-1), second, work(-1));
  return 0;
}
