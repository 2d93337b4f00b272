/* A function with more sites than its row has slots: some share one, leaves get slots of calls, and
 * the last ones have none.
 * EXPECT output 3330 4644
 * EXPECT calls work 4644
 * EXPECT arc many work 4500
 * EXPECT arc many inner 138
 * EXPECT arc many late 3
 * EXPECT arc many last 3
 * EXPECT arc inner work 138
 * EXPECT arc late work 3
 * EXPECT arc last work 3
 * EXPECT arc many leaf 1530
 * EXPECT arc many late_leaf 1800
 */
#include "program.h"

#define LOCAL static __attribute__((noinline, noclone))
#define TEN(statement)                                                                             \
  statement statement statement statement statement statement statement statement statement        \
      statement
#define HUNDRED(statement) TEN(TEN(statement))

/* One for each function: the compiler makes one of two that are equal. */
static int worked, leaves, late_leaves, lates, lasts;

KEEP void work(void) {
  worked++;
}

LOCAL void leaf(void) {
  leaves++;
}

LOCAL void late_leaf(void) {
  late_leaves++;
}

LOCAL void inner(void) {
  work();
  NOT_A_TAIL();
}

LOCAL void late(void) {
  lates++;
  work();
  NOT_A_TAIL();
}

LOCAL void last(void) {
  lasts++;
  work();
  NOT_A_TAIL();
}

KEEP void many(void) {
  HUNDRED(leaf(); leaf(); leaf(); leaf(); leaf();)
  TEN(leaf();)
  HUNDRED(late_leaf(); late_leaf(); late_leaf(); late_leaf(); late_leaf(); late_leaf();)
  HUNDRED(TEN(work();))
  HUNDRED(work(); work(); work(); work(); work();)
  TEN(inner(); inner(); inner(); inner();)
  inner();
  inner();
  inner();
  inner();
  inner();
  inner();
  late();
  last();
}

int main(void) {
  for (int i = 0; i < 3; i++)
    many();
  printf("%d %d\n", leaves + late_leaves, worked);
  return 0;
}
