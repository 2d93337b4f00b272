/* Calls that sleep are not cut short by ticks of busy threads (SA_RESTART does not save these).
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output interrupted 0
 */
#include "program.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static int stop, interrupted;

static void note(int result) {
  if (result != 0 && errno == EINTR) __atomic_add_fetch(&interrupted, 1, __ATOMIC_RELAXED);
}

KEEP void *sleeps(void *argument) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    struct timespec two_ms = {0, 2000000}, until;
    note(nanosleep(&two_ms, NULL));
    note(usleep(2000));
    note(poll(NULL, 0, 2) < 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec = (until.tv_nsec + 2000000) % 1000000000;
    note(sem_timedwait(&semaphore, &until));
    burn(20000);
  }
  return argument;
}

KEEP void *busy(void *argument) {
  for (int i = 0; i < 500; i++)
    burn(1000000);
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  if (pthread_create(&threads[0], NULL, sleeps, NULL) != 0 ||
      pthread_create(&threads[1], NULL, busy, NULL) != 0)
    return 1;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  printf("interrupted %d\n", interrupted);
  return 0;
}
