/* A program that uses the segment register %gs itself, in several threads: counters that are found
 * without it leave it alone.
 * EXPECT levels -O0 -O2
 * EXPECT compile -pthread
 * EXPECT counted-compile --without-gs
 * EXPECT output 40000
 * EXPECT calls step 40000
 * EXPECT calls run 4
 * EXPECT arc run step 40000
 */
#include "program.h"
#include <asm/prctl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 10000 };

KEEP void step(void) {
  __asm__ volatile("incq %%gs:8" : : : "memory");
}

KEEP void *run(void *own) {
  syscall(SYS_arch_prctl, ARCH_SET_GS, own);
  for (int i = 0; i < CALLS; i++)
    step();
  return NULL;
}

int main(void) {
  static unsigned long own[THREADS][2];
  pthread_t threads[THREADS];
  unsigned long sum = 0;
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, run, own[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    sum += own[i][1];
  }
  printf("%lu\n", sum);
  return 0;
}
