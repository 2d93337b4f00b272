/* The factor by which most functions' times differ between two profiles: what all of them share,
 * such as another frequency of the processor, is no change of a single one.
 * Source: Anders and Huber, "Differential expression analysis for sequence count data" (2010):
 * the median of ratios. */
#ifndef ASCRIBE_COMPARE_COMMON_FACTOR_H
#define ASCRIBE_COMPARE_COMMON_FACTOR_H

#include "compare/match.h"
#include "compare/spread.h"

/* Sets `ratio` and `common` of the spread, if two thirds of the functions that ticks tell enough of
 * agree with their median, as far as they vary on their own. `functions`: pairs of the profiles'
 * functions; null: they are matched here. 0, or -1 with the reason. */
int common_factor_find(struct workspace *workspace, size_t first, size_t second,
                       const struct entry_pairs *functions, struct spread *spread,
                       struct error *error);

#endif
