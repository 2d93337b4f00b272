/* The same work on each of N threads: `threads N CALLS`, CALLS per thread.  Nothing is shared, so
 * a call should cost the same whatever N is. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLS_PER_ROUND 1000
#define THREADS_MAX 1024

__attribute__((noinline)) static uint64_t leaf(uint64_t x) {
  __asm__ volatile("" : "+r"(x)); /* or gcc would see that nothing happens here */
  return x + 1;
}

__attribute__((noinline)) static uint64_t branch(uint64_t x, int depth) {
  if (depth == 0) return leaf(x);
  return branch(x, depth - 1) + leaf(x);
}

static void *work(void *argument) {
  uint64_t rounds = *(const uint64_t *)argument, sum = 0;
  for (uint64_t i = 0; i < rounds; ++i)
    for (int j = 0; j < CALLS_PER_ROUND / 10; ++j)
      sum += branch(i, 4); /* 5 + 5 calls */
  __asm__ volatile("" : : "r"(sum));
  return 0;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  long threads = atol(arguments[1]);
  uint64_t rounds = strtoull(arguments[2], 0, 10) / CALLS_PER_ROUND;
  pthread_t ids[THREADS_MAX];
  if (threads < 1 || threads > THREADS_MAX) return 2;
  for (long i = 0; i < threads; ++i)
    if (pthread_create(&ids[i], 0, work, &rounds)) return 1;
  for (long i = 0; i < threads; ++i)
    pthread_join(ids[i], 0);
  printf("%llu\n", (unsigned long long)(rounds * CALLS_PER_ROUND * (uint64_t)threads));
  return 0;
}
