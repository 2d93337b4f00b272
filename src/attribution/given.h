/* Figures that came from elsewhere: files such as callgrind.out say what functions and arcs cost,
 * but not in which contexts.
 *
 * They stand in profile.given, in the arrays that costs_compute would have made.  The cost of an
 * arc is not split there: it stands in in_child and out_child, and in_self and out_self are 0.
 * Threads are not told apart: there is one. */
#ifndef ASCRIBE_ATTRIBUTION_GIVEN_H
#define ASCRIBE_ATTRIBUTION_GIVEN_H

#include "attribution/costs.h"

/* Empty figures for the functions, sites, lines and threads that the profile has by now; no total
 * is known. The profile owns them, as profile->given. */
struct costs *given_create(struct profile *profile);

/* Of a profile of one process: that it delivered and called what is given. */
void given_sums(struct profile *profile);

/* A copy that is the caller's, to be freed with costs_free. */
struct costs *given_copy(const struct profile *profile);

#endif
