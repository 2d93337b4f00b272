#include "program.h"

KEEP int square(int n) {
  return n * n;
}

KEEP int sum_squares(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += square(i);
  return sum;
}
