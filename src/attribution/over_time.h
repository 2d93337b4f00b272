/* A run, or a part of it, cut into parts of equal length: how much of a metric came in each part,
 * and from which functions, cost centres, kinds of memory or threads. */
#ifndef ASCRIBE_ATTRIBUTION_OVER_TIME_H
#define ASCRIBE_ATTRIBUTION_OVER_TIME_H

#include "attribution/costs.h"

/* What the amount of a part is shared out to. */
enum time_owners { TIME_OF_FUNCTIONS, TIME_OF_CENTRES, TIME_OF_THREADS, TIME_OF_KINDS };

struct over_time {
  uint64_t first_ns, length_ns; /* when the first begins; of each, but the last may be shorter */
  uint64_t end_ns;              /* of the last */
  size_t count;
  enum time_owners by;
  size_t owner_count; /* functions, threads; cost centres or kinds, and behind them what has none */
  uint32_t *kinds;    /* by kind: the one that stands for it (heap_kinds_named) */
  uint64_t *of_owners; /* raw amounts (profile/tick_rows.h): by part, then by owner */
  uint64_t *of_parts;  /* raw */
  uint64_t *cpu_ns;    /* as the kernel counts it; all 0: not known, or something was selected */
};

/* For the profile's first metric, which must have been loaded with its series (store_load_series).
 * Amounts are what was measured within the part; of a level (metric_is_level), such as live memory,
 * what it was when the part ended. A part is as long as four slices or more, and there are at most
 * `parts_most`. False: the profile does not know the metric by time; then there is nothing to free.
 */
bool over_time_make(const struct profile *profile, const struct selection *selection,
                    enum time_owners by, size_t parts_most, struct over_time *made);
void over_time_free(struct over_time *made);

/* Its name; a thread without one has its number. In `pool`, or the profile's. */
const char *over_time_owner(const struct profile *profile, const struct over_time *times,
                            uint32_t owner, struct pool *pool);

#endif
