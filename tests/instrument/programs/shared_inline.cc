// Two units are made of this; they share an inline function, of which the linker keeps one.
#include "fixture.h"

template <typename T> __attribute__((noipa)) T shared(T n) {
  return n + 1;
}

int other(int n);

#if UNIT == 1
__attribute__((noipa)) int other(int n) {
  return shared(n);
}
#else
int main() {
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += shared(i) + other(i);
  fixture_expect_calls("shared", (const void *)shared<int>, 20);
  fixture_expect_calls("other", (const void *)other, 10);
  return sum == 110 ? fixture_faults() : 1;
}
#endif
