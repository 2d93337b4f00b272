/* Nanoseconds per scope: a loop with a scope in it, minus the same loop without. */
#include <ascribe/ascribe.h>
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

KEEP static void scope(void) {
  for (int i = 0; i < ROUNDS; i++) {
    ASCRIBE_SCOPE("one");
    sink = i;
  }
}

KEEP static void nested(void) {
  for (int i = 0; i < ROUNDS; i++) {
    ASCRIBE_SCOPE("outer");
    ASCRIBE_SCOPE("inner");
    sink = i;
  }
}

KEEP static void alternating(void) {
  for (int i = 0; i < ROUNDS; i++)
    if (i & 1) {
      ASCRIBE_SCOPE("odd");
      sink = i;
    } else {
      ASCRIBE_SCOPE("even");
      sink = i;
    }
}

KEEP static void carried(void) {
  for (int i = 0; i < ROUNDS; i++) {
    struct ascribe_captured here = ascribe_capture();
    ASCRIBE_RESUME(here);
    sink = i;
  }
}

static double nanoseconds(void (*loop)(void)) {
  double begin = cpu_seconds();
  loop();
  return (cpu_seconds() - begin) * 1e9 / ROUNDS;
}

int main(void) {
  void (*const loops[])(void) = {scope, nested, alternating, carried};
  double without = nanoseconds(bare);
  for (int i = 0; i < 4; i++)
    printf("%.3f ", nanoseconds(loops[i]) - without);
  printf("\n");
  return 0;
}
