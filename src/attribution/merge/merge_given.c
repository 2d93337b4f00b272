/* Figures that were given, of several runs, summed. */
#include <stdlib.h>
#include <string.h>

#include "attribution/given.h"
#include "attribution/merge/merge_parts.h"

/* Room for the things that came since the last profile; what is new is zero. */
static void *grown(void *array, size_t *count, size_t wanted, size_t size) {
  if (wanted <= *count) return array;
  array = memory_resized(array, wanted, size);
  memset((char *)array + *count * size, 0, (wanted - *count) * size);
  *count = wanted;
  return array;
}

static void grow(struct merge *merge) {
  struct profile *profile = merge->profile;
  if (!profile->given) profile->given = memory_zeroed(1, sizeof *profile->given);
  struct costs *given = profile->given;
  size_t known = merge->given_functions;
  size_t functions = merge->given_functions, threads = profile->thread_count;
  given->functions =
      grown(given->functions, &functions, profile->function_count, sizeof *given->functions);
  given->total_known =
      grown(given->total_known, &merge->given_functions, profile->function_count, sizeof(bool));
  for (size_t i = known; i < profile->function_count; i++)
    given->total_known[i] = true;
  given->site_calls =
      grown(given->site_calls, &merge->given_sites, profile->site_count, sizeof *given->site_calls);
  given->line_self =
      grown(given->line_self, &merge->given_lines, profile->line_count, sizeof *given->line_self);
  given->thread_self = memory_resized(given->thread_self, threads, sizeof *given->thread_self);
}

static void add(struct amount *sum, struct amount amount) {
  *sum = amount_sum(*sum, amount);
}

static void add_functions(const struct costs *from, const struct merge_ids *ids,
                          struct costs *given) {
  for (size_t i = 0; i < ids->from->function_count; i++) {
    struct function_cost *cost = &given->functions[ids->functions[i]];
    cost->calls += from->functions[i].calls;
    cost->recursive += from->functions[i].recursive;
    add(&cost->self, from->functions[i].self);
    add(&cost->total, from->functions[i].total);
    given->total_known[ids->functions[i]] &= from->total_known[i];
  }
}

static void add_arcs(struct merge *merge, const struct costs *from, const struct merge_ids *ids) {
  struct costs *given = merge->profile->given;
  for (size_t i = 0; i < from->arc_count; i++) {
    struct arc_cost arc = from->arcs[i];
    arc.caller = merged_id(ids->functions, arc.caller);
    arc.callee = ids->functions[arc.callee];
    uint64_t key = (uint64_t)arc.caller << 32 | arc.callee;
    uint32_t id = map_find_or_add(&merge->given_arcs, key, 0, given->arc_count);
    if (id == given->arc_count) {
      ARRAY_GROW(given->arcs, given->arc_count);
      given->arcs[given->arc_count++] = arc;
      continue;
    }
    struct arc_cost *merged = &given->arcs[id];
    merged->calls += arc.calls;
    merged->cost_unknown |= arc.cost_unknown;
    add(&merged->in_child, arc.in_child);
    add(&merged->out_child, arc.out_child);
  }
}

void merge_given(struct merge *merge, const struct merge_ids *ids) {
  const struct profile *profile = ids->from;
  const struct costs *from = profile->given;
  if (!from) return;
  grow(merge);
  struct costs *given = merge->profile->given;
  add_functions(from, ids, given);
  add_arcs(merge, from, ids);
  for (size_t i = 0; i < profile->site_count; i++)
    given->site_calls[ids->sites[i]] += from->site_calls[i];
  for (size_t i = 0; i < profile->line_count; i++)
    add(&given->line_self[ids->lines[i]], from->line_self[i]);
  add(&given->self, from->self);
  given->calls += from->calls;
  for (size_t i = 0; i < merge->profile->thread_count; i++)
    given->thread_self[i] = given->self;
}
