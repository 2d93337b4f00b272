/* A call through a pointer in a parent and in its child: the callee that was called there first
 * stays the call's own in the child, and others are looked up.
 * EXPECT levels -O0 -O2
 * EXPECT output 9000
 * EXPECT processes 2
 * EXPECT calls first 6000
 * EXPECT calls second 3000
 * EXPECT arc run first 6000
 * EXPECT arc run second 3000
 */
#include "program.h"
#include <sys/wait.h>
#include <unistd.h>

KEEP int first(int n) {
  return n + 1;
}
KEEP int second(int n) {
  return n + 1;
}

KEEP int run(int (*callee)(int), int n) {
  for (int i = 0; i < 3000; i++)
    n = callee(n);
  return n;
}

int main(void) {
  int n = run(first, 0), status;
  pid_t child = fork();
  if (child == 0) {
    n = run(second, run(first, n));
    printf("%d\n", n);
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, &status, 0);
  return status;
}
