/* A part of a run's time, as a profile of its own. */
#ifndef ASCRIBE_ATTRIBUTION_INTERVAL_H
#define ASCRIBE_ATTRIBUTION_INTERVAL_H

#include "base/error.h"
#include "profile/profile.h"

/* Leave of the profile what was in slices that begin in [from_ns, to_ns), since the first process
 * of the run was started; to_ns UINT64_MAX: to the end. In a merged profile the same part
 * is taken of every run, and the runs' own figures (profile_run) become those of that part.
 * Intervals that follow each other add up, and that of all slices is the profile as it was.
 *
 * The profile keeps the metrics that have slices: what ticks measured, what was allocated, and what
 * was live at the end of the interval.  The heap's peak, calls, and waiting that no look has met
 * have none and are removed, and so are contexts in which no tick is left, unless they alone have
 * some function.  The time of tick handlers and of the runtime is divided in proportion to ticks.
 * Where only user code was sampled, CPU time of the slices beyond the ticks is counted as the
 * kernel's.
 *
 * 0, or -1 with the error set where nothing is known by time, or no slice begins there: then the
 * profile is as it was. */
int interval_take(struct profile *profile, struct profile_interval interval, struct error *error);

/* The same, and of that only what was measured in some contexts: by context, whether it stays;
 * null: all do.  What no function has (the kernel where it was not sampled, time without ticks,
 * Ascribe itself) is not known of a selection and is removed. */
int interval_take_of(struct profile *profile, struct profile_interval interval,
                     const bool *contexts, struct error *error);

/* When the last slice, or the interval that the profile is of, ends. 0: nothing is known by time.
 */
uint64_t interval_last(const struct profile *profile);

#endif
