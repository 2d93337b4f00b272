/* Functions whose own code was never entered, while copies of it that were inlined ran: that they
 * were called 0 times would not be true. */
#ifndef ASCRIBE_ATTRIBUTION_INLINED_ONLY_H
#define ASCRIBE_ATTRIBUTION_INLINED_ONLY_H

#include "profile/profile.h"

/* By function: a copy of it ran that was inlined into another's code, by calls that it made or by
 * ticks. The array is the caller's. */
bool *inlined_that_ran(const struct profile *profile);

/* Calls of functions of which only inlined copies ran become unknown, as those of functions that
 * have no code of their own (FUNCTION_SAMPLED, BODY_INLINED): of those above, and of those that
 * ticks met on stacks, inlined only. To be told of a profile that is complete but for line_counts.
 */
void inlined_only_find(struct profile *profile);

#endif
