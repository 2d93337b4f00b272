/* A shared sort with unequal callers: many small sorts and a few large ones.
 * EXPECT levels -O2
 * EXPECT record --rate 2000
 * EXPECT output done
 * EXPECT calls sort 1002
 * EXPECT arc small sort 1000
 * EXPECT arc large sort 2
 * EXPECT share small measured
 * EXPECT share large measured
 */
#include "program.h"

/* Insertion sort of `count` keys in descending order: count * (count - 1) / 2 equal steps. */
KEEP void sort(int *keys, long count) {
  for (long i = 1; i < count; i++) {
    int key = keys[i];
    long j = i;
    for (; j > 0 && keys[j - 1] > key; j--) {
      keys[j] = keys[j - 1];
      __asm__ volatile("");
    }
    keys[j] = key;
  }
}

KEEP void descending(int *keys, long count) {
  for (long i = 0; i < count; i++)
    keys[i] = (int)(count - i);
}

static int keys[20001];

/* 1000 * 447 * 446 / 2 = 1.0e8 steps. */
KEEP void small(void) {
  for (int i = 0; i < 1000; i++) {
    descending(keys, 447);
    sort(keys, 447);
  }
  NOT_A_TAIL();
}

/* 2 * 20001 * 20000 / 2 = 4.0e8 steps. */
KEEP void large(void) {
  for (int i = 0; i < 2; i++) {
    descending(keys, 20001);
    sort(keys, 20001);
  }
  NOT_A_TAIL();
}

int main(void) {
  long long small_ns = 0, large_ns = 0;
  MEASURE(small_ns, small());
  MEASURE(large_ns, large());
  expect_share("small", small_ns);
  expect_share("large", large_ns);
  puts("done");
  return 0;
}
