/* The slices of a recorded process, in the profile. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_SLICES_H
#define ASCRIBE_ATTRIBUTION_RECORDED_SLICES_H

#include "profile/profile.h"

/* Add those of the process that is profile->processes' last one; returns the id of the first. */
uint32_t recorded_slices_add(struct profile *profile, const struct process_recording *process);

/* Cut the slices of the last process, which begin with `first`, where slices of `seen` begin that
 * are from another clock, in nanoseconds since the process was started. Ticks, memory and entries
 * of a slice stay in its first piece, which is as long as they may have come in. Returns by slice
 * of `seen` the profile's, for free(); NOTHING: the process has none. */
uint32_t *recorded_slices_cut(struct profile *profile, const struct process_recording *process,
                              uint32_t first, const struct process_recording *seen);

#endif
