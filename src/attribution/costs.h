/* From contexts to the costs of functions, arcs and call sites.
 * Source: Spivey, "Fast, accurate call graph profiling", "Presenting the results". */
#ifndef ASCRIBE_ATTRIBUTION_COSTS_H
#define ASCRIBE_ATTRIBUTION_COSTS_H

#include <stdbool.h>

#include "profile/cost_figures.h"
#include "profile/profile.h"

/* What counts. */
struct selection {
  const uint32_t *focus; /* functions: contexts in which one of them is active; none: all */
  size_t focus_count;
  uint32_t thread;       /* or NOTHING: all */
  const bool *processes; /* by process: those of its threads count; null: all */
  const bool *wrappers;  /* by function: it allocates for its callers; null: none */
};

/* Selection null: everything.  A profile with given figures (given.h) has no contexts to select
 * from: the result is what was given.  Memory is charged to where it was allocated, as if stacks
 * ended there (allocation_place.h).  The result is the caller's, to be freed with costs_free. */
struct costs *costs_compute(const struct profile *profile, const struct selection *selection);

/* The same, charging the callers of the functions that are `passed` (null: none), of any metric. */
struct costs *costs_compute_past(const struct profile *profile, const struct selection *selection,
                                 const bool *passed);

/* Whether everything counts; null: it does. */
bool costs_selects_all(const struct selection *selection);

/* Whether a thread counts. */
bool costs_thread_selected(const struct profile *profile, const struct selection *selection,
                           uint32_t thread);

/* By context: whether it counts. The array is the caller's. */
bool *costs_select(const struct profile *profile, const struct selection *selection);

/* True if the function's total is known: not for code without hooks that only ticks have found,
 * which may have called back, but where the stacks of all ticks are known. */
bool costs_total_known(const struct profile *profile, const struct costs *costs, uint32_t function);

/* The same of a line: where the stacks of all ticks are known, but above main. */
bool costs_line_total_known(const struct profile *profile, const struct costs *costs, size_t line);

/* True if calls of the arc are known: not where the callee is code without hooks, nor where only
 * stacks tell of an arc: calls are known by their sites, or the caller is code without hooks or was
 * inlined. */
bool arc_counted(const struct profile *profile, const struct arc_cost *arc);

/* True if calls of the function, of the arc, are known under the selection. */
bool costs_calls_known(const struct profile *profile, const struct costs *costs, uint32_t function);
bool costs_arc_counted(const struct profile *profile, const struct costs *costs,
                       const struct arc_cost *arc);

#endif
