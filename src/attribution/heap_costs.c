#include "attribution/heap_costs.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/allocation_place.h"
#include "base/memory.h"
#include "profile/builder.h"

uint32_t heap_metric_in(const struct profile *profile, enum heap_area area,
                        enum heap_metric metric) {
  for (size_t i = 0; i < profile->metric_count; i++)
    if (profile->metrics[i].kind == METRIC_HEAP &&
        strcmp(profile->metrics[i].name, heap_metric_name(area, metric)) == 0)
      return (uint32_t)i;
  return NOTHING;
}

uint32_t heap_metric_of(const struct profile *profile, enum heap_metric metric) {
  return heap_metric_in(profile, HEAP_OF_MALLOC, metric);
}

enum heap_area heap_area_of(enum heap_owner by) {
  return by == HEAP_BY_POOL      ? HEAP_OF_POOLS
         : by == HEAP_BY_MAPPING ? HEAP_OF_MAPPINGS
         : by == HEAP_BY_CLOSURE ? HEAP_OF_CLOSURES
                                 : HEAP_OF_MALLOC;
}

uint32_t *heap_kinds_named(const struct profile *profile) {
  struct map known = {0};
  uint32_t *first = memory_zeroed(profile->kind_count + 1, sizeof *first);
  for (uint32_t i = 0; i < profile->kind_count; i++) {
    const struct profile_kind *kind = &profile->kinds[i];
    first[i] =
        kind->name ? map_find_or_add(&known, (uintptr_t)kind->name, kind->basis, i) : NOTHING;
  }
  first[profile->kind_count] = NOTHING;
  map_free(&known);
  return first;
}

static uint32_t *kinds_sized(const struct profile *profile) {
  struct map known = {0};
  uint32_t *first = memory_zeroed(profile->kind_count + 1, sizeof *first);
  for (uint32_t i = 0; i < profile->kind_count; i++) {
    uint64_t least = profile->kinds[i].least;
    first[i] = least == UINT64_MAX ? NOTHING : map_find_or_add(&known, least, 0, i);
  }
  first[profile->kind_count] = NOTHING;
  map_free(&known);
  return first;
}

struct cost_list {
  struct heap_cost *costs;
  size_t count;
  struct map by_owner;
};

static struct heap_cost *cost_of(struct cost_list *list, uint32_t owner) {
  uint32_t id = map_find_or_add(&list->by_owner, owner, 0, (uint32_t)list->count);
  if (id == list->count) {
    ARRAY_GROW(list->costs, list->count);
    list->costs[list->count++] =
        (struct heap_cost){.of = owner, .least = UINT64_MAX, .most = UINT64_MAX};
  }
  return &list->costs[id];
}

/* To which site, kind or size a tick's cost is added. */
struct owners {
  const struct profile *profile;
  enum heap_area area;
  bool *passed;    /* by function; or null */
  uint32_t *kinds; /* by kind */
};

static uint32_t owner_of(const struct owners *owners, const struct profile_tick *tick) {
  const struct profile *profile = owners->profile;
  if (owners->passed) return allocation_place(profile, tick, owners->passed).line;
  return owners->kinds[tick->kind == NOTHING ? profile->kind_count : tick->kind];
}

/* Widens the range of sizes by that of a kind of block. */
static void take_sizes(struct heap_cost *cost, const struct profile_kind *kind) {
  bool first = !cost->cost[HEAP_ALLOCATIONS].raw_ns;
  uint64_t least = kind ? kind->least : UINT64_MAX, most = kind ? kind->most : UINT64_MAX;
  bool known = least != UINT64_MAX && (first || cost->least != UINT64_MAX);
  cost->least = !known ? UINT64_MAX : first || least < cost->least ? least : cost->least;
  cost->most = !known ? UINT64_MAX : first || most > cost->most ? most : cost->most;
}

static void take_ticks(struct cost_list *list, const struct owners *owners, enum heap_metric of,
                       const bool *selected) {
  uint32_t id = heap_metric_in(owners->profile, owners->area, of);
  if (id == NOTHING) return;
  const struct profile_metric *metric = &owners->profile->metrics[id];
  for (size_t i = 0; i < metric->tick_count; i++) {
    const struct profile_tick *tick = &metric->ticks[i];
    if (!selected[tick->context]) continue;
    struct heap_cost *cost = cost_of(list, owner_of(owners, tick));
    if (of == HEAP_ALLOCATIONS && tick->amount.raw_ns)
      take_sizes(cost, tick->kind == NOTHING ? NULL : &owners->profile->kinds[tick->kind]);
    cost->cost[of] = amount_sum(cost->cost[of], tick->amount);
  }
}

/* Leaves out rows that are all 0: a name has such ticks if all its blocks were named again. */
static size_t without_empty(struct cost_list *list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    const struct amount *cost = list->costs[i].cost;
    bool empty = true;
    for (int metric = 0; metric < HEAP_METRIC_COUNT; metric++)
      empty = empty && !cost[metric].raw_ns && !cost[metric].ticks;
    if (!empty) list->costs[kept++] = list->costs[i];
  }
  return kept;
}

struct heap_cost *heap_costs_make(const struct profile *profile, const struct selection *selection,
                                  enum heap_owner by, size_t *count) {
  struct cost_list list = {0};
  struct owners owners = {.profile = profile, .area = heap_area_of(by)};
  *count = 0;
  if (heap_metric_in(profile, owners.area, HEAP_ALLOCATIONS) == NOTHING) return NULL;
  if (by == HEAP_BY_SITE) owners.passed = allocation_passes(profile, selection);
  if (by == HEAP_BY_SIZE) owners.kinds = kinds_sized(profile);
  if (by != HEAP_BY_SITE && by != HEAP_BY_SIZE) owners.kinds = heap_kinds_named(profile);
  bool *selected = costs_select(profile, selection);
  for (int metric = 0; metric < HEAP_METRIC_COUNT; metric++)
    take_ticks(&list, &owners, metric, selected);
  free(owners.passed);
  free(owners.kinds);
  free(selected);
  map_free(&list.by_owner);
  *count = without_empty(&list);
  return list.costs;
}

struct estimate heap_estimate(const struct profile *profile, enum heap_metric metric) {
  uint32_t id = heap_metric_of(profile, metric);
  if (id == NOTHING) return (struct estimate){.uncertainty_ns = UNCERTAINTY_UNKNOWN};
  struct profile view = metric_view(profile, id);
  struct books books;
  books_make(&view, &books);
  return books_estimate(&books, books.all);
}

struct profile_heap heap_sums(const struct profile *profile, size_t *processes) {
  struct profile_heap sums = {.mean = heap_mean(profile)};
  *processes = 0;
  for (size_t i = 0; i < profile->process_count; i++) {
    const struct profile_heap *heap = &profile->processes[i].heap;
    if (!heap->recorded) continue;
    ++*processes;
    sums.recorded = true;
    sums.allocations += heap->allocations;
    sums.allocated += heap->allocated;
    sums.frees += heap->frees;
    sums.freed += heap->freed;
    sums.unknown_frees += heap->unknown_frees;
    sums.early_frees += heap->early_frees;
    sums.dropped += heap->dropped;
    sums.mappings_lost += heap->mappings_lost;
    sums.stackless += heap->stackless;
    sums.unnamed += heap->unnamed;
    sums.peak += heap->peak;
    sums.peak_within += heap->peak_within;
    if (!sums.peak_ns) sums.peak_ns = heap->peak_ns;
  }
  return sums;
}
