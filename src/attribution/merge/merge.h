/* Profiles of several runs of one program, summed.
 *
 * Functions are matched by object (build-id) and symbol, then, where the builds differ, by symbol
 * and file alone; threads by process, name, start function and order; contexts by thread and
 * history.  All counts and amounts add up, so merging is associative, and commutative but for the
 * order of things.  Processes stay apart, and so do the totals of each run (runs.h); what each
 * function cost in each run is kept of up to four million such figures, how functions, lines and
 * contexts vary over the runs always. */
#ifndef ASCRIBE_ATTRIBUTION_MERGE_H
#define ASCRIBE_ATTRIBUTION_MERGE_H

#include "profile/profile.h"

struct merge;

struct merge *merge_begin(void);

/* Add a profile, which may be freed afterwards.  `name` is for messages.  Refused, with nothing
 * changed, are profiles whose figures do not add up (other units, other ways to measure) and,
 * unless `force`, those of another program. */
int merge_add(struct merge *merge, const struct profile *profile, const char *name, bool force,
              struct error *error);

/* The merged profile, which is the caller's. */
struct profile *merge_finish(struct merge *merge);

/* Free everything without a result. */
void merge_discard(struct merge *merge);

#endif
