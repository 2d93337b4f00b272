/* Frames of changing size, variable-length arrays, realigned stacks.
 * EXPECT levels -O0 -Og -O2 -O3
 * EXPECT output 5050 4950 100
 * EXPECT calls fill 200
 * EXPECT arc sum fill 100
 * EXPECT arc array fill 100
 * EXPECT calls aligned 100
 */
#include "program.h"
#include <alloca.h>
#include <stdint.h>

KEEP void fill(int *numbers, int count) {
  for (int i = 0; i < count; i++)
    numbers[i] = 1;
}

KEEP int sum(int count) {
  int *numbers = alloca((size_t)count * sizeof *numbers);
  fill(numbers, count);
  int total = 0;
  for (int i = 0; i < count; i++)
    total += numbers[i];
  return total;
}

KEEP int array(int count) {
  int numbers[count + 1];
  fill(numbers, count);
  int total = 0;
  for (int i = 0; i < count; i++)
    total += numbers[i];
  return total;
}

KEEP int aligned(int n) {
  volatile char bytes[64] __attribute__((aligned(64)));
  bytes[0] = (char)n;
  return ((uintptr_t)bytes & 63) == 0;
}

int main(void) {
  int sums = 0, arrays = 0, alignments = 0;
  for (int i = 0; i < 100; i++) {
    sums += sum(i + 1);
    arrays += array(i);
    alignments += aligned(i);
  }
  printf("%d %d %d\n", sums, arrays, alignments);
  return 0;
}
