/* Link-time optimisation across files: the plugin works at link time as well.
 * EXPECT levels -O0 -O2 -O3
 * EXPECT compile -flto
 * EXPECT also lto_other.c
 * EXPECT output 285
 * EXPECT calls square 10
 * EXPECT arc sum_squares square 10
 * EXPECT arc main sum_squares 1
 */
#include "program.h"

int sum_squares(int n);

int main(void) {
  printf("%d\n", sum_squares(10));
  return 0;
}
