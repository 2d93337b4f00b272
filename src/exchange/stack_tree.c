#include "exchange/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "exchange/export_names.h"

struct growth {
  struct stack_tree *tree;
  const struct export_data *data;
  bool threads;        /* each has a node of its own below the root */
  struct map children; /* parent, function or thread -> node */
  struct stack_path path;
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

static uint32_t next_of(struct growth *growth, uint32_t at, uint32_t function, uint32_t thread,
                        bool add) {
  if (add) return child_of(growth, at, function, thread);
  return map_find(&growth->children, at, node_key(function, thread));
}

/* The node of the path at hand. NOTHING: there is none, and none is to be added. */
static uint32_t node_of_path(struct growth *growth, uint32_t thread, bool add) {
  const struct stack_path *path = &growth->path;
  uint32_t at = STACK_ROOT;
  if (growth->threads) at = next_of(growth, at, NOTHING, thread, add);
  for (size_t i = 0; i < path->length && at != NOTHING; i++)
    at = next_of(growth, at, path->frames[i].function, NOTHING, add);
  return at;
}

static uint32_t node_of_context(struct growth *growth, uint32_t context, uint32_t thread,
                                bool add) {
  export_path_of_context(growth->data, context, &growth->path);
  return node_of_path(growth, thread, add);
}

/* What is in no cost centre has a node of its own, without a function. */
static uint32_t node_of_sample(struct growth *growth, const struct export_sample *sample) {
  export_path(growth->data, sample, &growth->path);
  uint32_t node = node_of_path(growth, sample->thread, true);
  return sample->context == NOTHING ? child_of(growth, node, NOTHING, NOTHING) : node;
}

static void charge(struct stack_node *node, const struct export_sample *sample, bool folded) {
  node->total = amount_sum(node->total, sample->amount);
  node->total_ns += sample->ns;
  if (folded) node->folded_ns += sample->ns;
}

static void grow(struct growth *growth, const struct export_sample *sample) {
  uint32_t at = node_of_sample(growth, sample);
  struct stack_node *nodes = growth->tree->nodes;
  size_t left = growth->path.length;
  nodes[at].self_ns += sample->ns;
  for (; at != NOTHING; at = nodes[at].parent) {
    charge(&nodes[at], sample, left && growth->path.frames[left - 1].folded);
    if (left) left--;
  }
}

/* Without `all` only where time fell: the rest has no node. */
static void count_calls(struct growth *growth, bool all) {
  const struct profile *stacks = growth->data->stacks;
  for (size_t i = 0; i < stacks->transition_count; i++) {
    const struct profile_transition *transition = &stacks->transitions[i];
    uint32_t thread = stacks->contexts[transition->to].thread;
    if (!transition->count || !export_counts(growth->data, transition)) continue;
    uint32_t node = node_of_context(growth, transition->to, thread, all);
    if (node == NOTHING) continue;
    growth->tree->nodes[node].calls += transition->count;
    if (transition->from == transition->to)
      growth->tree->nodes[node].recursive += transition->count;
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

static void make(struct growth *growth, bool all, const struct export_data *beside) {
  struct stack_tree *tree = growth->tree;
  *tree = (struct stack_tree){0};
  add_node(tree, NOTHING, NOTHING, NOTHING);
  for (size_t i = 0; i < growth->data->sample_count; i++)
    grow(growth, &growth->data->samples[i]);
  for (size_t i = 0; beside && i < beside->sample_count; i++) {
    const struct export_sample *sample = &beside->samples[i];
    uint32_t node = node_of_sample(growth, sample); /* may move the nodes */
    tree->nodes[node].beside_ns += sample->ns;
  }
  count_calls(growth, all);
  map_free(&growth->children);
  stack_path_free(&growth->path);
  order_children(tree);
  link_walk(tree);
}

void stack_tree_make(struct stack_tree *tree, const struct export_data *data, bool threads) {
  struct growth growth = {.tree = tree, .data = data, .threads = threads};
  make(&growth, false, NULL);
}

void stack_tree_make_all(struct stack_tree *tree, const struct export_data *data,
                         const struct export_data *beside) {
  struct growth growth = {.tree = tree, .data = data};
  make(&growth, true, beside);
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
  if (node->function == PATH_HOLE) return PATH_HOLE_NAME;
  if (node->function != NOTHING) return data->names[node->function];
  if (node->thread != NOTHING) return thread_title(data, node->thread, text);
  return node->depth ? EXPORT_OUTSIDE : "all";
}
