/* A static program that stands between itself and pthread_create, by the linker's --wrap.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT link -static -Wl,--wrap=pthread_create
 * EXPECT output 8 threads
 * EXPECT calls __wrap_pthread_create 8
 */
#include "program.h"
#include <pthread.h>

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int made;

KEEP int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                               void *(*function)(void *), void *argument) {
  made++;
  return __real_pthread_create(thread, attributes, function, argument);
}

static void *nothing(void *argument) {
  return argument;
}

int main(void) {
  for (int i = 0; i < 8; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL)) return 1;
    pthread_join(thread, NULL);
  }
  printf("%d threads\n", made);
  return 0;
}
