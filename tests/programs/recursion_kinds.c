/* Recursion of five kinds: direct, mutual, nested (Ackermann), of a parser, through a callback of
 * libc's.  Nothing has more than the whole time, and contexts stay few.
 * EXPECT levels sampled
 * EXPECT output 832040 1 509 42 8
 * EXPECT share main 1
 * EXPECT sampled outermost main
 * EXPECT sampled contexts-below 400
 * EXPECT sampled cycle even odd
 * EXPECT sampled cycle expression factor
 */
#include "program.h"
#include <ctype.h>

KEEP int fib(int n) {
  int result = n < 2 ? n : fib(n - 1) + fib(n - 2);
  NOT_A_TAIL();
  return result;
}

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

KEEP int ackermann(int m, int n) {
  int result = m == 0   ? n + 1
               : n == 0 ? ackermann(m - 1, 1)
                        : ackermann(m - 1, ackermann(m, n - 1));
  NOT_A_TAIL();
  return result;
}

static const char *at;
KEEP int expression(void);
KEEP int factor(void) {
  if (*at != '(') return *at++ - '0';
  at++;
  int result = expression();
  at++;
  return result;
}
KEEP int term(void) {
  int result = factor();
  while (*at == '*') {
    at++;
    result *= factor();
  }
  return result;
}
KEEP int expression(void) {
  int result = term();
  while (*at == '+') {
    at++;
    result += term();
  }
  return result;
}

static int depth, deepest;
KEEP int compare(const void *left, const void *right) {
  int pair[] = {2, 1};
  if (++depth > deepest) deepest = depth;
  if (depth < 8) qsort(pair, 2, sizeof *pair, compare);
  burn(200);
  depth--;
  return *(const int *)left - *(const int *)right;
}

int main(void) {
  int parity = 0, parsed = 0;
  printf("%d ", fib(30));
  for (int i = 0; i < 2000; i++)
    parity = even(20000);
  printf("%d ", parity);
  printf("%d ", ackermann(3, 6));
  for (int i = 0; i < 300000; i++) {
    at = "((((2+3)*(4+1)+((7)))+(2*(3))+(4)))";
    parsed = expression();
  }
  printf("%d ", parsed);
  int pair[] = {2, 1};
  for (int i = 0; i < 60000; i++)
    qsort(pair, 2, sizeof *pair, compare);
  printf("%d\n", deepest);
  return 0;
}
