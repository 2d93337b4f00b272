#include "attribution/split_arcs.h"

#include <stdlib.h>
#include <string.h>

struct search {
  const struct profile *profile;
  struct costs *costs;
  bool *has_counters; /* by object */
  bool *below;        /* by function: called by one that the stacks have as the caller */
  bool *seen_caller;  /* by function: stacks have it as a caller of the callee at hand */
  bool *above;        /* by function: it leads to the callee at hand without time */
};

static bool has_time(const struct arc_cost *arc) {
  return arc->in_self.raw_ns || arc->in_child.raw_ns;
}

/* Calls on which no time was seen. */
static bool only_calls(const struct arc_cost *arc) {
  return arc->calls && !has_time(arc);
}

static bool only_time(const struct arc_cost *arc) {
  return !arc->calls && has_time(arc) && arc->caller != NOTHING && arc->caller != arc->callee;
}

static void find_objects(struct search *search) {
  const struct profile *profile = search->profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    if (function->kind == FUNCTION_COUNTED && function->object != NOTHING)
      search->has_counters[function->object] = true;
  }
}

/* Its calls are counted: it has counters, or was inlined where there are some. */
static bool counts_calls(const struct search *search, uint32_t id) {
  const struct profile_function *function = &search->profile->functions[id];
  if (function->kind == FUNCTION_COUNTED) return true;
  return function->kind == FUNCTION_SAMPLED && function->bodies == BODY_INLINED &&
         function->object != NOTHING && search->has_counters[function->object];
}

/* ---- callees ---- */

/* If uncounted code may have called the callee, the time of its spontaneous calls is unknown,
 * not zero. */
static void mark_spontaneous(struct search *search, const bool *called_elsewhere) {
  for (size_t i = 0; i < search->costs->arc_count; i++) {
    struct arc_cost *arc = &search->costs->arcs[i];
    if (arc->caller == NOTHING && only_calls(arc) && called_elsewhere[arc->callee])
      arc->cost_unknown = true;
  }
}

/* Functions below those that stacks have as callers, by calls; and above the callee, by calls
 * without time. Paths between both may be what the stacks lack. */
static void spread(struct search *search) {
  const struct costs *costs = search->costs;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < costs->arc_count; i++) {
      const struct arc_cost *arc = &costs->arcs[i];
      if (arc->caller == NOTHING || !arc->calls) continue;
      bool caller_below = search->below[arc->caller] || search->seen_caller[arc->caller];
      if (caller_below && !search->below[arc->callee]) changed = search->below[arc->callee] = true;
      if (only_calls(arc) && search->above[arc->callee] && !search->above[arc->caller] &&
          !search->seen_caller[arc->caller])
        changed = search->above[arc->caller] = true;
    }
  }
}

static void clear(struct search *search) {
  size_t count = search->profile->function_count;
  memset(search->below, 0, count);
  memset(search->seen_caller, 0, count);
  memset(search->above, 0, count);
}

static void mark_callee(struct search *search, uint32_t callee) {
  struct costs *costs = search->costs;
  clear(search);
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    if (arc->callee == callee && only_time(arc) && counts_calls(search, arc->caller))
      search->seen_caller[arc->caller] = true;
  }
  search->above[callee] = true;
  spread(search);
  for (size_t i = 0; i < costs->arc_count; i++) {
    struct arc_cost *arc = &costs->arcs[i];
    bool between = search->above[arc->callee] && search->below[arc->callee];
    if (only_calls(arc) && (arc->callee == callee || between)) arc->cost_unknown = true;
  }
  for (size_t i = 0; i < search->profile->function_count; i++)
    if (i != callee && search->above[i] && search->below[i]) costs->doubts[i] |= DOUBT_TOTAL;
  costs->doubts[callee] |= DOUBT_CALLERS;
}

static void find(struct search *search) {
  const struct costs *costs = search->costs;
  size_t count = search->profile->function_count;
  bool *called_elsewhere = memory_zeroed(count, sizeof *called_elsewhere);
  bool *split = memory_zeroed(count, sizeof *split);
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    if (!only_time(arc) || search->profile->functions[arc->callee].kind != FUNCTION_COUNTED)
      continue;
    called_elsewhere[arc->callee] = true;
    split[arc->callee] |= counts_calls(search, arc->caller);
  }
  mark_spontaneous(search, called_elsewhere);
  for (size_t i = 0; i < count; i++)
    if (split[i]) mark_callee(search, i);
  free(called_elsewhere);
  free(split);
}

void split_arcs_find(const struct profile *profile, struct costs *costs) {
  bool calls_known = profile->count_count || profile->transition_count;
  if (!calls_known || costs->calls_unknown || !costs->line_total) return;
  size_t count = profile->function_count;
  struct search search = {.profile = profile, .costs = costs};
  search.has_counters = memory_zeroed(profile->object_count, sizeof *search.has_counters);
  search.below = memory_zeroed(count, sizeof *search.below);
  search.seen_caller = memory_zeroed(count, sizeof *search.seen_caller);
  search.above = memory_zeroed(count, sizeof *search.above);
  find_objects(&search);
  find(&search);
  free(search.has_counters);
  free(search.below);
  free(search.seen_caller);
  free(search.above);
}
