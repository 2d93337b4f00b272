/* A small program that needs nothing but libc. */
#include <stdio.h>
#include <stdlib.h>

struct tree {
  struct tree *left, *right;
  int value;
};

static struct tree *insert(struct tree *tree, int value) {
  if (!tree) {
    tree = calloc(1, sizeof(*tree));
    if (!tree) abort();
    tree->value = value;
  } else if (value < tree->value) {
    tree->left = insert(tree->left, value);
  } else {
    tree->right = insert(tree->right, value);
  }
  return tree;
}

static long sum(const struct tree *tree) {
  return tree ? sum(tree->left) + tree->value + sum(tree->right) : 0;
}

static void drop(struct tree *tree) {
  if (!tree) return;
  drop(tree->left);
  drop(tree->right);
  free(tree);
}

int main(void) {
  struct tree *tree = NULL;
  for (int i = 0; i < 1000; i++)
    tree = insert(tree, i * 7919 % 1000);
  long total = sum(tree);
  drop(tree);
  return total == 499500 ? 0 : 1;
}
