#include "view/flame_layout.h"

#include <stdlib.h>

#include "base/memory.h"

struct layout {
  const struct flame_tree *tree;
  const struct flame_selection *selection;
  struct flame_layout *result;
  uint64_t *self, *total; /* by node, of the selection */
  uint64_t least_ns;
};

/* ---- the selection ---- */

static bool *focused_nodes(const struct layout *layout) {
  const struct flame_tree *tree = layout->tree;
  bool *focused = memory_zeroed(tree->node_count, sizeof *focused);
  const struct id_set *focus = layout->selection->focus;
  focused[0] = !focus;
  for (size_t i = 1; i < tree->node_count; i++) /* parents come first */
    focused[i] = focused[tree->nodes[i].parent] || id_set_has(focus, tree->nodes[i].function);
  return focused;
}

/* Self times of the nodes that are selected, and totals: children come after their parents. */
static void add_times(struct layout *layout) {
  const struct flame_tree *tree = layout->tree;
  bool *focused = focused_nodes(layout);
  layout->self = memory_zeroed(tree->node_count, sizeof *layout->self);
  layout->total = memory_zeroed(tree->node_count, sizeof *layout->total);
  for (size_t i = 0; i < tree->time_count; i++) {
    const struct flame_time *time = &tree->times[i];
    bool thread = !layout->selection->thread || time->thread == layout->selection->thread;
    if (thread && focused[time->node]) layout->self[time->node] += time->self_ns;
  }
  for (size_t i = tree->node_count; i-- > 0;) {
    layout->total[i] += layout->self[i];
    if (i) layout->total[tree->nodes[i].parent] += layout->total[i];
  }
  free(focused);
  layout->result->whole_ns = layout->total[0];
}

/* ---- frames ---- */

static bool add_frame(struct layout *layout, struct flame_frame frame) {
  struct flame_layout *result = layout->result;
  if (result->count == FLAME_MOST_FRAMES || frame.depth >= FLAME_MOST_DEPTH) return false;
  ARRAY_GROW(result->frames, result->count);
  result->frames[result->count++] = frame;
  return true;
}

static bool active_above(const struct layout *layout, uint32_t node) {
  uint32_t function = layout->tree->nodes[node].function;
  while ((node = layout->tree->nodes[node].parent))
    if (layout->tree->nodes[node].function == function) return true;
  return false;
}

/* ---- top-down ---- */

struct wide {
  uint32_t node;
  uint64_t total_ns;
};

static int widest_first(const void *x, const void *y) {
  const struct wide *a = x, *b = y;
  if (a->total_ns != b->total_ns) return a->total_ns < b->total_ns ? 1 : -1;
  return (a->node > b->node) - (a->node < b->node);
}

/* The node's children that are wide enough; the rest is left out. */
static struct wide *wide_children(struct layout *layout, uint32_t parent, size_t *count) {
  struct wide *list = NULL;
  *count = 0;
  for (uint32_t node = layout->tree->nodes[parent].child; node;
       node = layout->tree->nodes[node].next) {
    uint64_t total = layout->total[node];
    if (total == 0) continue;
    if (total < layout->least_ns) {
      layout->result->left_out_ns += total;
      continue;
    }
    ARRAY_GROW(list, *count);
    list[(*count)++] = (struct wide){node, total};
  }
  if (list) qsort(list, *count, sizeof *list, widest_first);
  return list;
}

static void lay_children(struct layout *layout, uint32_t parent, uint32_t depth,
                         uint64_t start_ns) {
  size_t count;
  struct wide *list = wide_children(layout, parent, &count);
  for (size_t i = 0; i < count; i++) {
    uint32_t node = list[i].node;
    struct flame_frame frame = {depth,
                                layout->tree->nodes[node].function,
                                start_ns,
                                layout->total[node],
                                layout->self[node],
                                active_above(layout, node)};
    if (add_frame(layout, frame))
      lay_children(layout, node, depth + 1, start_ns);
    else
      layout->result->left_out_ns += layout->total[node];
    start_ns += layout->total[node];
  }
  free(list);
}

/* The costliest, where several functions have the name. */
static uint32_t child_of(const struct layout *layout, uint32_t parent,
                         const struct id_set *functions) {
  const struct flame_node *nodes = layout->tree->nodes;
  uint32_t found = 0;
  for (uint32_t node = nodes[parent].child; node; node = nodes[node].next)
    if (id_set_has(functions, nodes[node].function) &&
        (!found || layout->total[node] > layout->total[found]))
      found = node;
  return found;
}

static void lay_top_down(struct layout *layout, double least) {
  const struct flame_selection *selection = layout->selection;
  uint32_t root = 0;
  for (size_t i = 0; i < selection->root_length; i++) {
    root = child_of(layout, root, selection->root[i]);
    if (!root) return;
  }
  layout->result->root_ns = layout->total[root];
  layout->least_ns = (uint64_t)(least * layout->total[root]) + 1;
  lay_children(layout, root, 0, 0);
}

/* ---- groups of nodes: bottom-up, and around a function ---- */

/* Time that a function below spent, seen from the frame of it that `node` is; around a function and
 * top-down, the time under `node`. */
struct source {
  uint32_t node, function;
  uint64_t ns;
};

static int by_function(const void *x, const void *y) {
  const struct source *a = x, *b = y;
  return (a->function > b->function) - (a->function < b->function);
}

struct group {
  size_t begin, end;
  uint64_t ns;
};

static int widest_group_first(const void *x, const void *y) {
  const struct group *a = x, *b = y;
  if (a->ns != b->ns) return a->ns < b->ns ? 1 : -1;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

/* One frame outwards. What has none is the frame's own: it was called by nothing. */
static size_t step_out(const struct layout *layout, struct source *sources, size_t count,
                       uint64_t *ended_ns) {
  size_t left = 0;
  *ended_ns = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t caller = layout->tree->nodes[sources[i].node].parent;
    if (!caller)
      *ended_ns += sources[i].ns;
    else
      sources[left++] =
          (struct source){caller, layout->tree->nodes[caller].function, sources[i].ns};
  }
  return left;
}

static struct group *wide_groups(struct layout *layout, struct source *sources, size_t count,
                                 size_t *groups) {
  struct group *list = NULL;
  *groups = 0;
  if (!count) return NULL;
  qsort(sources, count, sizeof *sources, by_function);
  for (size_t begin = 0, end; begin < count; begin = end) {
    uint64_t ns = 0;
    for (end = begin; end < count && sources[end].function == sources[begin].function; end++)
      ns += sources[end].ns;
    if (ns < layout->least_ns) {
      layout->result->left_out_ns += ns;
      continue;
    }
    ARRAY_GROW(list, *groups);
    list[(*groups)++] = (struct group){begin, end, ns};
  }
  if (list) qsort(list, *groups, sizeof *list, widest_group_first);
  return list;
}

/* The frames below one, from it to what ran. */
struct way {
  const struct way *inner;
  uint32_t function;
};

static bool stands_below(const struct way *way, uint32_t function) {
  while (way && way->function != function)
    way = way->inner;
  return way;
}

static void lay_callers(struct layout *layout, struct source *sources, size_t count,
                        const struct way *way, uint32_t depth, uint64_t start_ns) {
  size_t groups;
  struct group *list = wide_groups(layout, sources, count, &groups);
  for (size_t i = 0; i < groups; i++) {
    struct source *own = sources + list[i].begin;
    struct way longer = {way, own->function};
    uint64_t ended_ns;
    size_t left = step_out(layout, own, list[i].end - list[i].begin, &ended_ns);
    struct flame_frame frame = {depth,      longer.function, start_ns,
                                list[i].ns, ended_ns,        stands_below(way, longer.function)};
    if (add_frame(layout, frame))
      lay_callers(layout, own, left, &longer, depth + 1, start_ns);
    else
      layout->result->left_out_ns += list[i].ns;
    start_ns += list[i].ns;
  }
  free(list);
}

/* One frame inwards: all callees of the nodes. The array is the caller's. */
static struct source *step_in(const struct layout *layout, const struct source *sources,
                              size_t count, size_t *callees, uint64_t *self_ns) {
  struct source *list = NULL;
  *callees = *self_ns = 0;
  for (size_t i = 0; i < count; i++) {
    *self_ns += layout->self[sources[i].node];
    for (uint32_t node = layout->tree->nodes[sources[i].node].child; node;
         node = layout->tree->nodes[node].next) {
      if (!layout->total[node]) continue;
      ARRAY_GROW(list, *callees);
      list[(*callees)++] =
          (struct source){node, layout->tree->nodes[node].function, layout->total[node]};
    }
  }
  return list;
}

static void lay_callees(struct layout *layout, struct source *sources, size_t count,
                        const struct way *way, uint32_t depth, uint64_t start_ns) {
  size_t groups;
  struct group *list = wide_groups(layout, sources, count, &groups);
  for (size_t i = 0; i < groups; i++) {
    const struct source *own = sources + list[i].begin;
    struct way longer = {way, own->function};
    uint64_t self_ns;
    size_t below;
    struct source *callees = step_in(layout, own, list[i].end - list[i].begin, &below, &self_ns);
    struct flame_frame frame = {depth,      longer.function, start_ns,
                                list[i].ns, self_ns,         stands_below(way, longer.function)};
    if (add_frame(layout, frame))
      lay_callees(layout, callees, below, &longer, depth + 1, start_ns);
    else
      layout->result->left_out_ns += list[i].ns;
    start_ns += list[i].ns;
    free(callees);
  }
  free(list);
}

/* Its outermost frame in each stack, so that time counts once, whatever the recursion. */
static size_t list_frames_of(const struct layout *layout, struct source *sources) {
  const struct flame_tree *tree = layout->tree;
  uint32_t function = layout->selection->around;
  size_t count = 0;
  for (size_t i = 1; i < tree->node_count; i++)
    if (layout->total[i] && tree->nodes[i].function == function && !active_above(layout, i))
      sources[count++] = (struct source){i, function, layout->total[i]};
  return count;
}

static size_t list_sources(const struct layout *layout, struct source *sources) {
  const struct flame_tree *tree = layout->tree;
  size_t count = 0;
  for (size_t i = 1; i < tree->node_count; i++)
    if (layout->self[i])
      sources[count++] = (struct source){i, tree->nodes[i].function, layout->self[i]};
  return count;
}

static size_t keep_functions(struct source *sources, size_t count, const struct id_set *functions) {
  size_t left = 0;
  for (size_t i = 0; i < count; i++)
    if (id_set_has(functions, sources[i].function)) sources[left++] = sources[i];
  return left;
}

static uint64_t sum_of(const struct source *sources, size_t count) {
  uint64_t ns = 0;
  for (size_t i = 0; i < count; i++)
    ns += sources[i].ns;
  return ns;
}

static void lay_around(struct layout *layout, double least) {
  struct source *sources = memory_resized(NULL, layout->tree->node_count, sizeof *sources);
  size_t count = list_frames_of(layout, sources);
  layout->result->root_ns = sum_of(sources, count);
  layout->least_ns = (uint64_t)(least * layout->result->root_ns) + 1;
  if (layout->selection->bottom_up)
    lay_callers(layout, sources, count, NULL, 0, 0);
  else
    lay_callees(layout, sources, count, NULL, 0, 0);
  free(sources);
}

static void lay_bottom_up(struct layout *layout, double least) {
  const struct flame_selection *selection = layout->selection;
  struct source *sources = memory_resized(NULL, layout->tree->node_count, sizeof *sources);
  size_t count = list_sources(layout, sources);
  uint64_t ended_ns = 0, root_ns = 0;
  for (size_t i = 0; i < selection->root_length; i++) {
    count = keep_functions(sources, count, selection->root[i]);
    root_ns = sum_of(sources, count);
    count = step_out(layout, sources, count, &ended_ns);
  }
  layout->result->root_ns = selection->root_length ? root_ns : layout->result->whole_ns;
  layout->least_ns = (uint64_t)(least * layout->result->root_ns) + 1;
  lay_callers(layout, sources, count, NULL, 0, 0);
  free(sources);
}

/* ---- all ---- */

void flame_layout_make(const struct flame_tree *tree, const struct flame_selection *selection,
                       double least, struct flame_layout *result) {
  struct layout layout = {.tree = tree, .selection = selection, .result = result};
  *result = (struct flame_layout){0};
  add_times(&layout);
  if (selection->around)
    lay_around(&layout, least);
  else if (selection->bottom_up)
    lay_bottom_up(&layout, least);
  else
    lay_top_down(&layout, least);
  free(layout.self);
  free(layout.total);
}

void flame_layout_free(struct flame_layout *layout) {
  free(layout->frames);
  *layout = (struct flame_layout){0};
}
