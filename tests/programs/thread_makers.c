/* Threads made by C11's thrd_create and by pthread_create, from different functions: each has its
 * ticks, begins with its own function, and knows who made it.
 * EXPECT levels sampled
 * EXPECT compile -pthread
 * EXPECT output 2
 * EXPECT share works_c11 measured
 * EXPECT share works_posix measured
 * EXPECT sampled outermost main works_c11 works_posix
 * EXPECT sampled spawned works_c11 makes_c11
 * EXPECT sampled spawned works_posix makes_posix
 */
#include "program.h"
#include <pthread.h>
#include <threads.h>

static int count; /* atomic */
static long long c11_ns, posix_ns;

KEEP int works_c11(void *unused) {
  burn(150000000);
  c11_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
}

KEEP void *works_posix(void *unused) {
  burn(150000000);
  posix_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  return NULL;
}

KEEP int makes_c11(thrd_t *thread) {
  int status = thrd_create(thread, works_c11, NULL);
  NOT_A_TAIL();
  return status;
}

KEEP int makes_posix(pthread_t *thread) {
  int status = pthread_create(thread, NULL, works_posix, NULL);
  NOT_A_TAIL();
  return status;
}

int main(void) {
  thrd_t first;
  pthread_t second;
  if (makes_c11(&first) || makes_posix(&second)) return 1;
  thrd_join(first, NULL);
  pthread_join(second, NULL);
  expect_share("works_c11", c11_ns);
  expect_share("works_posix", posix_ns);
  printf("%d\n", count);
  return 0;
}
