#include "cli/apart.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A core dump is of no use to anybody who asked for a profile. */
static _Noreturn void work_and_end(int (*work)(void *), void *argument) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  int status = work(argument) ? 1 : 0;
  fflush(NULL);
  _exit(status);
}

int apart(int (*work)(void *), void *argument) {
  int status;
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return work(argument) ? -1 : 0;
  if (child == 0) work_and_end(work, argument);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  if (WIFSIGNALED(status))
    fprintf(stderr,
            "ascribe: saving was ended by SIG%s: too little memory or stack (ulimit -v, -s), or an "
            "object file that cannot be read\n",
            sigabbrev_np(WTERMSIG(status)));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}
