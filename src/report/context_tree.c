#include "report/context_tree.h"

#include <stdlib.h>

#include "attribution/stack_path.h"
#include "base/map.h"

struct growth {
  struct context_tree *tree;
  struct map children; /* parent, function -> node */
  struct stack_path path;
};

static uint32_t child_of(struct growth *growth, uint32_t parent, uint32_t function) {
  struct context_tree *tree = growth->tree;
  uint32_t id = map_find_or_add(&growth->children, parent, function, (uint32_t)tree->count);
  if (id < tree->count) return id;
  ARRAY_GROW(tree->nodes, tree->count);
  tree->nodes[tree->count++] = (struct context_node){
      .parent = parent, .function = function, .depth = tree->nodes[parent].depth + 1};
  return id;
}

static void add_tick(struct growth *growth, const struct profile *profile,
                     const struct profile_tick *tick) {
  uint32_t node = 0;
  stack_path_of_tick(&growth->path, profile, tick);
  for (size_t i = 0; i < growth->path.length; i++)
    node = child_of(growth, node, growth->path.frames[i].function);
  struct amount *self = &growth->tree->nodes[node].self;
  *self = amount_sum(*self, tick->amount);
}

static void sum_totals(struct context_tree *tree) {
  for (size_t i = tree->count; i-- > 0;) {
    struct context_node *node = &tree->nodes[i];
    node->total = amount_sum(node->total, node->self);
    if (i == 0) break;
    struct context_node *parent = &tree->nodes[node->parent];
    parent->total = amount_sum(parent->total, node->total);
    parent->child_count++;
  }
}

static int compare_children(const void *left, const void *right, void *context) {
  const struct context_tree *tree = context;
  const struct context_node *a = &tree->nodes[*(const uint32_t *)left];
  const struct context_node *b = &tree->nodes[*(const uint32_t *)right];
  if (a->parent != b->parent) return a->parent < b->parent ? -1 : 1;
  if (a->total.raw_ns != b->total.raw_ns) return a->total.raw_ns > b->total.raw_ns ? -1 : 1;
  return (a->function > b->function) - (a->function < b->function);
}

static void order_children(struct context_tree *tree) {
  size_t count = tree->count - 1;
  tree->children = memory_zeroed(count, sizeof *tree->children);
  for (size_t i = 0; i < count; i++)
    tree->children[i] = i + 1;
  qsort_r(tree->children, count, sizeof *tree->children, compare_children, tree);
  for (size_t i = count; i-- > 0;)
    tree->nodes[tree->nodes[tree->children[i]].parent].first_child = i;
}

void context_tree_make(struct context_tree *tree, const struct profile *profile,
                       const struct selection *selection) {
  const struct profile_metric *metric = profile_metric(profile);
  bool *selected = costs_select(profile, selection);
  struct growth growth = {.tree = tree};
  *tree = (struct context_tree){0};
  ARRAY_GROW(tree->nodes, tree->count);
  tree->nodes[tree->count++] = (struct context_node){.parent = NOTHING, .function = NOTHING};
  for (size_t i = 0; i < metric->tick_count; i++)
    if (selected[metric->ticks[i].context] && metric->ticks[i].amount.raw_ns)
      add_tick(&growth, profile, &metric->ticks[i]);
  free(selected);
  map_free(&growth.children);
  stack_path_free(&growth.path);
  sum_totals(tree);
  order_children(tree);
}

void context_tree_free(struct context_tree *tree) {
  free(tree->nodes);
  free(tree->children);
  *tree = (struct context_tree){0};
}
