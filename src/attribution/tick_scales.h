/* Ticks of a process are to stand for its own CPU time: what one lacks by chance is not another's.
 */
#ifndef ASCRIBE_ATTRIBUTION_TICK_SCALES_H
#define ASCRIBE_ATTRIBUTION_TICK_SCALES_H

#include "attribution/profile.h"

/* By process of the recording: what the period of each of its ticks is multiplied by.  `figures`:
 * their processes, whose user and system time is mended here (books.h, struct process_time).  Those
 * with few ticks have one factor together: alone, their ticks would not tell it. The array is the
 * caller's. */
double *tick_scales_make(const struct recording *recording, struct profile_process *figures);

#endif
