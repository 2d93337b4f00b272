/* A profile's calls where only counts of functions and of call sites are known: the equations of
 * its call graph, solved.  Each call site (profile->call_places) may have called some functions,
 * each how often is between a least and a most; where these are equal it is exact, else there is an
 * estimate, and all estimates together are one solution.  A site without a caller is all code that
 * has no counts; with an object, it is where that object has the callee inlined: whose calls those
 * were is not known, nor how many, so its least is 0.
 * Source: Waddell and Ashley, "Visualizing the performance of higher-order programs", section 4,
 * and section 6 for values that the user chooses. */
#ifndef ASCRIBE_ATTRIBUTION_POSSIBLE_CALLS_H
#define ASCRIBE_ATTRIBUTION_POSSIBLE_CALLS_H

#include "attribution/costs.h"
#include "attribution/equations/call_equations.h"

/* Fill in profile->possible_calls, and the calls of sites, arcs and direct recursion in
 * profile->given, which has the functions' calls; without given figures, the sites' counts in
 * profile->counts, whose sums are the functions' entries.  Counts that contradict the graph give
 * way.
 * Returns 0; or -1 where fixed values have no solution: *conflict then has the first such call
 * (kind CONFLICT_FIXED, index in possible_calls), and nothing has changed.  Or where the counts are
 * more than 2^58 together: then the index is NOTHING. */
int possible_calls_solve(struct profile *profile, struct call_conflict *conflict);

/* Of costs that were computed from all of a profile: each arc's least and most calls.  Functions
 * that call others by such arcs have no total: who called says nothing of time. */
void possible_calls_limit(const struct profile *profile, struct costs *costs);

/* The calls at this site of the profile are `value` from now on, or what they were; all others are
 * found anew.  -1 as above, also where the site is none of the equations' (conflict->index is
 * NOTHING then). */
int possible_calls_fix(struct profile *profile, uint32_t site, uint64_t value,
                       struct call_conflict *conflict);
int possible_calls_unfix(struct profile *profile, uint32_t site, struct call_conflict *conflict);

/* By site of the profile: its possible call, or null. Null without equations. The array is the
 * caller's. */
const struct profile_possible_call **possible_calls_by_site(const struct profile *profile);

/* How many functions have more entries than the known call sites allow. */
uint32_t possible_calls_contradictions(const struct profile *profile);

#endif
