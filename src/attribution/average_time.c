#include "attribution/average_time.h"

#include <math.h>
#include <stdlib.h>

/* ---- strongly connected components (Tarjan), without recursion ---- */

struct walk {
  const struct profile *profile;
  const struct costs *costs;
  size_t *first_arc; /* by caller; one more at the end */
  uint32_t *by_caller;
  uint32_t *number, *low; /* by function; number 0: not seen */
  uint32_t *stack, *path; /* Tarjan's stack; the functions being visited */
  size_t *next_arc;
  bool *on_stack;
  size_t stack_length, path_length;
  uint32_t seen, components;
  uint32_t *component;
  uint32_t *finished; /* functions, component by component: callees first */
  size_t finished_count;
};

static bool is_call(const struct arc_cost *arc) {
  return arc->calls && arc->caller != NOTHING;
}

static void group_arcs(struct walk *walk) {
  const struct costs *costs = walk->costs;
  size_t functions = walk->profile->function_count;
  walk->first_arc = memory_zeroed(functions + 1, sizeof *walk->first_arc);
  walk->next_arc = memory_zeroed(functions + 1, sizeof *walk->next_arc);
  walk->by_caller = memory_zeroed(costs->arc_count, sizeof *walk->by_caller);
  for (size_t i = 0; i < costs->arc_count; i++)
    if (is_call(&costs->arcs[i])) walk->first_arc[costs->arcs[i].caller + 1]++;
  for (size_t i = 0; i < functions; i++)
    walk->first_arc[i + 1] += walk->first_arc[i];
  for (size_t i = 0; i < functions; i++)
    walk->next_arc[i] = walk->first_arc[i];
  for (size_t i = 0; i < costs->arc_count; i++)
    if (is_call(&costs->arcs[i])) walk->by_caller[walk->next_arc[costs->arcs[i].caller]++] = i;
  for (size_t i = 0; i < functions; i++)
    walk->next_arc[i] = walk->first_arc[i];
}

static void enter(struct walk *walk, uint32_t function) {
  walk->number[function] = walk->low[function] = ++walk->seen;
  walk->stack[walk->stack_length++] = function;
  walk->path[walk->path_length++] = function;
  walk->on_stack[function] = true;
}

static void lower(uint32_t *low, uint32_t value) {
  if (value < *low) *low = value;
}

static void leave(struct walk *walk, uint32_t function) {
  walk->path_length--;
  if (walk->path_length) lower(&walk->low[walk->path[walk->path_length - 1]], walk->low[function]);
  if (walk->low[function] != walk->number[function]) return;
  uint32_t member;
  do {
    member = walk->stack[--walk->stack_length];
    walk->on_stack[member] = false;
    walk->component[member] = walk->components;
    walk->finished[walk->finished_count++] = member;
  } while (member != function);
  walk->components++;
}

static void visit(struct walk *walk, uint32_t root) {
  enter(walk, root);
  while (walk->path_length) {
    uint32_t function = walk->path[walk->path_length - 1];
    if (walk->next_arc[function] == walk->first_arc[function + 1]) {
      leave(walk, function);
      continue;
    }
    uint32_t callee = walk->costs->arcs[walk->by_caller[walk->next_arc[function]++]].callee;
    if (!walk->number[callee])
      enter(walk, callee);
    else if (walk->on_stack[callee])
      lower(&walk->low[function], walk->number[callee]);
  }
}

static void walk_graph(struct walk *walk) {
  size_t functions = walk->profile->function_count;
  group_arcs(walk);
  walk->number = memory_zeroed(functions, sizeof *walk->number);
  walk->low = memory_zeroed(functions, sizeof *walk->low);
  walk->stack = memory_zeroed(functions, sizeof *walk->stack);
  walk->path = memory_zeroed(functions, sizeof *walk->path);
  walk->on_stack = memory_zeroed(functions, sizeof *walk->on_stack);
  walk->component = memory_zeroed(functions, sizeof *walk->component);
  walk->finished = memory_zeroed(functions, sizeof *walk->finished);
  for (size_t i = 0; i < functions; i++)
    if (!walk->number[i]) visit(walk, i);
}

static void walk_free(struct walk *walk) {
  free(walk->first_arc);
  free(walk->next_arc);
  free(walk->by_caller);
  free(walk->number);
  free(walk->low);
  free(walk->stack);
  free(walk->path);
  free(walk->on_stack);
  free(walk->finished);
}

/* ---- propagation ---- */

/* Own time, with that of the code without hooks that it called. */
static double *own_times(const struct profile *profile, const struct costs *costs) {
  double *own = memory_zeroed(profile->function_count, sizeof *own);
  for (size_t i = 0; i < profile->function_count; i++)
    if (profile->functions[i].kind != FUNCTION_SAMPLED) own[i] = costs->functions[i].self.raw_ns;
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    if (!arc_counted(profile, arc) && arc->caller != NOTHING)
      own[arc->caller] += arc->in_self.raw_ns;
  }
  return own;
}

/* Callees come before their callers in walk->finished, so every component's time is complete
 * when it is passed on. */
static void propagate(const struct walk *walk, const double *own, struct average_time *average) {
  const struct costs *costs = walk->costs;
  double *whole = memory_zeroed(walk->components, sizeof *whole);
  double *calls = memory_zeroed(walk->components, sizeof *calls);
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    uint32_t into = walk->component[arc->callee];
    if (arc->caller == NOTHING || walk->component[arc->caller] != into) calls[into] += arc->calls;
  }
  for (size_t i = 0; i < walk->finished_count; i++) {
    uint32_t function = walk->finished[i], component = walk->component[function];
    average->total[function] += own[function];
    for (size_t a = walk->first_arc[function]; a < walk->first_arc[function + 1]; a++) {
      const struct arc_cost *arc = &costs->arcs[walk->by_caller[a]];
      uint32_t into = walk->component[arc->callee];
      if (into == component) continue;
      average->arc[walk->by_caller[a]] = whole[into] * arc->calls / calls[into];
      average->total[function] += average->arc[walk->by_caller[a]];
    }
    whole[component] += average->total[function];
  }
  free(whole);
  free(calls);
}

struct average_time *average_time_compute(const struct profile *profile,
                                          const struct costs *costs) {
  struct walk walk = {.profile = profile, .costs = costs};
  walk_graph(&walk);
  struct average_time *average = memory_zeroed(1, sizeof *average);
  average->total = memory_zeroed(profile->function_count, sizeof *average->total);
  average->arc = memory_zeroed(costs->arc_count, sizeof *average->arc);
  average->component = walk.component;
  average->members = memory_zeroed(walk.components, sizeof *average->members);
  for (size_t i = 0; i < profile->function_count; i++)
    average->members[walk.component[i]]++;
  double *own = own_times(profile, costs);
  propagate(&walk, own, average);
  free(own);
  walk_free(&walk);
  return average;
}

void average_time_free(struct average_time *average) {
  if (!average) return;
  free(average->total);
  free(average->arc);
  free(average->component);
  free(average->members);
  free(average);
}

/* ---- where it misleads ---- */

struct misled_list {
  const struct books *books;
  struct misled *list;
  size_t count, room;
};

static uint64_t difference(const struct misled *misled) {
  return misled->truth.ns > misled->assumed_ns ? misled->truth.ns - misled->assumed_ns
                                               : misled->assumed_ns - misled->truth.ns;
}

static void compare(struct misled_list *found, struct misled misled, struct amount truth,
                    double assumed_raw) {
  misled.truth = books_estimate(found->books, truth);
  misled.assumed_ns =
      books_ns(found->books, (struct amount){.raw_ns = (uint64_t)llround(assumed_raw)});
  if (difference(&misled) <= misled.truth.uncertainty_ns) return;
  MEMORY_GROW(found->list, found->count, found->room);
  found->list[found->count++] = misled;
}

static int larger_difference_first(const void *left, const void *right) {
  const struct misled *a = left, *b = right;
  uint64_t of_a = difference(a), of_b = difference(b);
  if (of_a != of_b) return of_a > of_b ? -1 : 1;
  if (a->function != b->function) return a->function < b->function ? -1 : 1;
  return (a->arc > b->arc) - (a->arc < b->arc);
}

struct misled *misled_find(const struct profile *profile, const struct costs *costs,
                           const struct books *books, size_t *count) {
  struct average_time *average = average_time_compute(profile, costs);
  struct misled_list found = {.books = books};
  for (size_t i = 0; i < profile->function_count; i++) {
    if (profile->functions[i].kind == FUNCTION_SAMPLED) continue;
    bool in_cycle = average->members[average->component[i]] > 1;
    compare(&found, (struct misled){.function = i, .arc = NOTHING, .in_cycle = in_cycle},
            costs->functions[i].total, average->total[i]);
  }
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    if (!is_call(arc) || !arc_counted(profile, arc)) continue;
    uint32_t from = average->component[arc->caller], into = average->component[arc->callee];
    if (from == into) continue; /* gprof gives no time to arcs inside a cycle */
    compare(&found,
            (struct misled){.function = NOTHING, .arc = i, .in_cycle = average->members[into] > 1},
            amount_sum(arc->in_self, arc->in_child), average->arc[i]);
  }
  average_time_free(average);
  if (found.count) qsort(found.list, found.count, sizeof *found.list, larger_difference_first);
  *count = found.count;
  return found.list;
}
