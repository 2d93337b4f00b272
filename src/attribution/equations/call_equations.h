/* Which function was called from where, and how often, where only counts of call sites and of
 * functions are known: the equations of a static call graph, solved.
 *
 *   count(site)     = sum of its arcs, one to each function that may be called from there
 *   count(function) = sum of its arcs, one from each site that may call it
 *
 * No arc is negative, so the solutions are the flows of a network: sites give, functions take.
 * Each arc has a least and a most over all of them; where these are equal it is determined, and
 * exact. Where they are not, the estimate is the source's: a site's count in equal parts, or a
 * function's if that is less, one arc after the other, each kept to what those before it leave.
 * Estimates are one solution, all together.
 * Source: Waddell and Ashley, "Visualizing the performance of higher-order programs", section 4,
 * where intervals are given by the counts of an arc's two ends; these are often narrower. */
#ifndef ASCRIBE_ATTRIBUTION_CALL_EQUATIONS_H
#define ASCRIBE_ATTRIBUTION_CALL_EQUATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define COUNT_UNBOUNDED UINT64_MAX

/* A call site or a function, and how often it was executed: known where the two are equal; any
 * count (0 to COUNT_UNBOUNDED) of all callers together that the analysis does not see. */
struct call_node {
  uint64_t least, most;
};

struct call_arc {
  uint32_t site, function; /* given: indices; an arc is given once */
  bool fixed;              /* given: the user says that it is `value` */
  uint64_t value;
  uint64_t least, most; /* found; most may be COUNT_UNBOUNDED */
  uint64_t estimate;    /* found; least, if unbounded */
};

/* Owned by the caller. */
struct call_equations {
  struct call_node *sites, *functions;
  struct call_arc *arcs;
  uint32_t site_count, function_count, arc_count;
};

/* Where counts that contradict each other were met, to be named by who knows the names. */
struct call_conflict {
  enum { CONFLICT_SITE, CONFLICT_FUNCTION, CONFLICT_FIXED } kind;
  uint32_t index; /* of the site, function or arc */
  uint64_t count; /* what is said of it */
  uint64_t fits;  /* at most this much fits the rest; of a fixed arc the nearest */
};

/* Lowers `least` to 0 where no solution has as much, so that there is one: such a count is believed
 * to be no more than the most. Returns how many were lowered. */
uint32_t call_equations_relax(struct call_equations *equations);

/* Fills in the arcs. -1 where no solution exists; *conflict then says why not, and the arcs are as
 * they were.  All counts together stay below 2^60.  Time: a few searches of the network for each
 * arc. Any thread. */
int call_equations_solve(struct call_equations *equations, struct call_conflict *conflict);

#endif
