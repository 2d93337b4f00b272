/* Threads that end by pthread_exit, by cancellation and detached; calls of their destructors.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT compile -pthread
 * EXPECT output 3 destructors
 * EXPECT calls destructor 3
 * EXPECT calls work 30
 */
#include "program.h"
#include <pthread.h>
#include <unistd.h>

static pthread_key_t key;
static long destroyed;
static volatile int ready;

KEEP int work(int n) {
  return n + 1;
}

KEEP void destructor(void *value) {
  (void)value;
  for (int i = 0; i < 5; i++)
    work(i);
  __atomic_add_fetch(&destroyed, 1, __ATOMIC_SEQ_CST);
}

KEEP void leave(void) {
  for (int i = 0; i < 5; i++)
    work(i);
  pthread_exit(NULL);
}

KEEP void *exits(void *argument) {
  pthread_setspecific(key, &key);
  leave();
  return argument;
}

KEEP void *waits(void *argument) {
  pthread_setspecific(key, &key);
  for (int i = 0; i < 5; i++)
    work(i);
  ready = 1;
  for (;;)
    pause();
  return argument;
}

int main(void) {
  pthread_key_create(&key, destructor);
  pthread_t thread, cancelled;
  if (pthread_create(&thread, NULL, exits, NULL) != 0 ||
      pthread_create(&cancelled, NULL, waits, NULL) != 0)
    return 1;
  pthread_join(thread, NULL);
  while (!ready)
    usleep(1000);
  pthread_cancel(cancelled);
  pthread_join(cancelled, NULL);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &detached, exits, NULL) != 0) return 1;
  while (__atomic_load_n(&destroyed, __ATOMIC_SEQ_CST) < 3)
    usleep(1000);
  usleep(20000);
  printf("%ld destructors\n", destroyed);
  return 0;
}
