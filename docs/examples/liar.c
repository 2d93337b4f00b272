/* The program of docs/REPORT.md and docs/PROFILE.md: it calls `work` twice, cheaply from `easy` and
 * dearly from `hard`; sorts; and recurses between `even` and `odd`.
 *
 *   ascribe cc --contexts -O2 -g liar.c -o liar && ascribe record ./liar && ascribe report */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sink;

__attribute__((noipa)) static void work(unsigned long rounds) {
  for (unsigned long i = 0; i < rounds; i++)
    sink += i;
}

__attribute__((noipa)) static void easy(void) {
  work(1000000);
  sink++;
}

__attribute__((noipa)) static void hard(void) {
  work(300000000);
  sink++;
}

static int cmp(const void *left, const void *right) {
  int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

__attribute__((noipa)) static void sort(unsigned count) {
  int *numbers = malloc(count * sizeof *numbers);
  unsigned x = 1;
  for (unsigned i = 0; i < count; i++)
    numbers[i] = (int)(x = x * 1664525 + 1013904223);
  qsort(numbers, count, sizeof *numbers, cmp);
  sink += (unsigned)numbers[0];
  free(numbers);
}

static void odd(unsigned n);

__attribute__((noipa)) static void even(unsigned n) {
  sink++;
  if (n) odd(n - 1);
  sink++;
}

__attribute__((noipa)) static void odd(unsigned n) {
  sink++;
  if (n) even(n - 1);
  sink++;
}

int main(void) {
  easy();
  hard();
  sort(1000000);
  for (int i = 0; i < 60000; i++)
    even(100);
  printf("%d\n", sink != 0);
  return 0;
}
