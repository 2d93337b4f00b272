/* Merging: what its parts share. */
#ifndef ASCRIBE_ATTRIBUTION_MERGE_PARTS_H
#define ASCRIBE_ATTRIBUTION_MERGE_PARTS_H

#include "attribution/merge/merge.h"
#include "base/map.h"
#include "profile/builder.h"

struct merge {
  struct profile *profile;                 /* the sum so far */
  const char *first_name;                  /* of the profile that was added first */
  struct profile_builder builder, centres; /* of profile, of profile->centres */
  struct map build_ids, paths, functions, threads, given_arcs, possible_calls, spreads;
  bool *several_builds;                             /* by object: its build-ids differ */
  size_t given_functions, given_sites, given_lines; /* how many have given figures */
  bool untimed[METRICS_MOST]; /* by metric: some profile does not know it by time */
  bool untimed_entries;       /* of cost centres, too */
  size_t most_run_costs;      /* of more, none are kept... */
  bool costs_dropped;         /* ...and were not */
  bool spreads_unknown;       /* some merged profile does not know how lines vary over its runs */
  uint64_t slice_ns;          /* slices were made as long as this; 0: they are as recorded */
};

/* What the ids of the profile that is being added become. */
struct merge_ids {
  const struct profile *from;
  uint32_t *objects, *functions, *threads, *contexts, *sites, *lines, *stacks, *expansions;
  uint32_t *kinds;
  uint32_t *centre_contexts;
  bool *other_build; /* by object of `from`: matched, but its build is not known to be the same */
  bool folds;        /* two functions of `from` became one */
  uint32_t first_run, first_process, first_slice;
};

static inline uint32_t merged_id(const uint32_t *ids, uint32_t id) {
  return id == NOTHING ? NOTHING : ids[id];
}

/* When all have been added. merge_series_finish comes before the instructions of other builds are
 * forgotten. */
void merge_series_finish(struct merge *merge);
void merge_possible_finish(struct profile *profile);
void merge_runs_finish(struct profile *profile); /* contexts are in their order */

const char *merge_text(struct merge *merge, const char *text);

/* In this order. */
void merge_objects(struct merge *merge, struct merge_ids *ids);
void merge_functions(struct merge *merge, struct merge_ids *ids);
void merge_processes(struct merge *merge, struct merge_ids *ids);
void merge_threads(struct merge *merge, struct merge_ids *ids);
void merge_slices(struct merge *merge, struct merge_ids *ids);
void merge_contexts(struct merge *merge, struct merge_ids *ids);
/* By context of `from`, which has these functions and threads in `to`: the one there. `folds`: two
 * of its functions may be one. The array is the caller's. */
uint32_t *merge_histories(struct profile_builder *to, const struct profile *from,
                          const uint32_t *functions, bool folds, const uint32_t *threads);
void merge_centres(struct merge *merge, struct merge_ids *ids);
void merge_expansions(struct merge *merge, struct merge_ids *ids);
void merge_calls(struct merge *merge, struct merge_ids *ids);
void merge_ticks(struct merge *merge, struct merge_ids *ids);
/* Their parts by time; the arrays say what became of ticks, instructions and transitions of `from`.
 */
void merge_series(struct merge *merge, const struct merge_ids *ids, uint32_t metric,
                  const uint32_t *ticks, const uint32_t *instructions);
void merge_slice_entries(struct merge *merge, const struct merge_ids *ids,
                         const uint32_t *transitions);
void merge_expressions(struct merge *merge, const struct merge_ids *ids);
void merge_given(struct merge *merge, const struct merge_ids *ids);
void merge_possible(struct merge *merge, const struct merge_ids *ids);
void merge_messages(struct merge *merge, const struct merge_ids *ids);
void merge_runs(struct merge *merge, const struct merge_ids *ids);
/* Keeps the series of many runs within a limit. */
void merge_lengthen_slices(struct merge *merge);

#endif
