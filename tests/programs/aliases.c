/* One function, several names: the profile has the one that its source gives it, if that is as good
 * as the others; exported names are better than hidden ones, strong better than weak.
 *
 * EXPECT calls definition 5
 * EXPECT arc main definition 5
 * EXPECT calls exported 3
 * EXPECT calls strong 3
 * EXPECT calls-like al% 0
 */
#include "program.h"

KEEP int definition(int x) {
  return x + 1;
}
int al(int x) __attribute__((alias("definition")));
int another_name(int x) __attribute__((alias("definition")));

static KEEP int hidden(int x) {
  return x + 2;
}
int exported(int x) __attribute__((alias("hidden")));

KEEP int strong(int x) {
  return x + 3;
}
int alw(int x) __attribute__((weak, alias("strong")));

KEEP int main(void) {
  int sum = 0;
  for (int i = 0; i < 2; i++)
    sum += al(i) + another_name(i);
  sum += definition(sum);
  for (int i = 0; i < 2; i++)
    sum += hidden(i) + alw(i);
  sum += exported(sum) + strong(sum);
  return sum == 0;
}
