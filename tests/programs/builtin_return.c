/* A callback that hands its arguments on and returns by __builtin_return.
 * EXPECT output sorted 49
 */
#include "program.h"

static int compared;

KEEP int difference(const int *a, const int *b) {
  compared++;
  return *a - *b;
}

KEEP int compare(const void *a, const void *b) {
  (void)a;
  (void)b;
  __builtin_return(__builtin_apply((void (*)())difference, __builtin_apply_args(), 64));
}

int main(void) {
  int values[50];
  for (int i = 0; i < 50; i++)
    values[i] = i * 17 % 50;
  qsort(values, 50, sizeof *values, compare);
  printf("sorted %d\n", values[49]);
  expect("calls compare %d", compared);
  expect("arc compare difference %d", compared);
  return 0;
}
