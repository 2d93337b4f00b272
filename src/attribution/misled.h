/* Where gprof's average-time assumption misleads. */
#ifndef ASCRIBE_ATTRIBUTION_MISLED_H
#define ASCRIBE_ATTRIBUTION_MISLED_H

#include "attribution/books.h"
#include "attribution/costs.h"

/* A figure for which the assumption misleads: it is off by more than the uncertainty. */
struct misled {
  uint32_t function; /* or NOTHING: an arc */
  uint32_t arc;
  struct estimate truth;
  uint64_t assumed_ns;
  bool in_cycle; /* of the call graph, with other functions */
};

/* All of them, the largest difference first; `costs` are those of the selection. The list is the
 * caller's. */
struct misled *misled_find(const struct profile *profile, const struct costs *costs,
                           const struct selection *selection, const struct books *books,
                           size_t *count);

#endif
