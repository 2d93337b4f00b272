/* A thread loads a library whose code runs while it is being loaded, before the runtime has heard
 * of it: its DT_INIT, an ifunc's resolver that calls another file's function, and what the first
 * thread calls meanwhile. Nothing crashes, every call counts.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT library loaded_early_library.c libearly.so loaded_early_other.c -Wl,-init=early_init
 * EXPECT link -pthread -ldl
 * EXPECT output 2011 7
 * EXPECT calls step 1001
 * EXPECT calls early_work 1000
 * EXPECT arc worker step 1000
 * EXPECT counted calls step 1001
 * EXPECT counted calls early_work 1000
 * EXPECT counted calls early_step 10
 * EXPECT counted calls early_choose 1
 * EXPECT counted arc worker step 1000
 * EXPECT counted arc early_init early_step 10
 */
#include "program.h"
#include <dlfcn.h>
#include <pthread.h>

static int steps;

KEEP void step(void) {
  steps++;
}

KEEP void *worker(void *unused) {
  for (int i = 0; i < 1000; i++)
    step();
  void *library = dlopen("libearly.so", RTLD_NOW);
  int (*work)(void) = library ? (int (*)(void))dlsym(library, "early_work") : NULL;
  int (*answer)(void) = library ? (int (*)(void))dlsym(library, "early_answer") : NULL;
  if (!work || !answer) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  for (int i = 0; i < 1000; i++)
    steps += work();
  printf("%d %d\n", steps, answer());
  return unused;
}

int main(void) {
  pthread_t thread;
  step();
  if (pthread_create(&thread, NULL, worker, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  return 0;
}
