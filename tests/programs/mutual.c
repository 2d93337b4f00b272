/* Mutual recursion: a cycle that really occurred, and few contexts.
 * EXPECT levels -O0 -Og -O2 -O3
 * EXPECT output 1
 * EXPECT calls even 501
 * EXPECT calls odd 500
 * EXPECT arc main even 1
 * EXPECT arc even odd 500
 * EXPECT arc odd even 500
 * EXPECT cycle even odd
 * EXPECT contexts-below 16
 */
#include "program.h"

KEEP int odd(int n);

KEEP int even(int n) {
  int result = n == 0 ? 1 : odd(n - 1);
  NOT_A_TAIL();
  return result;
}

KEEP int odd(int n) {
  int result = n == 0 ? 0 : even(n - 1);
  NOT_A_TAIL();
  return result;
}

int main(void) {
  printf("%d\n", even(1000));
  return 0;
}
