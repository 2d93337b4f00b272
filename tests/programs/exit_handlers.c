/* Calls after exit has begun: atexit handlers, destructors, and threads that still run.
 * EXPECT levels -O0 -O2
 * EXPECT compile -pthread
 * EXPECT status 5
 * EXPECT output main atexit destructor
 * EXPECT calls work 3
 * EXPECT arc at_exit work 1
 * EXPECT arc destructor work 1
 */
#include "program.h"
#include <pthread.h>

KEEP void work(const char *name) {
  printf("%s\n", name);
  fflush(stdout);
}

KEEP void at_exit(void) {
  work("atexit");
  NOT_A_TAIL();
}

__attribute__((destructor)) KEEP void destructor(void) {
  work("destructor");
  NOT_A_TAIL();
}

KEEP int noise(int n) {
  return n + 1;
}

KEEP void *runs_on(void *argument) {
  for (;;)
    noise(1);
  return argument;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, runs_on, NULL) != 0) return 1;
  atexit(at_exit);
  work("main");
  exit(5);
}
