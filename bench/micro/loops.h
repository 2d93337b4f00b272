/* Nanoseconds of what stands in a loop: the loop, minus the same without it. */
#include <stdio.h>
#include <time.h>

#define ROUNDS 50000000
#define KEEP __attribute__((noipa))

static volatile int sink;

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

KEEP static void bare(void) {
  for (int i = 0; i < ROUNDS; i++)
    sink = i;
}

/* Prints on one line what each loop takes beyond `bare`, in nanoseconds a round. */
static inline void print_loops(void (*const loops[])(void), int count) {
  double times[8];
  for (int i = -1; i < count; i++) {
    double begin = cpu_seconds();
    i < 0 ? bare() : loops[i]();
    times[i + 1] = (cpu_seconds() - begin) * 1e9 / ROUNDS;
  }
  for (int i = 1; i <= count; i++)
    printf("%.3f ", times[i] - times[0]);
  printf("\n");
}
