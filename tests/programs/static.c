/* Static executables, at a fixed address and position-independent.
 * EXPECT levels -O2
 * EXPECT compile -static -pthread
 * EXPECT output 3
 * EXPECT calls work 103
 * EXPECT arc main work 3
 * EXPECT arc thread_main work 100
 * EXPECT unsampled nothing can be loaded into it
 */
#include "program.h"
#include <pthread.h>

KEEP int work(int n) {
  return n >= 0;
}

KEEP void *thread_main(void *argument) {
  for (int i = 0; i < 100; i++)
    work(i);
  return argument;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, thread_main, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  int sum = 0;
  for (int i = 0; i < 3; i++)
    sum += work(i);
  printf("%d\n", sum);
  return 0;
}
