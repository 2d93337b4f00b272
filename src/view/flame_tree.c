#include "view/flame_tree.h"

#include <stdlib.h>

#include "base/hash_index.h"
#include "base/memory.h"

/* A file of a few bytes can spell out histories of any length. */
enum { MOST_NODES = 1 << 26 };

struct loading {
  struct flame_tree *tree;
  struct hash_index by_place; /* of nodes, by parent and function */
  uint32_t *node_of;          /* by context id minus one */
  size_t contexts;
  bool damaged, too_large;
};

struct place {
  uint32_t parent, function;
};

static int same_place(const void *nodes, uint32_t index, const void *key) {
  const struct flame_node *node = (const struct flame_node *)nodes + index;
  const struct place *place = key;
  return node->parent == place->parent && node->function == place->function;
}

static uint32_t new_node(struct loading *loading, struct place place, uint64_t hash) {
  struct flame_tree *tree = loading->tree;
  if (tree->node_count == MOST_NODES) {
    loading->too_large = true;
    return 0;
  }
  uint32_t index = tree->node_count++;
  ARRAY_GROW(tree->nodes, index);
  hash_index_add(&loading->by_place, hash, index);
  tree->nodes[index] = (struct flame_node){place.parent, place.function, 0, 0};
  if (index) {
    tree->nodes[index].next = tree->nodes[place.parent].child;
    tree->nodes[place.parent].child = index;
  }
  return index;
}

static uint32_t node_below(struct loading *loading, uint32_t parent, uint32_t function) {
  struct place place = {parent, function};
  uint64_t hash = hash_mix((uint64_t)parent << 32 | function);
  uint32_t found =
      hash_index_find(&loading->by_place, hash, same_place, loading->tree->nodes, &place);
  return found != HASH_INDEX_NONE ? found : new_node(loading, place, hash);
}

/* [3,-1,2], outermost first; a function that was called again further on is negative. */
static uint32_t follow_history(struct loading *loading, const char *text) {
  uint32_t node = 0;
  if (*text != '[') loading->damaged = true;
  while (!loading->damaged && !loading->too_large && *text != ']') {
    char *end;
    long long number = strtoll(text + 1, &end, 10);
    uint64_t id = number < 0 ? -(uint64_t)number : (uint64_t)number;
    if (end == text + 1 || !id || id > UINT32_MAX || (*end != ',' && *end != ']')) {
      loading->damaged = true;
      break;
    }
    node = node_below(loading, node, id);
    text = end;
  }
  return node;
}

static void note_time(struct loading *loading, uint32_t node, int64_t thread, int64_t self_ns) {
  struct flame_tree *tree = loading->tree;
  if (self_ns <= 0) return;
  ARRAY_GROW(tree->times, tree->time_count);
  tree->times[tree->time_count++] = (struct flame_time){node, (uint32_t)thread, self_ns};
}

/* A context comes after its parent. */
static void take_context(struct loading *loading, sqlite3_stmt *row) {
  int64_t parent = sqlite3_column_int64(row, 0), function = sqlite3_column_int64(row, 1);
  bool has_parent = sqlite3_column_type(row, 0) != SQLITE_NULL;
  const char *history = (const char *)sqlite3_column_text(row, 4);
  uint32_t node = 0;
  if (has_parent &&
      (parent < 1 || parent > (int64_t)loading->contexts || function < 1 || function > UINT32_MAX))
    loading->damaged = true;
  else if (has_parent)
    node = node_below(loading, loading->node_of[parent - 1], function);
  else if (history)
    node = follow_history(loading, history);
  ARRAY_GROW(loading->node_of, loading->contexts);
  loading->node_of[loading->contexts++] = node;
  note_time(loading, node, sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3));
}

static int read_contexts(struct loading *loading, struct workspace *workspace, size_t profile,
                         struct error *error) {
  sqlite3_stmt *row = NULL;
  int step = SQLITE_ROW;
  if (workspace_prepare(workspace, &row, error,
                        "SELECT parent, function, thread, self_ns, history FROM p%d.raw_contexts"
                        " ORDER BY id",
                        (int)profile) != 0)
    return -1;
  while (!loading->damaged && !loading->too_large && (step = sqlite3_step(row)) == SQLITE_ROW)
    take_context(loading, row);
  int result = 0;
  if (loading->damaged)
    result = error_set(error, "the profile is damaged: record again");
  else if (loading->too_large)
    result = error_set(error, "the flame graph would have more than %d frames", MOST_NODES);
  else if (step != SQLITE_DONE)
    result = workspace_error(workspace, error);
  sqlite3_finalize(row);
  return result;
}

int flame_tree_load(struct workspace *workspace, size_t profile, struct flame_tree **tree,
                    struct error *error) {
  struct loading loading = {.tree = memory_zeroed(1, sizeof *loading.tree)};
  new_node(&loading, (struct place){0, 0}, hash_mix(0));
  int result = read_contexts(&loading, workspace, profile, error);
  hash_index_free(&loading.by_place);
  free(loading.node_of);
  if (result == 0)
    *tree = loading.tree;
  else
    flame_tree_free(loading.tree);
  return result;
}

void flame_tree_free(struct flame_tree *tree) {
  if (!tree) return;
  free(tree->nodes);
  free(tree->times);
  free(tree);
}
