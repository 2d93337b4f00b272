#include "report/context_tree.h"

#include <stdlib.h>

#include "recording/history.h"

static uint32_t entry(const struct profile_context *context, uint32_t at) {
  return history_function(context->history[at]);
}

static uint32_t shared_length(const struct profile_context *a, const struct profile_context *b) {
  uint32_t shared = 0;
  while (shared < a->length && shared < b->length && entry(a, shared) == entry(b, shared))
    shared++;
  return shared;
}

/* As words in a dictionary, so that a context stands behind those that it goes on from. */
static int compare_histories(const void *left, const void *right, void *context) {
  const struct profile *profile = context;
  uint32_t ids[] = {*(const uint32_t *)left, *(const uint32_t *)right};
  const struct profile_context *a = &profile->contexts[ids[0]], *b = &profile->contexts[ids[1]];
  uint32_t at = shared_length(a, b);
  if (at < a->length && at < b->length) return entry(a, at) < entry(b, at) ? -1 : 1;
  if (a->length != b->length) return a->length < b->length ? -1 : 1;
  return (ids[0] > ids[1]) - (ids[0] < ids[1]);
}

static uint32_t *choose(const struct profile *profile, const struct selection *selection,
                        size_t *count) {
  uint32_t *ids = memory_zeroed(profile->context_count, sizeof *ids);
  bool *selected = costs_select(profile, selection);
  *count = 0;
  for (size_t i = 0; i < profile->context_count; i++)
    if (selected[i] && context_self(profile, i).raw_ns) ids[(*count)++] = i;
  free(selected);
  qsort_r(ids, *count, sizeof *ids, compare_histories, (void *)profile);
  return ids;
}

/* Nodes that all of them make. */
static size_t nodes_needed(const struct profile *profile, const uint32_t *ids, size_t count) {
  size_t needed = 1;
  for (size_t i = 0; i < count; i++) {
    const struct profile_context *context = &profile->contexts[ids[i]];
    needed += context->length;
    if (i) needed -= shared_length(&profile->contexts[ids[i - 1]], context);
  }
  return needed;
}

static uint32_t ancestor(const struct context_tree *tree, uint32_t node, uint32_t depth) {
  while (tree->nodes[node].depth > depth)
    node = tree->nodes[node].parent;
  return node;
}

/* `last` is the node of the context before, which has `shared` entries in common with this one. */
static uint32_t add_path(struct context_tree *tree, uint32_t last, uint32_t shared,
                         const struct profile_context *context, struct amount self) {
  uint32_t node = ancestor(tree, last, shared);
  for (uint32_t at = shared; at < context->length; at++) {
    tree->nodes[tree->count] =
        (struct context_node){.parent = node, .function = entry(context, at), .depth = at + 1};
    node = tree->count++;
  }
  tree->nodes[node].self = amount_sum(tree->nodes[node].self, self);
  return node;
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
  uint32_t ids[] = {*(const uint32_t *)left, *(const uint32_t *)right};
  const struct context_node *a = &tree->nodes[ids[0]], *b = &tree->nodes[ids[1]];
  if (a->parent != b->parent) return a->parent < b->parent ? -1 : 1;
  if (a->total.raw_ns != b->total.raw_ns) return a->total.raw_ns > b->total.raw_ns ? -1 : 1;
  return (ids[0] > ids[1]) - (ids[0] < ids[1]);
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
  size_t count;
  uint32_t last = 0, *ids = choose(profile, selection, &count);
  *tree = (struct context_tree){.count = 1};
  tree->nodes = memory_zeroed(nodes_needed(profile, ids, count), sizeof *tree->nodes);
  tree->nodes[0] = (struct context_node){.parent = NOTHING, .function = NOTHING};
  for (size_t i = 0; i < count; i++) {
    const struct profile_context *context = &profile->contexts[ids[i]];
    uint32_t shared = i ? shared_length(&profile->contexts[ids[i - 1]], context) : 0;
    last = add_path(tree, last, shared, context, context_self(profile, ids[i]));
  }
  free(ids);
  sum_totals(tree);
  order_children(tree);
}

void context_tree_free(struct context_tree *tree) {
  free(tree->nodes);
  free(tree->children);
  *tree = (struct context_tree){0};
}
