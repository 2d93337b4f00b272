/* A static program whose threads count at once: each has counters of its own. Those made by C11's
 * threads, too, whatever made them is told.
 * EXPECT levels -O0 -O2
 * EXPECT compile -static -pthread
 * EXPECT output 8000000
 * EXPECT calls work 8000000
 * EXPECT calls run 4
 * EXPECT calls run_c11 4
 * EXPECT arc run work 4000000
 * EXPECT arc run_c11 work 4000000
 * EXPECT threads 9
 * EXPECT unsampled nothing can be loaded into it
 */
#include "program.h"
#include <pthread.h>
#include <threads.h>

enum { THREADS = 4, CALLS = 1000000 };

static long total;

KEEP long work(long n) {
  return n + 1;
}

KEEP void *run(void *unused) {
  long n = 0;
  for (int i = 0; i < CALLS; i++)
    n = work(n);
  __atomic_add_fetch(&total, n, __ATOMIC_RELAXED);
  return unused;
}

KEEP int run_c11(void *unused) {
  long n = 0;
  for (int i = 0; i < CALLS; i++)
    n = work(n);
  __atomic_add_fetch(&total, n, __ATOMIC_RELAXED);
  return unused != NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  thrd_t others[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, run, NULL) ||
        thrd_create(&others[i], run_c11, NULL) != thrd_success)
      return 1;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    thrd_join(others[i], NULL);
  }
  printf("%ld\n", total);
  return 0;
}
