/* A destructor of thread-specific data that sets its key anew runs in all rounds that there are:
 * the calls of the last one count, too.
 * EXPECT levels -O0 -O2
 * EXPECT compile -pthread
 * EXPECT output 4
 * EXPECT calls destroy 4
 * EXPECT calls leaf 40
 * EXPECT unsampled it has no time to speak of
 */
#include "program.h"
#include <limits.h>
#include <pthread.h>

static pthread_key_t key;
static int rounds;

KEEP void leaf(void) {
  NOT_A_TAIL();
}

KEEP void destroy(void *left) {
  rounds++;
  for (int i = 0; i < 10; i++)
    leaf();
  long rest = (long)left - 1;
  if (rest) pthread_setspecific(key, (void *)rest);
}

KEEP void *work(void *unused) {
  pthread_setspecific(key, (void *)(long)PTHREAD_DESTRUCTOR_ITERATIONS);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_key_create(&key, destroy) || pthread_create(&thread, NULL, work, NULL)) return 1;
  pthread_join(thread, NULL);
  printf("%d\n", rounds);
  return 0;
}
