/* What the headers of a recording say of its processes. */
#ifndef ASCRIBE_ATTRIBUTION_PROCESS_FIGURES_H
#define ASCRIBE_ATTRIBUTION_PROCESS_FIGURES_H

#include "profile/profile.h"

/* All processes, in the recording's order, without names: those are strings of a pool. The array is
 * the caller's. */
struct profile_process *process_figures_make(const struct recording *recording);

/* Nanoseconds in a cycle of the process's time-stamp counter; 0: not known. */
double figures_cycle_ns(const struct recording_header *header);

#endif
