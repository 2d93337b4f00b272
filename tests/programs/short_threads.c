/* Ten thousand threads that live for a moment each, up to eight at a time.
 * EXPECT levels sampled
 * EXPECT compile -pthread
 * EXPECT output 10000
 * EXPECT sampled outermost main works start_thread clone3
 * EXPECT profile-below 4 MiB
 */
#include "program.h"
#include <pthread.h>

enum { THREADS = 10000, AT_ONCE = 8 };

KEEP void *works(void *count) {
  burn(20000);
  __atomic_fetch_add((int *)count, 1, __ATOMIC_RELAXED);
  return NULL;
}

int main(void) {
  int count = 0;
  for (int i = 0; i < THREADS; i += AT_ONCE) {
    pthread_t threads[AT_ONCE];
    for (int k = 0; k < AT_ONCE; k++)
      if (pthread_create(&threads[k], NULL, works, &count)) return 1;
    for (int k = 0; k < AT_ONCE; k++)
      pthread_join(threads[k], NULL);
  }
  printf("%d\n", count);
  return 0;
}
