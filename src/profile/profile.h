/* A profile: what a recording says, in terms of the program's functions instead of addresses.
 *
 * All ids are indices into the arrays here, which builder.h adds to.
 * Contexts keep their histories, so every figure (whole, of one thread, under a focus) is computed
 * from a profile alone: see attribution/costs.h.
 * A profile comes from a recording (attribution/recorded/normalise.h), a file (store/store.h), or
 * another tool's (exchange/import.h). */
#ifndef ASCRIBE_PROFILE_PROFILE_H
#define ASCRIBE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "profile/contexts.h"
#include "profile/functions.h"
#include "profile/kinds.h"
#include "profile/messages.h"
#include "profile/metrics.h"
#include "profile/origin.h"
#include "profile/runs.h"
#include "profile/source.h"
#include "profile/tick_rows.h"
#include "profile/time_slices.h"

struct costs;

struct profile {
  struct pool *pool; /* owns every string and history */
  const char *version;
  struct profile_object *objects;
  struct profile_function *functions;
  struct profile_process *processes;
  struct profile_thread *threads;
  struct profile_context *contexts; /* from a recording: by length */
  struct profile_site *sites;
  struct profile_transition *transitions;
  struct profile_count *counts;
  struct profile_static_arc *static_arcs; /* not in files: static_arcs_find */
  struct profile_line *lines;
  struct profile_stack *stacks;
  struct profile_slice *slices; /* by process, then by time; none: nobody knows when */
  struct profile_mark *marks;   /* by time */
  struct profile_kind *kinds;
  struct profile_metric *metrics; /* at least one */
  struct profile_expression *expressions;
  struct profile_line_count *line_counts; /* by file, line, function (line_counts_compare) */
  struct profile_copy *copies;
  struct profile_expansion *expansions;
  size_t expression_count, line_count_count, copy_count, expansion_count;
  struct profile_message *messages; /* by process */
  size_t message_count;
  struct profile_message_end *message_ends;     /* by process, then as they were posted */
  struct profile_message_delay *message_delays; /* by process */
  size_t message_end_count, message_delay_count;
  struct profile_call_place *call_places;
  struct profile_possible_call *possible_calls;
  size_t call_place_count, possible_call_count;
  size_t object_count, function_count, process_count, thread_count, context_count, site_count,
      transition_count, count_count, line_count, stack_count, slice_count, mark_count, kind_count,
      metric_count, static_arc_count;
  /* Cost centres and their contexts, as if they were functions; null in itself. It has these
   * only: functions (linkage: the centre's module), contexts, transitions without sites, which
   * are entries, and what of these was in which slice. Its pool and its threads are those of the
   * profile. */
  struct profile *centres;
  struct profile_slice_entries *slice_entries; /* of centres; none: nobody knows when */
  size_t slice_entry_count;
  uint32_t metric; /* that figures are asked of: 0, but in a view (metric_view) */
  struct profile_interval interval;
  bool calls_unknown; /* of all contexts: of a part of a run, and of centres that were derived */
  struct profile_origin origin;
  struct costs *given;      /* costs.h, as a file gave them that has no contexts; null: computed */
  uint64_t *process_calls;  /* by process, direct recursion included; null: these, and what measures
                             * have delivered, are the sums of contexts and counts (books.h) */
  struct profile_run *runs; /* that were merged, at least two; none: the profile is one run */
  struct profile_run_cost *run_costs; /* by run, of each by function */
  size_t run_count, run_cost_count;
};

/* An empty one, made by this version. The profile is the caller's, to be freed with profile_free.
 */
struct profile *profile_create(void);
void profile_free(struct profile *profile);

/* One that can be changed alone. Its strings and histories are those of `profile`, which must stay
 * for as long. Not of one with `given` figures. */
struct profile *profile_duplicate(const struct profile *profile);

/* It is one run from now on, in which how several differed is not known. */
void profile_forget_runs(struct profile *profile);

/* How figures vary over runs is not known any more, but by what functions cost in each of them. */
void profile_forget_spreads(struct profile *profile);

/* Whether the object is the process's executable. */
bool process_runs(const struct profile_process *process, const struct profile_object *object);

/* What figures are asked of. */
static inline const struct profile_metric *profile_metric(const struct profile *profile) {
  return &profile->metrics[profile->metric];
}

/* What a context cost itself. */
static inline struct amount context_self(const struct profile *profile, size_t context) {
  return profile_metric(profile)->self[context];
}

/* The line of a stack's row; NOTHING where it has none, or what is there is no code. */
static inline uint32_t profile_stack_line(const struct profile *profile, uint32_t stack) {
  uint32_t line = profile->stacks[stack].line;
  if (line == NOTHING) return NOTHING;
  return function_is_code(profile->functions[profile->lines[line].function].kind) ? line : NOTHING;
}

/* Whether the stacks of all ticks were sampled, so that calls of code without hooks are known. */
bool profile_stacks_known(const struct profile *profile);

#endif
