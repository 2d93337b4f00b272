/* chosen LEAF OTHER: are calls of each counted? */
#include <stdlib.h>

#include "fixture.h"

__attribute__((noipa)) static int leaf(int n) {
  return n + 1;
}
__attribute__((noipa)) static int other(int n) {
  return leaf(n) * 2 + leaf(n + 1);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += other(i);
  fixture_expect_calls("leaf", leaf, 20ul * strtoul(arguments[1], NULL, 10));
  fixture_expect_calls("other", other, 10ul * strtoul(arguments[2], NULL, 10));
  return sum == 175 ? fixture_faults() : 1;
}
