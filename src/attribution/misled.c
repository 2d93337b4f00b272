#include "attribution/misled.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/average_time.h"
#include "attribution/components.h"
#include "attribution/counts/inlined_only.h"

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
                           const struct selection *selection, const struct books *books,
                           size_t *count) {
  struct average_time *average = average_time_compute(profile, costs, selection);
  const struct graph_node *nodes = average->graph.nodes;
  struct misled_list found = {.books = books};
  bool *inlined = inlined_that_ran(profile);
  for (size_t i = 0; i < profile->function_count; i++) {
    if (profile->functions[i].kind == FUNCTION_SAMPLED) continue;
    if (inlined[i]) continue; /* gprof's entry has its own code only */
    if (!costs_total_known(profile, costs, i)) continue;
    bool in_cycle = nodes[i].cycle != 0;
    compare(&found, (struct misled){.function = i, .arc = NOTHING, .in_cycle = in_cycle},
            costs->functions[i].total, average_time_of(average, i));
  }
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    if (!is_call(arc) || !arc_counted(profile, arc)) continue;
    if (costs->doubts && costs->doubts[arc->callee] & DOUBT_CALLERS) continue;
    if (arc->cost_unknown || average->merged[i]) continue;
    if (nodes[arc->caller].rank == nodes[arc->callee].rank)
      continue; /* gprof gives no time to arcs inside a cycle */
    compare(
        &found,
        (struct misled){.function = NOTHING, .arc = i, .in_cycle = nodes[arc->callee].cycle != 0},
        amount_sum(arc->in_self, arc->in_child), average_time_of_arc(average, i));
  }
  average_time_free(average);
  free(inlined);
  if (found.count) qsort(found.list, found.count, sizeof *found.list, larger_difference_first);
  *count = found.count;
  return found.list;
}
