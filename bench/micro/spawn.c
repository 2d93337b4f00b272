/* `spawn fork|exec COUNT [PROGRAM]`: COUNT processes one after the other, forked (the child calls
 * a few functions and leaves) or also exec'd; prints the mean time of one in microseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static int small_work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int one(const char *program) {
  int status;
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    if (!program) _exit(small_work(0));
    execl(program, program, (char *)0);
    _exit(127);
  }
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  const char *program = strcmp(arguments[1], "exec") == 0 ? arguments[3] : 0;
  long runs = atol(arguments[2]);
  double start = now();
  for (long i = 0; i < runs; ++i)
    if (one(program) != 0) return 1;
  printf("%.2f\n", (now() - start) / (double)runs);
  return 0;
}
