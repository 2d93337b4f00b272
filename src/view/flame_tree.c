#include "view/flame_tree.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/dropped_frames.h"
#include "base/hash_index.h"
#include "base/memory.h"

/* A file of a few bytes can spell out histories of any length. */
enum { MOST_NODES = 1 << 26 };

struct context {
  uint32_t node, thread;
  int64_t self_ns;
  uint32_t function; /* that it adds to its parent's history */
};

/* The whole history of a context that has no parent. */
struct own_history {
  uint32_t context; /* place in contexts */
  char *text;
};

struct loading {
  struct flame_tree *tree;
  struct hash_index by_place; /* of nodes, by parent and function */
  struct context *contexts;   /* by id minus one, as the next three */
  struct folded_context *folded;
  struct own_history *histories; /* in the order of their contexts */
  uint32_t *line_functions;      /* by id of a line minus one */
  uint32_t *stacks;              /* nodes */
  struct tick *ticks;
  struct profile_transition *steps; /* to contexts that fold */
  size_t context_count, history_count, line_count, stack_count, tick_count, step_count;
  bool any_fold, damaged, too_large;
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
  struct flame_time *last = tree->time_count ? &tree->times[tree->time_count - 1] : NULL;
  if (!self_ns) return;
  if (last && last->node == node && last->thread == thread) {
    last->self_ns += self_ns;
    return;
  }
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

static void keep_history(struct loading *loading, const char *text) {
  ARRAY_GROW(loading->histories, loading->history_count);
  loading->histories[loading->history_count++] =
      (struct own_history){(uint32_t)loading->context_count, memory_text(text)};
}

/* A context comes after its parent. Its node is found later (place_contexts). */
static void take_context(struct loading *loading, sqlite3_stmt *row) {
  size_t count = loading->context_count;
  struct context context = {.thread = (uint32_t)sqlite3_column_int64(row, 2),
                            .self_ns = sqlite3_column_int64(row, 3)};
  struct folded_context folded = {.length = (uint32_t)sqlite3_column_int64(row, 4),
                                  .prefix = NOTHING};
  if (!is_null(row, 0)) {
    uint32_t parent = id_in(loading, row, 0, count);
    context.function = id_in(loading, row, 1, UINT32_MAX);
    if (loading->damaged) return;
    folded.prefix = parent - 1;
    folded.folds = loading->folded[parent - 1].folds;
  } else {
    const char *history = (const char *)sqlite3_column_text(row, 5);
    folded.folds = history && strchr(history, '-');
    if (history) keep_history(loading, history);
  }
  loading->any_fold |= folded.folds;
  ARRAY_GROW(loading->contexts, count);
  ARRAY_GROW(loading->folded, count);
  loading->contexts[count] = context;
  loading->folded[count] = folded;
  loading->context_count++;
}

static void take_step(struct loading *loading, sqlite3_stmt *row) {
  uint32_t from = id_in(loading, row, 0, loading->context_count);
  uint32_t to = id_in(loading, row, 1, loading->context_count);
  if (loading->damaged || !loading->folded[to - 1].folds) return;
  ARRAY_GROW(loading->steps, loading->step_count);
  loading->steps[loading->step_count++] =
      (struct profile_transition){.from = from - 1, .to = to - 1};
}

/* `dropped`: by context, whether its history lacks frames. */
static void place_contexts(struct loading *loading, const bool *dropped) {
  const struct own_history *history = loading->histories, *end = history + loading->history_count;
  for (size_t i = 0; i < loading->context_count && !loading->too_large; i++) {
    struct context *context = &loading->contexts[i];
    uint32_t parent = loading->folded[i].prefix;
    if (parent != NOTHING) {
      context->node = node_below(loading, loading->contexts[parent].node, context->function);
    } else if (history < end && history->context == i) {
      context->node = follow_history(loading, history->text, dropped && dropped[i]);
      history++;
    }
  }
}

/* Lines have the numbers from 1 on. */
static void take_line(struct loading *loading, sqlite3_stmt *row) {
  loading->damaged |= sqlite3_column_int64(row, 0) != (int64_t)loading->line_count + 1;
  ARRAY_GROW(loading->line_functions, loading->line_count);
  loading->line_functions[loading->line_count++] = id_in(loading, row, 1, UINT32_MAX);
}

static uint32_t function_of_line(struct loading *loading, sqlite3_stmt *row, int column) {
  uint32_t line = id_in(loading, row, column, loading->line_count);
  return line ? loading->line_functions[line - 1] : 0;
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
    uint32_t function = is_null(row, 1) ? FLAME_HOLE : function_of_line(loading, row, 1);
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
    uint32_t function = function_of_line(loading, row, 1);
    if (loading->damaged) return;
    tick.node = frame_below(loading, loading->stacks[stack - 1], function);
  }
  ARRAY_GROW(loading->ticks, loading->tick_count);
  loading->ticks[loading->tick_count++] = tick;
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
  for (size_t i = first; i < end && all <= INT64_MAX; i++)
    all += loading->ticks[i].raw_ns;
  loading->damaged |= all > INT64_MAX;
  if (!all || loading->damaged) return;
  for (size_t i = first; i < end; i++) {
    uint64_t after = before + loading->ticks[i].raw_ns;
    note_time(loading, loading->ticks[i].node, context->thread,
              part_of(whole, after, all) - part_of(whole, before, all));
    before = after;
  }
  context->self_ns = 0;
}

static int by_context(const void *x, const void *y) {
  const struct tick *a = x, *b = y;
  if (a->context != b->context) return a->context < b->context ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

static void note_times(struct loading *loading) {
  if (loading->ticks)
    qsort(loading->ticks, loading->tick_count, sizeof *loading->ticks, by_context);
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

/* ---- all ---- */

/* What is read from the profile: one query, and what takes its rows. */
struct read {
  const char *sql;
  void (*take)(struct loading *loading, sqlite3_stmt *row);
};

static int refuse(const struct loading *loading, struct error *error) {
  if (loading->damaged) return error_set(error, "the profile is damaged: record again");
  if (loading->too_large)
    return error_set(error, "the flame graph would have more than %d frames", MOST_NODES);
  return 0;
}

static int read_rows(struct loading *loading, struct workspace *workspace, size_t profile,
                     const struct read *read, struct error *error) {
  sqlite3_stmt *row = NULL;
  int step = SQLITE_ROW;
  if (workspace_prepare(workspace, &row, error, read->sql, (int)profile) != 0) return -1;
  while (!loading->damaged && !loading->too_large && (step = sqlite3_step(row)) == SQLITE_ROW)
    read->take(loading, row);
  int result = refuse(loading, error);
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(workspace, error);
  sqlite3_finalize(row);
  return result;
}

static int has_stacks(struct workspace *workspace, size_t profile, bool *any, struct error *error) {
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(workspace, &row, error, "SELECT EXISTS(SELECT 1 FROM p%d.raw_stacks)",
                        (int)profile) != 0)
    return -1;
  int step = sqlite3_step(row);
  *any = step == SQLITE_ROW && sqlite3_column_int(row, 0);
  sqlite3_finalize(row);
  return step == SQLITE_ROW ? 0 : workspace_error(workspace, error);
}

static int read_all(struct loading *loading, struct workspace *workspace, size_t profile,
                    const struct read *reads, size_t count, struct error *error) {
  for (size_t i = 0; i < count; i++)
    if (read_rows(loading, workspace, profile, &reads[i], error) != 0) return -1;
  return 0;
}

static int read_contexts(struct loading *loading, struct workspace *workspace, size_t profile,
                         struct error *error) {
  static const struct read contexts = {
      "SELECT parent, function, thread, self_ns, depth, history FROM p%d.raw_contexts ORDER BY id",
      take_context};
  static const struct read steps = {"SELECT from_context, to_context FROM p%d.raw_transitions",
                                    take_step};
  bool *dropped = NULL;
  if (read_rows(loading, workspace, profile, &contexts, error) != 0) return -1;
  if (loading->any_fold) {
    if (read_rows(loading, workspace, profile, &steps, error) != 0) return -1;
    dropped = dropped_frames_find(loading->folded, loading->context_count, loading->steps,
                                  loading->step_count);
  }
  place_contexts(loading, dropped);
  free(dropped);
  return refuse(loading, error);
}

/* Without stacks a context's time is all its own. */
static int read_tree(struct loading *loading, struct workspace *workspace, size_t profile,
                     struct error *error) {
  static const struct read stacks[] = {
      {"SELECT id, function FROM p%d.raw_lines ORDER BY id", take_line},
      {"SELECT parent, line FROM p%d.raw_stacks ORDER BY id", take_stack},
      {"SELECT context, line, stack, raw_ns FROM p%d.raw_ticks WHERE metric = 1", take_tick}};
  bool any;
  if (read_contexts(loading, workspace, profile, error) != 0 ||
      has_stacks(workspace, profile, &any, error) != 0 ||
      (any &&
       read_all(loading, workspace, profile, stacks, sizeof stacks / sizeof *stacks, error) != 0))
    return -1;
  note_times(loading);
  return refuse(loading, error);
}

int flame_tree_load(struct workspace *workspace, size_t profile, struct flame_tree **tree,
                    struct error *error) {
  struct loading loading = {.tree = memory_zeroed(1, sizeof *loading.tree)};
  new_node(&loading, (struct place){0, 0}, hash_mix(0));
  int result = read_tree(&loading, workspace, profile, error);
  hash_index_free(&loading.by_place);
  free(loading.contexts);
  free(loading.folded);
  for (size_t i = 0; i < loading.history_count; i++)
    free(loading.histories[i].text);
  free(loading.histories);
  free(loading.line_functions);
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
