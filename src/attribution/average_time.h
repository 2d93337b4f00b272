/* What gprof would say: its average-time assumption applied to the same data.
 *
 * gprof knows each function's own time and each arc's calls.  It shares the time of a function
 * and all below it among the callers in proportion to their calls, and takes the members of each
 * strongly connected component of the call graph together as one "cycle".  Times of code without
 * hooks stay with the function that was running, so that nothing but the assumption differs.
 * Source: Graham, Kessler, McKusick, "gprof: a call graph execution profiler", sections 3 and 4. */
#ifndef ASCRIBE_ATTRIBUTION_AVERAGE_TIME_H
#define ASCRIBE_ATTRIBUTION_AVERAGE_TIME_H

#include "attribution/books.h"
#include "attribution/costs.h"

struct average_time {
  double *total;       /* by function, raw ns: self and descendants, as gprof lists it */
  double *arc;         /* by arc, raw ns: what the callee passes to the caller; 0 inside a cycle */
  uint32_t *component; /* by function: functions with equal numbers are one cycle */
  uint32_t *members;   /* by component: number of its functions */
};

struct average_time *average_time_compute(const struct profile *profile, const struct costs *costs);
void average_time_free(struct average_time *average);

/* A figure for which the assumption misleads: it is off by more than the uncertainty. */
struct misled {
  uint32_t function; /* or NOTHING: an arc */
  uint32_t arc;
  struct estimate truth;
  uint64_t assumed_ns;
  bool in_cycle; /* of the call graph, with other functions */
};

/* All of them, the largest difference first. The list is the caller's. */
struct misled *misled_find(const struct profile *profile, const struct costs *costs,
                           const struct books *books, size_t *count);

#endif
