/* Three thousand short threads: their tables are handed on, the recording stays bounded.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output 3000
 * EXPECT calls work 30000
 * EXPECT arc thread_main work 30000
 * EXPECT recording-below 24 MiB
 * EXPECT profile-below 1 MiB
 */
#include "program.h"
#include <pthread.h>

static long started;

KEEP int work(int n) {
  return n + 1;
}

KEEP void *thread_main(void *argument) {
  for (int i = 0; i < 10; i++)
    work(i);
  __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
  return argument;
}

int main(void) {
  for (int round = 0; round < 375; round++) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
      if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0) return 1;
    for (int i = 0; i < 8; i++)
      pthread_join(threads[i], NULL);
  }
  printf("%ld\n", started);
  return 0;
}
