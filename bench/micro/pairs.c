/* pairs DEPTH ROUNDS: nanoseconds of a malloc and a free, that many calls below main. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEEP __attribute__((noipa))

static long rounds;

KEEP static void *make(size_t bytes) {
  void *block = malloc(bytes);
  __asm__ volatile("" ::: "memory");
  return block;
}

KEEP static void drop(void *block) {
  free(block);
  __asm__ volatile("" ::: "memory");
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

KEEP static void deep(int depth) {
  if (depth) {
    deep(depth - 1);
    __asm__ volatile("" ::: "memory");
    return;
  }
  double before = seconds();
  for (long i = 0; i < rounds; i++)
    drop(make(64));
  printf("%.2f\n", (seconds() - before) / (double)rounds * 1e9);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  rounds = atol(arguments[2]);
  deep(atoi(arguments[1]));
}
