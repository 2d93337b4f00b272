/* Calls that take time, calls that take none, recursion, a callback, a clone of a function. */
#include <stdlib.h>
static volatile int sink;
static __attribute__((noinline)) int scaled(const int *at, int by) {
  for (int i = 0; i < by; i++)
    sink += *at * i;
  return sink;
}
__attribute__((noipa)) int leaf(int n) {
  return scaled(&n, 400) + 1;
}
__attribute__((noipa)) void rare(void) {
  sink = 0;
}
__attribute__((noipa)) int down(int n) {
  return n ? down(n - 1) + leaf(n) : 0;
}
__attribute__((noipa)) int odd(int n);
__attribute__((noipa)) int even(int n) {
  return n ? odd(n - 1) + 1 : 0;
}
__attribute__((noipa)) int odd(int n) {
  return n ? even(n - 1) + 1 : 0;
}
__attribute__((noipa)) int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}
int main(void) {
  static int numbers[1000];
  for (int i = 0; i < 1000; i++)
    numbers[i] = i * 7 % 1000;
  qsort(numbers, 1000, sizeof *numbers, compare);
  for (int i = 0; i < 20000; i++)
    leaf(i);
  for (int i = 0; i < 3; i++)
    rare();
  down(50);
  even(101);
  return 0;
}
