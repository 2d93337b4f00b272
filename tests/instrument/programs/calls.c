/* Recursion, callbacks, tail calls: argv[1] says how many (without sibling calls they need stack).
 */
#include <stdlib.h>

#include "fixture.h"

#define APART __attribute__((noipa))

static volatile int sink;

APART static int leaf(int n) {
  return n + 1;
}

APART static int fib(int n) {
  if (n == 7) fixture_expect("main>fib");
  if (n < 2) return leaf(n);
  int one = fib(n - 1), two = fib(n - 2);
  sink = one; /* no call is in tail position */
  return one + two;
}

APART static int odd(int n);
APART static int even(int n) {
  return n == 0 ? 1 : odd(n - 1);
}
APART static int odd(int n) {
  return n == 0 ? 0 : even(n - 1);
}

APART static int compare(const void *left, const void *right) {
  fixture_expect("main>sort>compare");
  return *(const int *)left - *(const int *)right;
}

APART static void sort(int *numbers, size_t count) {
  qsort(numbers, count, sizeof(*numbers), compare);
  fixture_expect("main>sort");
  sink = numbers[0];
}

typedef int (*unary)(int);
APART static int apply(unary function, int argument) {
  return function(argument) * 2;
}

int main(int count, char **arguments) {
  FIXTURE_NAME(main), FIXTURE_NAME(fib), FIXTURE_NAME(sort), FIXTURE_NAME(compare);
  int tail_calls = count > 1 ? atoi(arguments[1]) : 1000;
  fixture_expect("main");
  sink = fib(15);
  fixture_expect("main");
  fixture_expect_calls("fib", fib, 1973);
  fixture_expect_calls("leaf", leaf, 987);
  if (!even(tail_calls)) return 1;
  fixture_expect("main");
  fixture_expect_calls("even", even, tail_calls / 2 + 1);
  fixture_expect_calls("odd", odd, tail_calls / 2);
  int numbers[] = {5, 3, 9, 1, 7};
  sort(numbers, 5);
  if (numbers[0] != 1 || numbers[4] != 9) return 1;
  for (int i = 0; i < 1000; i++)
    sink = apply(leaf, i);
  fixture_expect_calls("apply", apply, 1000);
  fixture_expect_calls("leaf", leaf, 1987);
  fixture_expect("main");
  return fixture_faults();
}
