/* Where sampled stacks and counted calls disagree about the caller.
 *
 * Calls that were counted at their sites stand beside times of stacks. A caller that left by a tail
 * call, and could not be put back, is in no stack; where the compiler made one call instruction of
 * several, the stack names one caller of all; code without counters has calls that count as
 * spontaneous. Then a callee's time is on an arc that has no calls, so of its arcs with calls but
 * without time it is not known that they took none. */
#ifndef ASCRIBE_ATTRIBUTION_SPLIT_ARCS_H
#define ASCRIBE_ATTRIBUTION_SPLIT_ARCS_H

#include "attribution/costs.h"

/* Mark what is not known: arcs' costs, functions' totals. */
void split_arcs_find(const struct profile *profile, struct costs *costs);

#endif
