/* Sums of what a program allocates: by the place of the allocation (allocation_place.h), by kind or
 * by size of the blocks. */
#ifndef ASCRIBE_ATTRIBUTION_HEAP_COSTS_H
#define ASCRIBE_ATTRIBUTION_HEAP_COSTS_H

#include "attribution/books.h"
#include "attribution/costs.h"

enum heap_owner {
  HEAP_BY_SITE,
  HEAP_BY_KIND,
  HEAP_BY_SIZE,
  HEAP_BY_POOL,
  HEAP_BY_MAPPING,
  HEAP_BY_CLOSURE
};

/* Which memory is listed by such owners: the heap, pools, mappings or closures. */
enum heap_area heap_area_of(enum heap_owner by);

struct heap_cost {
  uint32_t of; /* a line; or a kind of profile->kinds, which stands for those of its name and basis,
                  or those of its size; NOTHING: not known */
  struct amount cost[HEAP_METRIC_COUNT]; /* raw_ns is the amount; of HEAP_LIVE ticks are blocks */
  uint64_t least, most; /* bytes that a block has, by classes of sizes; UINT64_MAX: not known */
};

/* Of what is selected (null: all), in no order. The array is the caller's; null without a heap. */
struct heap_cost *heap_costs_make(const struct profile *profile, const struct selection *selection,
                                  enum heap_owner by, size_t *count);

/* By kind of the profile, and for NOTHING behind them: the first one of the same name and basis,
 * or, of those without a name, NOTHING. The array is the caller's. */
uint32_t *heap_kinds_named(const struct profile *profile);

/* The metric of the profile that this is; NOTHING: its heap was not recorded, or the area has
 * nothing. */
uint32_t heap_metric_of(const struct profile *profile, enum heap_metric metric);
uint32_t heap_metric_in(const struct profile *profile, enum heap_area area,
                        enum heap_metric metric);

/* All of it, with its interval. Unknown uncertainty: the profile does not have it. */
struct estimate heap_estimate(const struct profile *profile, enum heap_metric metric);

/* What all processes together allocated. `processes` goes to how many of them that is known. */
struct profile_heap heap_sums(const struct profile *profile, size_t *processes);

#endif
