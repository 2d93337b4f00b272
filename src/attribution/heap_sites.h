/* Where a program allocates: the innermost line of each stack that is not of a library's allocator,
 * of C++'s own library, or of a wrapper. */
#ifndef ASCRIBE_ATTRIBUTION_HEAP_SITES_H
#define ASCRIBE_ATTRIBUTION_HEAP_SITES_H

#include "attribution/books.h"
#include "attribution/costs.h"

struct heap_site {
  uint32_t line;                         /* its function and place */
  struct amount cost[HEAP_METRIC_COUNT]; /* raw_ns is the amount; of HEAP_LIVE ticks are blocks */
};

/* Of what is selected (null: all), in no order. The array is the caller's; null without a heap. */
struct heap_site *heap_sites_make(const struct profile *profile, const struct selection *selection,
                                  size_t *count);

/* The metric of the profile that this is; NOTHING: its heap was not recorded. */
uint32_t heap_metric_of(const struct profile *profile, enum heap_metric metric);

/* All of it, with its interval. Unknown uncertainty: the profile does not have it. */
struct estimate heap_estimate(const struct profile *profile, enum heap_metric metric);

/* What all processes together allocated. `processes` goes to how many of them that is known. */
struct profile_heap heap_sums(const struct profile *profile, size_t *processes);

#endif
