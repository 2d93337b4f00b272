/* Called by an ifunc's resolver, with calls by name and through pointers. */
#include "program.h"

int other_choice(int (**choices[])(void), int count);

static int sum;
static void add(int n) {
  sum += n;
}
static void take(int n) {
  sum -= n;
}
static void (*volatile functions[2])(int) = {add, take};

KEEP void step(int n) {
  functions[n % 2](n);
}

int other_choice(int (**choices[])(void), int count) {
  for (int i = 0; i < 10; i++)
    step(i);
  return count == 1 && choices[0] && sum == 20 - 25;
}
