/* Calls whose counts follow from others, in flow graphs of all kinds, and where control is lost.
 * EXPECT counted-levels expressions-O2
 * EXPECT compile -pthread
 * EXPECT link -pthread
 * EXPECT output 1630 7
 * EXPECT calls left 25
 * EXPECT calls right 75
 * EXPECT arc choose left 25
 * EXPECT arc choose right 75
 * EXPECT calls odd 10
 * EXPECT calls even 11
 * EXPECT arc odd even 10
 * EXPECT arc even odd 10
 * EXPECT arc main even 1
 * EXPECT calls add 5
 * EXPECT calls twice 4
 * EXPECT arc run add 5
 * EXPECT arc run twice 4
 * EXPECT calls spin 1
 * EXPECT calls before 1
 * EXPECT calls behind 0
 * EXPECT calls inner 6
 * EXPECT arc nest inner 6
 * EXPECT calls leave 7
 * EXPECT arc main leave 7
 * EXPECT calls stay 6
 */
#include "program.h"
#include <pthread.h>
#include <setjmp.h>

static volatile long sum;
static jmp_buf back;

static KEEP void left(void) {
  sum += 1;
}

static KEEP void right(void) {
  sum += 2;
}

static KEEP void choose(int i) {
  if (i % 4 == 0)
    left();
  else
    right();
  NOT_A_TAIL();
}

/* A circle of functions that nobody else can call, but at one place. */
static KEEP int even(int n);

static KEEP int odd(int n) {
  int below = n ? even(n - 1) : 0;
  NOT_A_TAIL();
  return below;
}

static KEEP int even(int n) {
  int below = n ? odd(n - 1) : 1;
  NOT_A_TAIL();
  return below;
}

static KEEP long add(long value) {
  return value + 5;
}

static KEEP long twice(long value) {
  return 2 * value;
}

/* Labels as values: ways on which no counter can stand. */
static KEEP long run(const char *code) {
  static const void *const labels[] = {&&do_add, &&do_twice, &&do_end};
  long value = 0;
  goto *labels[code[0] - '0'];
do_add:
  value = add(value);
  goto *labels[*++code - '0'];
do_twice:
  value = twice(value);
  goto *labels[*++code - '0'];
do_end:
  NOT_A_TAIL();
  return value;
}

static KEEP void before(void) {
  sum += 0;
}

static KEEP void behind(void) {
  sum += 1000000;
}

static volatile int started;
static volatile int stop;

/* Never left: the process ends meanwhile. */
static KEEP void *spin(void *unused) { /* waits */
  before();
  started = 1;
  while (!stop) /* waits */
    continue;   /* waits */
  behind();
  return unused;
}

static KEEP void inner(int n) {
  sum += n;
}

static KEEP void nest(int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      inner(k);
  NOT_A_TAIL();
}

/* Left by a jump once in seven times. */
static KEEP void leave(int n) {
  if (n == 3) longjmp(back, 1);
}

static KEEP void stay(void) {
  sum += 0;
}

int main(void) { /* waits */
  pthread_t thread;
  for (int i = 0; i < 100; i++)
    choose(i);
  sum += even(20);
  sum += run("010101012") * 3;
  sum += run("02") * 0 + 1000;
  nest(4);
  for (volatile int i = 0; i < 7; i++)
    if (setjmp(back) == 0) {
      leave(i);
      stay();
    }
  if (pthread_create(&thread, NULL, spin, NULL) != 0) return 1;
  while (!started) /* waits */
    continue;      /* waits */
  printf("%ld 7\n", sum);
  return 0;
}
