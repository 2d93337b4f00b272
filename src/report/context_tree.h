/* The stacks and contexts that cost something as a tree of functions, outermost first. */
#ifndef ASCRIBE_REPORT_CONTEXT_TREE_H
#define ASCRIBE_REPORT_CONTEXT_TREE_H

#include "attribution/costs.h"

/* A function below those that were active before it (attribution/stack_path.h). Marked and unmarked
 * entries of histories are one node. */
struct context_node {
  uint32_t parent;      /* NOTHING: the root, which is the first and has no function */
  uint32_t function;    /* NOTHING in the root; PATH_HOLE: frames may be missing here */
  uint32_t depth;       /* 0: the root */
  uint32_t first_child; /* in the tree's `children`, those with the most time first */
  uint32_t child_count;
  struct amount self, total;
};

struct context_tree {
  struct context_node *nodes; /* a parent before its children */
  uint32_t *children;
  size_t count;
};

void context_tree_make(struct context_tree *tree, const struct profile *profile,
                       const struct selection *selection);
void context_tree_free(struct context_tree *tree);

#endif
