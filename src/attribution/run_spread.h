/* How figures vary over the runs that a merged profile sums. */
#ifndef ASCRIBE_ATTRIBUTION_RUN_SPREAD_H
#define ASCRIBE_ATTRIBUTION_RUN_SPREAD_H

#include "attribution/costs.h"

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
  bool calls_known; /* and how total and calls vary was kept */
  struct run_spread self, total, calls;
};

/* One entry for each function that cost anything in any run, in the metric that figures are asked
 * of. Of metrics after the first, and of very many runs (merge.h), only self is known. The caller
 * owns the array. */
struct function_spread *runs_spread(const struct profile *profile, size_t *count);

/* The same of self amounts of lines, or of contexts: those with the most to gain first, if all runs
 * had the mean. The caller owns the array. */
enum spread_of { SPREAD_OF_LINES, SPREAD_OF_CONTEXTS };
struct item_spread {
  uint32_t id;
  struct run_spread self;
};
struct item_spread *runs_item_spread(const struct profile *profile, enum spread_of of,
                                     size_t *count);

/* Whether runs differ by more than sampling explains: ticks alone let it look so once in a hundred
 * times. */
bool spread_is_real(const struct run_spread *spread, size_t runs);

/* The same of one among `count` that are looked at together (Bonferroni's). */
bool spread_is_real_of(const struct run_spread *spread, size_t runs, size_t count);

/* The 99 % point of chi-square, as Wilson and Hilferty approximate it (The distribution of
 * chi-square, 1931); degrees > 0. */
double chi_square_99(double degrees);

/* Sizes of amounts, 16 to an octave: an amount is at most 1 / 32 away from the middle of its size.
 * Small numbers are sizes of their own (HdrHistogram's layout, by G. Tene). */
uint32_t spread_size(uint64_t amount);
uint64_t spread_size_middle(uint32_t size);

/* The amount that this part of the runs, from 0 to 1, do not exceed, as far as sizes tell; runs
 * without the function have 0. Of the metric that figures are asked of. UINT64_MAX: not known. */
uint64_t runs_quantile(const struct profile *profile, uint32_t function, double part);

/* Adds what other runs had. Of what is not known on either side, nothing is known. */
void spread_forget(struct profile_spread *spread);
void spread_add(struct profile_spread *spread, const struct profile_spread *more);
void wide_add_square(struct wide_sum *sum, uint64_t number);

#endif
