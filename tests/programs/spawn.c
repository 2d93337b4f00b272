/* posix_spawn of this program, ten times, and of one without hooks, which is sampled.
 * EXPECT levels -O2
 * EXPECT output plain 10
 * EXPECT arc main work 50
 * EXPECT processes 12
 */
#include "program.h"
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

KEEP int work(int n) {
  return n + 1;
}

static int run(const char *path, char **arguments) {
  pid_t pid;
  if (posix_spawn(&pid, path, NULL, NULL, arguments, environ) != 0) return -1;
  int status;
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    for (int i = 0; i < 5; i++)
      work(i);
    return 6;
  }
  run("/bin/echo", (char *[]){"echo", "-n", "plain ", NULL});
  int good = 0;
  for (int i = 0; i < 10; i++)
    good += run("/proc/self/exe", (char *[]){argv[0], "child", NULL}) == 6;
  printf("%d\n", good);
  return 0;
}
