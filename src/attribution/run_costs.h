/* The runs that a merged profile sums, and how they differ. */
#ifndef ASCRIBE_ATTRIBUTION_RUN_COSTS_H
#define ASCRIBE_ATTRIBUTION_RUN_COSTS_H

#include "attribution/costs.h"

/* A profile that was not merged, as one run.  Its strings are the profile's, or last for ever, or
 * are interned in `pool`. */
void runs_make(const struct profile *profile, struct pool *pool, struct profile_run *run);

/* What its functions cost in that run, as run 0. The array is the caller's. */
struct profile_run_cost *runs_costs(const struct profile *profile, size_t *count);

/* Which rank of a parallel job a run is, by its processes. */
struct run_rank {
  bool known;
  uint32_t rank, ranks; /* ranks 0: how many there are is not known */
  const char *job;      /* the profile's; null: not known */
};

/* By run; of a profile that was not merged, one. The array is the caller's. */
struct run_rank *runs_ranks(const struct profile *profile);

/* Most / mean: from 1, where all have the same, to the number of runs, where one has it all. */
struct imbalance {
  double ratio;     /* NAN: nobody has any */
  double low, high; /* 95 %, for all runs at once; NAN: the uncertainty of single runs is unknown */
};

/* How a figure of a function varies from run to run; runs without the function have 0. */
struct run_spread {
  double mean, deviation; /* the standard deviation, of n - 1 degrees of freedom */
  uint64_t least, most;
  uint32_t most_run; /* that has the most, the first of several */
  double from_ticks; /* the deviation that the uncertainty of single runs explains; < 0: unknown */
  struct imbalance imbalance;
};

struct function_spread {
  uint32_t function;
  bool total_known; /* in all runs that have the function */
  struct run_spread self, total, calls;
};

/* One entry for each function that cost anything in any run. The caller owns the array. */
struct function_spread *runs_spread(const struct profile *profile, size_t *count);

/* Whether runs differ by more than sampling explains: ticks alone let it look so once in a hundred
 * times. */
bool spread_is_real(const struct run_spread *spread, size_t runs);

/* The 99 % point of chi-square, as Wilson and Hilferty approximate it (The distribution of
 * chi-square, 1931); degrees > 0. */
double chi_square_99(double degrees);

#endif
