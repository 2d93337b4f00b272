/* qsort calls back: the comparison is called by the nearest caller that has a hook.
 * EXPECT output 0 499
 * EXPECT counted arc main compare 0
 */
#include "program.h"

static long comparisons;

KEEP int compare(const void *a, const void *b) {
  comparisons++;
  return *(const int *)a - *(const int *)b;
}

int main(void) {
  int numbers[500];
  for (int i = 0; i < 500; i++)
    numbers[i] = i * 263 % 500;
  qsort(numbers, 500, sizeof *numbers, compare);
  printf("%d %d\n", numbers[0], numbers[499]);
  expect("calls compare %ld", comparisons);
  expect("arc main compare %ld", comparisons);
  return 0;
}
