/* The stacks of a profile as a tree, time in nanoseconds at its nodes. */
#ifndef ASCRIBE_EXCHANGE_STACK_TREE_H
#define ASCRIBE_EXCHANGE_STACK_TREE_H

#include "exchange/export_data.h"

enum { STACK_ROOT = 0 };

/* One function on top of one stack (stack_path.h), or a thread at the bottom.  Marked and unmarked
 * entries of histories are one node: both say that the function was active here. */
struct stack_node {
  uint32_t parent;               /* NOTHING in the root */
  uint32_t function;             /* NOTHING: the root, a thread or what is in no cost centre;
                                  * PATH_HOLE: frames may be missing here */
  uint32_t thread;               /* of a thread's node, else NOTHING */
  uint32_t depth;                /* 0: the root */
  uint32_t child, sibling, next; /* first child, next one of its parent; the next node of a walk
                                  * from the root down, a parent before its children; or NOTHING */
  uint64_t self_ns, total_ns;
  struct amount total; /* of which total_ns was rounded: the evidence */
  uint64_t folded_ns;  /* the part of total_ns in which the function is active again further down,
                        * so that recursion was folded here */
  uint64_t beside_ns;  /* self, in a second metric (stack_tree_make_all) */
  uint64_t calls;      /* counted calls that led here */
  uint64_t recursive;  /* those of them that are direct calls of the function by itself, folded here
                          too */
};

struct stack_tree {
  struct stack_node *nodes; /* the root is the first */
  size_t count;
  uint32_t depth; /* the largest of all nodes */
};

/* Children stand in the order of their time, most first. With `threads`, each thread has a node
 * of its own below the root. */
void stack_tree_make(struct stack_tree *tree, const struct export_data *data, bool threads);

/* With nodes for what was called, or costs something in the metric of `beside`, and no time. Null:
 * there is no second metric. */
void stack_tree_make_all(struct stack_tree *tree, const struct export_data *data,
                         const struct export_data *beside);
void stack_tree_free(struct stack_tree *tree);

/* The name of a node: of the function or cost centre, or the thread; "all" in the root. `text` may
 * be used. */
enum { STACK_NAME_BYTES = 256 };
const char *stack_name(const struct export_data *data, const struct stack_node *node,
                       char text[STACK_NAME_BYTES]);

/* How a thread is called: "thread NAME (TID)". */
const char *thread_title(const struct export_data *data, uint32_t thread,
                         char text[STACK_NAME_BYTES]);

#endif
