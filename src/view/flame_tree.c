#include "view/flame_tree.h"

#include <stdlib.h>

#include "attribution/dropped_frames.h"
#include "base/hash_index.h"
#include "base/memory.h"

/* A file of a few bytes can spell out histories of any length. */
enum { MOST_NODES = 1 << 26 };

struct context {
  uint32_t node, thread;
  int64_t self_ns;
};

struct loading {
  struct flame_tree *tree;
  struct hash_index by_place; /* of nodes, by parent and function */
  struct context *contexts;   /* by id minus one, as the next three */
  struct folded_context *folded;
  bool *dropped;
  uint32_t *stacks; /* nodes */
  struct tick *ticks;
  struct profile_transition *steps;
  size_t context_count, folded_count, stack_count, tick_count, step_count;
  bool damaged, too_large;
};

/* What was measured in a context under a stack. */
struct tick {
  uint32_t context, node;
  uint64_t raw_ns;
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

/* [3,-1,2], outermost first; a function that was called again further on is negative. Where frames
 * are missing, that is behind the first of those that follow each other. */
static uint32_t follow_history(struct loading *loading, const char *text, bool dropped) {
  uint32_t node = 0, negative = 0;
  if (*text != '[') loading->damaged = true;
  while (!loading->damaged && !loading->too_large && *text != ']') {
    char *end;
    long long number = strtoll(text + 1, &end, 10);
    uint64_t id = number < 0 ? -(uint64_t)number : (uint64_t)number;
    if (end == text + 1 || !id || id > UINT32_MAX || (*end != ',' && *end != ']')) {
      loading->damaged = true;
      break;
    }
    if (dropped && negative == 1) node = node_below(loading, node, FLAME_HOLE);
    node = node_below(loading, node, id);
    negative = number < 0 ? negative + 1 : 0;
    text = end;
  }
  return node;
}

static void note_time(struct loading *loading, uint32_t node, uint32_t thread, uint64_t self_ns) {
  struct flame_tree *tree = loading->tree;
  if (!self_ns) return;
  ARRAY_GROW(tree->times, tree->time_count);
  tree->times[tree->time_count++] = (struct flame_time){node, thread, self_ns};
}

static bool is_null(sqlite3_stmt *row, int column) {
  return sqlite3_column_type(row, column) == SQLITE_NULL;
}

/* An id in a column, from 1 up to `most`; 0, and the profile is damaged: it is none. */
static uint32_t id_in(struct loading *loading, sqlite3_stmt *row, int column, size_t most) {
  int64_t id = sqlite3_column_int64(row, column);
  bool valid = id >= 1 && (uint64_t)id <= most;
  loading->damaged |= !valid;
  return valid ? (uint32_t)id : 0;
}

/* A context comes after its parent. */
static void take_folded(struct loading *loading, sqlite3_stmt *row) {
  bool has_parent = !is_null(row, 0);
  uint32_t parent = has_parent ? id_in(loading, row, 0, loading->folded_count) : 0;
  if (loading->damaged) return;
  struct folded_context context = {.length = (uint32_t)sqlite3_column_int64(row, 1),
                                   .prefix = has_parent ? parent - 1 : NOTHING,
                                   .folds = sqlite3_column_int(row, 2)};
  if (has_parent) context.folds = loading->folded[parent - 1].folds;
  ARRAY_GROW(loading->folded, loading->folded_count);
  loading->folded[loading->folded_count++] = context;
}

static void take_step(struct loading *loading, sqlite3_stmt *row) {
  uint32_t from = id_in(loading, row, 0, loading->folded_count);
  uint32_t to = id_in(loading, row, 1, loading->folded_count);
  if (loading->damaged) return;
  ARRAY_GROW(loading->steps, loading->step_count);
  loading->steps[loading->step_count++] =
      (struct profile_transition){.from = from - 1, .to = to - 1};
}

static void take_context(struct loading *loading, sqlite3_stmt *row) {
  const char *history = (const char *)sqlite3_column_text(row, 4);
  struct context context = {.thread = (uint32_t)sqlite3_column_int64(row, 2),
                            .self_ns = sqlite3_column_int64(row, 3)};
  if (!is_null(row, 0)) {
    uint32_t parent = id_in(loading, row, 0, loading->context_count);
    uint32_t function = id_in(loading, row, 1, UINT32_MAX);
    if (!loading->damaged)
      context.node = node_below(loading, loading->contexts[parent - 1].node, function);
  } else if (history) {
    context.node = follow_history(loading, history, loading->dropped[loading->context_count]);
  }
  ARRAY_GROW(loading->contexts, loading->context_count);
  loading->contexts[loading->context_count++] = context;
}

/* A function that called itself has one node. */
static uint32_t frame_below(struct loading *loading, uint32_t node, uint32_t function) {
  bool same = node && loading->tree->nodes[node].function == function;
  return same ? node : node_below(loading, node, function);
}

/* A stack comes after its parent. Without a line it is the root, or says that frames are missing.
 */
static void take_stack(struct loading *loading, sqlite3_stmt *row) {
  uint32_t node = 0;
  if (!is_null(row, 0)) {
    uint32_t parent = id_in(loading, row, 0, loading->stack_count);
    uint32_t function = is_null(row, 1) ? FLAME_HOLE : id_in(loading, row, 1, UINT32_MAX);
    if (!loading->damaged) node = frame_below(loading, loading->stacks[parent - 1], function);
  }
  ARRAY_GROW(loading->stacks, loading->stack_count);
  loading->stacks[loading->stack_count++] = node;
}

static void take_tick(struct loading *loading, sqlite3_stmt *row) {
  struct tick tick = {.context = id_in(loading, row, 0, loading->context_count)};
  int64_t raw_ns = sqlite3_column_int64(row, 3);
  if (loading->damaged) return;
  tick.raw_ns = raw_ns > 0 ? (uint64_t)raw_ns : 0;
  tick.node = loading->contexts[tick.context - 1].node;
  if (!is_null(row, 2)) {
    uint32_t stack = id_in(loading, row, 2, loading->stack_count);
    uint32_t function = id_in(loading, row, 1, UINT32_MAX);
    if (loading->damaged) return;
    tick.node = frame_below(loading, loading->stacks[stack - 1], function);
  }
  ARRAY_GROW(loading->ticks, loading->tick_count);
  loading->ticks[loading->tick_count++] = tick;
}

static int read_rows(struct loading *loading, struct workspace *workspace, size_t profile,
                     const char *sql, void (*take)(struct loading *loading, sqlite3_stmt *row),
                     struct error *error) {
  sqlite3_stmt *row = NULL;
  int step = SQLITE_ROW;
  if (workspace_prepare(workspace, &row, error, sql, (int)profile, (int)profile) != 0) return -1;
  while (!loading->damaged && !loading->too_large && (step = sqlite3_step(row)) == SQLITE_ROW)
    take(loading, row);
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

/* ---- time ---- */

static uint64_t part_of(uint64_t whole, uint64_t part, uint64_t of) {
  return (uint64_t)((unsigned __int128)whole * part / of);
}

/* What was measured in one context, from `first` up to `end`, as parts of its time: no rounding
 * adds up. */
static void share_time(struct loading *loading, size_t first, size_t end) {
  struct context *context = &loading->contexts[loading->ticks[first].context - 1];
  uint64_t all = 0, before = 0, whole = context->self_ns > 0 ? (uint64_t)context->self_ns : 0;
  for (size_t i = first; i < end; i++)
    all += loading->ticks[i].raw_ns;
  if (!all) return;
  for (size_t i = first; i < end; i++) {
    uint64_t after = before + loading->ticks[i].raw_ns;
    note_time(loading, loading->ticks[i].node, context->thread,
              part_of(whole, after, all) - part_of(whole, before, all));
    before = after;
  }
  context->self_ns = 0;
}

static void note_times(struct loading *loading) {
  for (size_t first = 0, end; first < loading->tick_count; first = end) {
    for (end = first; end < loading->tick_count; end++)
      if (loading->ticks[end].context != loading->ticks[first].context) break;
    share_time(loading, first, end);
  }
  for (size_t i = 0; i < loading->context_count; i++) {
    const struct context *context = &loading->contexts[i];
    if (context->self_ns > 0)
      note_time(loading, context->node, context->thread, (uint64_t)context->self_ns);
  }
}

static int read_tree(struct loading *loading, struct workspace *workspace, size_t profile,
                     struct error *error) {
  static const struct {
    const char *sql;
    void (*take)(struct loading *loading, sqlite3_stmt *row);
  } shapes[] = {{"SELECT parent, depth, instr(coalesce(history, ''), '-') > 0"
                 " FROM p%d.raw_contexts ORDER BY id",
                 take_folded},
                {"SELECT from_context, to_context FROM p%d.raw_transitions", take_step}},
    reads[] = {
        {"SELECT parent, function, thread, self_ns, history FROM p%d.raw_contexts ORDER BY id",
         take_context},
        {"SELECT s.parent, l.function FROM p%d.raw_stacks s LEFT JOIN p%d.raw_lines l"
         " ON l.id = s.line ORDER BY s.id",
         take_stack},
        {"SELECT t.context, l.function, t.stack, sum(t.raw_ns) FROM p%d.raw_ticks t"
         " JOIN p%d.raw_lines l ON l.id = t.line WHERE t.metric = 1 GROUP BY 1, 2, 3",
         take_tick}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (read_rows(loading, workspace, profile, shapes[i].sql, shapes[i].take, error) != 0)
      return -1;
  loading->dropped = dropped_frames_find(loading->folded, loading->folded_count, loading->steps,
                                         loading->step_count);
  for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
    if (read_rows(loading, workspace, profile, reads[i].sql, reads[i].take, error) != 0) return -1;
  note_times(loading);
  return 0;
}

int flame_tree_load(struct workspace *workspace, size_t profile, struct flame_tree **tree,
                    struct error *error) {
  struct loading loading = {.tree = memory_zeroed(1, sizeof *loading.tree)};
  new_node(&loading, (struct place){0, 0}, hash_mix(0));
  int result = read_tree(&loading, workspace, profile, error);
  hash_index_free(&loading.by_place);
  free(loading.contexts);
  free(loading.folded);
  free(loading.dropped);
  free(loading.steps);
  free(loading.stacks);
  free(loading.ticks);
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
