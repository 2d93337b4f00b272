/* GCC inlines the first levels of a recursion into its caller: the calls that these copies make are
 * the caller's, not the function's own. tests/oracle compares them with callgrind's.
 * EXPECT levels -O2 -O3
 * EXPECT compile -fno-inline-small-functions -fno-inline-functions -fno-optimize-sibling-calls
 * EXPECT output 5115
 * EXPECT calls begin 5
 * EXPECT unsampled it has no time to speak of
 */
#include "program.h"

struct node {
  struct node *left, *right;
};

static struct node nodes[1023];

static __attribute__((noclone)) int sum(const struct node *node) {
  if (!node) return 0;
  return sum(node->left) + sum(node->right) + 1;
}

static __attribute__((flatten, noinline)) int begin(void) {
  return sum(nodes);
}

int main(void) {
  int all = 0;
  for (int i = 0; i < 511; i++) {
    nodes[i].left = &nodes[2 * i + 1];
    nodes[i].right = &nodes[2 * i + 2];
  }
  for (int i = 0; i < 5; i++)
    all += begin();
  printf("%d\n", all);
  return 0;
}
