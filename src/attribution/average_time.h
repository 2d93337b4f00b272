/* What gprof would say: its average-time assumption applied to the same data.
 *
 * gprof knows each function's own time and each arc's calls.  It shares the time of a function
 * and all below it among the callers in proportion to their calls, and takes the members of each
 * strongly connected component of the call graph together as one "cycle".  Times of code without
 * hooks stay with the function that was running, so that nothing but the assumption differs.
 * Source: Graham, Kessler, McKusick, "gprof: a call graph execution profiler", sections 3 and 4. */
#ifndef ASCRIBE_ATTRIBUTION_AVERAGE_TIME_H
#define ASCRIBE_ATTRIBUTION_AVERAGE_TIME_H

#include "attribution/components.h"

struct average_time {
  double *total; /* by function, raw ns: self and descendants, as gprof lists it */
  double *arc;   /* by arc, raw ns: what the callee passes to the caller; 0 inside a cycle */
  struct components components;
};

struct average_time *average_time_compute(const struct profile *profile, const struct costs *costs);
void average_time_free(struct average_time *average);

#endif
