/* main ends its thread and leaves the process to another one.
 * EXPECT levels sampled
 * EXPECT compile -pthread
 * EXPECT output main left
 * EXPECT share work 1
 * EXPECT sampled outermost works
 */
#include "program.h"
#include <pthread.h>

static pthread_t first;

KEEP void work(void) {
  burn(300000000);
  NOT_A_TAIL();
}

KEEP void *works(void *unused) {
  pthread_join(first, NULL);
  work();
  puts("main left");
  return NULL;
}

int main(void) {
  pthread_t thread;
  first = pthread_self();
  if (pthread_create(&thread, NULL, works, NULL)) return 1;
  pthread_exit(NULL);
}
