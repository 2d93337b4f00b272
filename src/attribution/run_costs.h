/* The runs that a merged profile sums, and how they differ. */
#ifndef ASCRIBE_ATTRIBUTION_RUN_COSTS_H
#define ASCRIBE_ATTRIBUTION_RUN_COSTS_H

#include "attribution/costs.h"

/* A profile that was not merged, as one run.  Its strings are the profile's, or last for ever, or
 * are interned in `pool`. */
void runs_make(const struct profile *profile, struct pool *pool, struct profile_run *run);

/* What its functions cost in that run, as run 0: what `costs` says, of the first metric. The array
 * is the caller's. */
struct profile_run_cost *runs_costs(const struct profile *profile, const struct costs *costs,
                                    size_t *count);

/* Which rank of a parallel job a run is, by its processes. */
struct run_rank {
  bool known;
  uint32_t rank, ranks; /* ranks 0: how many there are is not known */
  const char *job;      /* the profile's; null: not known */
};

/* By run; of a profile that was not merged, one. The array is the caller's. */
struct run_rank *runs_ranks(const struct profile *profile);

#endif
