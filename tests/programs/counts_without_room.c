/* A library with more counters than areas have room for, loaded while threads count in areas of
 * their own: it counts where it lies, nothing crashes, and the profile tells of it.
 * EXPECT levels -O2
 * EXPECT library large_counters.c liblarge.so
 * EXPECT link -pthread -ldl
 * EXPECT output 2000
 * EXPECT counted calls step 2000
 * EXPECT counted dropped 7
 */
#include "program.h"
#include <dlfcn.h>
#include <pthread.h>

static int steps;

KEEP void step(void) {
  steps++;
}

static void *worker(void *unused) {
  for (int i = 0; i < 1000; i++)
    step();
  void *library = dlopen("liblarge.so", RTLD_NOW);
  void (*work)(void) = library ? (void (*)(void))dlsym(library, "large_work") : NULL;
  if (!work) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  for (int i = 0; i < 1000; i++)
    step(), work();
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, worker, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  printf("%d\n", steps);
  return 0;
}
