#include "attribution/misled.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/average_time.h"
#include "attribution/components.h"
#include "attribution/counts/inlined_only.h"

struct misled_list {
  const struct books *books;
  double *called_back; /* by function, raw ns: gprof does not know that it is below the function */
  struct misled *list;
  size_t count;
};

static uint64_t difference(const struct misled *misled) {
  return misled->truth.ns > misled->assumed_ns ? misled->truth.ns - misled->assumed_ns
                                               : misled->assumed_ns - misled->truth.ns;
}

/* Where the history enters a counted function from code without hooks (qsort), gprof sees a
 * spontaneous call. 0: nowhere. */
static uint32_t last_call_back(const struct profile *profile,
                               const struct profile_context *context) {
  for (uint32_t i = context->length; i > 1; i--)
    if (profile->functions[context->history[i - 1] >> 1].kind != FUNCTION_SAMPLED &&
        profile->functions[context->history[i - 2] >> 1].kind == FUNCTION_SAMPLED)
      return i - 1;
  return 0;
}

/* No assumption misleads there: the call is not in gprof's graph at all. */
static double *called_back_times(const struct profile *profile, const struct selection *selection) {
  double *times = memory_zeroed(profile->function_count, sizeof *times);
  bool *selected = costs_select(profile, selection);
  for (size_t c = 0; c < profile->context_count; c++) {
    const struct profile_context *context = &profile->contexts[c];
    uint64_t raw_ns = selected[c] ? context_self(profile, c).raw_ns : 0;
    uint32_t end = raw_ns ? last_call_back(profile, context) : 0;
    for (uint32_t i = 0; i < end; i++)
      if (context->history[i] & 1) times[context->history[i] >> 1] += raw_ns;
  }
  free(selected);
  return times;
}

static void compare(struct misled_list *found, struct misled misled, uint32_t function,
                    struct amount truth, double assumed_raw) {
  struct amount called_back = {.raw_ns = (uint64_t)llround(found->called_back[function])};
  misled.truth = books_estimate(found->books, truth);
  misled.assumed_ns =
      books_ns(found->books, (struct amount){.raw_ns = (uint64_t)llround(assumed_raw)});
  if (difference(&misled) <= misled.truth.uncertainty_ns + books_ns(found->books, called_back))
    return;
  ARRAY_GROW(found->list, found->count);
  found->list[found->count++] = misled;
}

static int larger_difference_first(const void *left, const void *right) {
  const struct misled *a = left, *b = right;
  uint64_t of_a = difference(a), of_b = difference(b);
  if (of_a != of_b) return of_a > of_b ? -1 : 1;
  if (a->function != b->function) return a->function < b->function ? -1 : 1;
  return (a->arc > b->arc) - (a->arc < b->arc);
}

/* Of a call into a cycle gprof tells the time of the whole cycle below it. What the callee had of
 * it by that call, before members of the cycle called it again, is less. */
static struct amount time_of(const struct arc_cost *arc, bool in_cycle) {
  return in_cycle ? amount_sum(arc->out_self, arc->out_child)
                  : amount_sum(arc->in_self, arc->in_child);
}

struct misled *misled_find(const struct profile *profile, const struct costs *costs,
                           const struct selection *selection, const struct books *books,
                           size_t *count) {
  struct average_time *average = average_time_compute(profile, costs, selection);
  const struct graph_node *nodes = average->graph.nodes;
  struct misled_list found = {.books = books, .called_back = called_back_times(profile, selection)};
  bool *inlined = inlined_that_ran(profile);
  for (size_t i = 0; i < profile->function_count; i++) {
    if (profile->functions[i].kind == FUNCTION_SAMPLED) continue;
    if (inlined[i]) continue; /* gprof's entry has its own code only */
    if (!costs_total_known(profile, costs, i)) continue;
    bool in_cycle = nodes[i].cycle != 0;
    compare(&found, (struct misled){.function = i, .arc = NOTHING, .in_cycle = in_cycle}, i,
            costs->functions[i].total, average_time_of(average, i));
  }
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    if (!is_call(arc) || !arc_counted(profile, arc)) continue;
    if (costs->doubts && costs->doubts[arc->callee] & DOUBT_CALLERS) continue;
    if (arc->cost_unknown || average->merged[i]) continue;
    if (nodes[arc->caller].rank == nodes[arc->callee].rank)
      continue; /* gprof gives no time to arcs inside a cycle */
    bool in_cycle = nodes[arc->callee].cycle != 0;
    compare(&found, (struct misled){.function = NOTHING, .arc = i, .in_cycle = in_cycle},
            arc->callee, time_of(arc, in_cycle), average_time_of_arc(average, i));
  }
  average_time_free(average);
  free(inlined);
  free(found.called_back);
  if (found.count) qsort(found.list, found.count, sizeof *found.list, larger_difference_first);
  *count = found.count;
  return found.list;
}
