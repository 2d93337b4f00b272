/* Puts back the functions that tail calls took out of contexts.
 *
 * What is missing is known where the debug information leaves one possible chain of functions
 * between a call and what it reached, and where all calls that lead into a context agree on it.
 * There, and in all contexts below, the missing functions are active too: they get their share of
 * totals and arcs.  Calls that were put back have sites marked as tail calls.  Everywhere else
 * the profile stays as the stack was, and sites whose calls others may have made are in doubt.  No
 * function's calls and no self time change. */
#ifndef ASCRIBE_ATTRIBUTION_TAIL_CALLS_H
#define ASCRIBE_ATTRIBUTION_TAIL_CALLS_H

#include "attribution/tail_calls/tail_chains.h"

/* Change the profile in place. Ids of contexts and sites change. */
void tail_calls_put_back(struct profile *profile, const struct tail_code *code);

#endif
