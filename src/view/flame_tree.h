/* The stacks of a profile as one tree of calls from the outermost function in: whole where stacks
 * were sampled, else the histories of contexts. */
#ifndef ASCRIBE_VIEW_FLAME_TREE_H
#define ASCRIBE_VIEW_FLAME_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/workspace.h"

/* In place of a function's id: frames may be missing here. */
enum { FLAME_HOLE = 0 };

/* Node 0 is the root, which has no function.  A node's children have functions of their own, and
 * come after it in the array. */
struct flame_node {
  uint32_t parent;
  uint32_t function;    /* its id in the profile */
  uint32_t child, next; /* the first child, and the next of the parent's; 0: none */
};

/* Time under a stack, or in a context. */
struct flame_time {
  uint32_t node, thread;
  uint64_t self_ns;
};

struct flame_tree {
  struct flame_node *nodes;
  struct flame_time *times;
  size_t node_count, time_count;
};

/* Read it from profile number `profile`. 16 bytes for each node and each stack with time stay. */
int flame_tree_load(struct workspace *workspace, size_t profile, struct flame_tree **tree,
                    struct error *error);
void flame_tree_free(struct flame_tree *tree);

#endif
