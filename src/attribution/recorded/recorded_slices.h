/* The slices of a recorded process, in the profile. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_SLICES_H
#define ASCRIBE_ATTRIBUTION_RECORDED_SLICES_H

#include "profile/profile.h"

/* Add those of the process that is profile->processes' last one; returns the id of the first. */
uint32_t recorded_slices_add(struct profile *profile, const struct process_recording *process);

#endif
