/* Without hooks: calls what it is given, or jumps there. */
#include "plain_callers.h"

int plain_each(function *called, int times) {
  int sum = 0;
  for (int i = 0; i < times; i++)
    sum += called(i);
  return sum;
}

int plain_jump(function *called, int n) {
  return called(n);
}

int plain_leaf(int n) {
  return n * 2;
}
