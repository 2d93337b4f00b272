/* exec while ticks come as often as they may: one that the kernel still holds back would end the
 * next program, which has no handler yet.  By libc's functions in turn, and by its syscall().
 * EXPECT record --rate 10000
 * EXPECT output end
 * EXPECT processes 31
 */
#include "program.h"
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
  int left = argc > 1 ? atoi(argv[1]) : 30;
  char next[16], path[] = "/proc/self/exe";
  char *arguments[] = {argv[0], next, NULL};
  burn(100000);
  if (!left) {
    puts("end");
    return 0;
  }
  snprintf(next, sizeof next, "%d", left - 1);
  switch (left % 4) {
  case 0:
    execl(path, argv[0], next, (char *)NULL);
    break;
  case 1:
    execv(path, arguments);
    break;
  case 2:
    syscall(SYS_execve, path, arguments, environ);
    break;
  default:
    execve(path, arguments, environ);
  }
  return 1;
}
