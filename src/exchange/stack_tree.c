#include "exchange/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "exchange/export_names.h"
#include "recording/history.h"

struct growth {
  struct stack_tree *tree;
  const struct export_data *data;
  struct map children; /* parent, function or thread -> node */
};

static uint32_t add_node(struct stack_tree *tree, uint32_t parent, uint32_t function,
                         uint32_t thread) {
  uint32_t depth = parent == NOTHING ? 0 : tree->nodes[parent].depth + 1;
  if (depth > tree->depth) tree->depth = depth;
  ARRAY_GROW(tree->nodes, tree->count);
  tree->nodes[tree->count] = (struct stack_node){.parent = parent,
                                                 .function = function,
                                                 .thread = thread,
                                                 .depth = depth,
                                                 .child = NOTHING,
                                                 .sibling = NOTHING,
                                                 .next = NOTHING};
  return tree->count++;
}

static uint64_t node_key(uint32_t function, uint32_t thread) {
  return (uint64_t)function << 32 | thread;
}

static uint32_t child_of(struct growth *growth, uint32_t parent, uint32_t function,
                         uint32_t thread) {
  uint32_t id =
      map_find_or_add(&growth->children, parent, node_key(function, thread), growth->tree->count);
  return id < growth->tree->count ? id : add_node(growth->tree, parent, function, thread);
}

static void charge(struct stack_node *node, const struct export_sample *sample, bool folded) {
  node->total = amount_sum(node->total, sample->amount);
  node->total_ns += sample->ns;
  if (folded) node->folded_ns += sample->ns;
}

static const struct profile_context outside; /* of what is in no cost centre */

static void grow(struct growth *growth, const struct export_sample *sample, bool threads) {
  struct stack_tree *tree = growth->tree;
  bool is_outside = sample->context == NOTHING;
  const struct profile_context *context =
      is_outside ? &outside : &growth->data->stacks->contexts[sample->context];
  uint32_t at = STACK_ROOT;
  charge(&tree->nodes[at], sample, false);
  if (threads) {
    at = child_of(growth, at, NOTHING, sample->thread);
    charge(&tree->nodes[at], sample, false);
  }
  if (is_outside) {
    at = child_of(growth, at, NOTHING, NOTHING);
    charge(&tree->nodes[at], sample, false);
  }
  for (uint32_t i = 0; i < context->length; i++) {
    at = child_of(growth, at, history_function(context->history[i]), NOTHING);
    charge(&tree->nodes[at], sample, !history_marked(context->history[i]));
  }
  tree->nodes[at].self_ns += sample->ns;
}

static uint32_t find_node(const struct growth *growth, uint32_t id, bool threads) {
  const struct profile_context *context = &growth->data->stacks->contexts[id];
  uint32_t at = STACK_ROOT;
  if (threads) at = map_find(&growth->children, at, node_key(NOTHING, context->thread));
  for (uint32_t i = 0; i < context->length && at != NOTHING; i++)
    at = map_find(&growth->children, at, node_key(history_function(context->history[i]), NOTHING));
  return at;
}

/* Only where time fell: the rest has no node. */
static void count_recursion(struct growth *growth, bool threads) {
  const struct profile *stacks = growth->data->stacks;
  for (size_t i = 0; i < stacks->transition_count; i++) {
    const struct profile_transition *transition = &stacks->transitions[i];
    if (transition->from != transition->to || !export_counts(growth->data, transition)) continue;
    uint32_t node = find_node(growth, transition->to, threads);
    if (node != NOTHING) growth->tree->nodes[node].recursive += transition->count;
  }
}

/* ---- order ---- */

static int least_first(const void *left, const void *right, void *context) {
  const struct stack_tree *tree = context;
  const struct stack_node *a = &tree->nodes[*(const uint32_t *)left];
  const struct stack_node *b = &tree->nodes[*(const uint32_t *)right];
  if (a->total_ns != b->total_ns) return a->total_ns < b->total_ns ? -1 : 1;
  if (a->function != b->function) return a->function > b->function ? -1 : 1;
  return (a->thread < b->thread) - (a->thread > b->thread);
}

/* Each node is put before its siblings, so the one with most time comes first in the end. */
static void order_children(struct stack_tree *tree) {
  uint32_t *order = memory_zeroed(tree->count, sizeof *order);
  for (size_t i = 0; i < tree->count; i++)
    order[i] = i;
  qsort_r(order, tree->count, sizeof *order, least_first, tree);
  for (size_t i = 0; i < tree->count; i++) {
    struct stack_node *node = &tree->nodes[order[i]];
    if (order[i] == STACK_ROOT) continue;
    node->sibling = tree->nodes[node->parent].child;
    tree->nodes[node->parent].child = order[i];
  }
  free(order);
}

static void link_walk(struct stack_tree *tree) {
  for (uint32_t at = STACK_ROOT; at != NOTHING; at = tree->nodes[at].next) {
    uint32_t next = tree->nodes[at].child;
    for (uint32_t up = at; next == NOTHING && up != NOTHING; up = tree->nodes[up].parent)
      next = tree->nodes[up].sibling;
    tree->nodes[at].next = next;
  }
}

void stack_tree_make(struct stack_tree *tree, const struct export_data *data, bool threads) {
  struct growth growth = {.tree = tree, .data = data};
  *tree = (struct stack_tree){0};
  add_node(tree, NOTHING, NOTHING, NOTHING);
  for (size_t i = 0; i < data->sample_count; i++)
    grow(&growth, &data->samples[i], threads);
  count_recursion(&growth, threads);
  map_free(&growth.children);
  order_children(tree);
  link_walk(tree);
}

void stack_tree_free(struct stack_tree *tree) {
  free(tree->nodes);
}

/* ---- names ---- */

const char *thread_title(const struct export_data *data, uint32_t id, char text[STACK_NAME_BYTES]) {
  const struct profile_thread *thread = &data->profile->threads[id];
  const char *name = export_clean(data->pool, thread->name);
  int length = snprintf(text, STACK_NAME_BYTES, "thread %.100s", name);
  if (thread->owners == 1)
    snprintf(text + length, STACK_NAME_BYTES - length, " (%u)", thread->tid);
  else
    snprintf(text + length, STACK_NAME_BYTES - length, " (%u threads)", thread->owners);
  return text;
}

const char *stack_name(const struct export_data *data, const struct stack_node *node,
                       char text[STACK_NAME_BYTES]) {
  if (node->function != NOTHING) return data->names[node->function];
  if (node->thread != NOTHING) return thread_title(data, node->thread, text);
  return node->depth ? EXPORT_OUTSIDE : "all";
}
