/* Calls through one pointer of several functions, from several threads at once.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT compile -pthread
 * EXPECT output done
 * EXPECT calls first 40000
 * EXPECT calls second 40000
 * EXPECT calls third 40000
 * EXPECT arc run second 40000
 * EXPECT calls run 4
 */
#include "program.h"
#include <pthread.h>

enum { THREADS = 4, CALLS = 30000 };

KEEP int first(int n) {
  return n + 1;
}
KEEP int second(int n) {
  return n + 2;
}
KEEP int third(int n) {
  return n + 3;
}

static int (*volatile const functions[])(int) = {first, second, third};

KEEP void *run(void *number) {
  for (int i = 0; i < CALLS; i++)
    functions[(i + (long)number) % 3](i);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, run, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  puts("done");
  return 0;
}
