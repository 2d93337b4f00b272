/* How often a place in the source was executed at most, as counts of lines or of regions say. */
#ifndef ASCRIBE_ATTRIBUTION_PLACE_COUNTS_H
#define ASCRIBE_ATTRIBUTION_PLACE_COUNTS_H

#include "profile/profile.h"

struct counted_place {
  uint32_t function;
  const char *file;
  uint32_t line, column; /* column 0: not known */
  bool inlined;          /* its code stands in that of another function */
};

struct place_counts {
  const struct profile *profile;
  const struct profile_expression *uses; /* not owned */
  size_t use_count;
  uint32_t *first, *by_function; /* ids of expressions of function f: from first[f] to first[f+1] */
  bool has_columns;              /* regions were counted, not lines */
};

/* `uses` are ranges, as of macros, within which more may have been executed than around them. */
void place_counts_open(struct place_counts *counts, const struct profile *profile,
                       const struct profile_expression *uses, size_t use_count);
void place_counts_close(struct place_counts *counts);

/* No call at the place was executed more often; UINT64_MAX: not known.  Not the executions
 * themselves: a call before it may not have returned, and a line may have several ways through it.
 *
 * Lines: code that was put into another function before lines were counted is counted there, so an
 * inlined place has the sum of all functions that have the line.  Regions are of the source.  What
 * is called at the end of one (destructors) or within a use may be executed as often as anything
 * in the function. */
uint64_t place_counts_most(const struct place_counts *counts, const struct counted_place *place);

#endif
