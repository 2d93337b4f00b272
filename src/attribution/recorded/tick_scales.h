/* Ticks of a process are to stand for its own CPU time, and those of a thread for the thread's:
 * what one lacks is not another's. */
#ifndef ASCRIBE_ATTRIBUTION_TICK_SCALES_H
#define ASCRIBE_ATTRIBUTION_TICK_SCALES_H

#include "profile/profile.h"

struct tick_scale {
  double factor;         /* what the period of each tick is multiplied by */
  uint64_t unsampled_ns; /* CPU time in which ticks are missing, by more than chance explains */
};

/* By process of the recording, by its thread, and one more for ticks that are no thread's.
 * `figures`: their processes, whose user and system time is mended here (books.h, struct
 * process_time), and whose threads' unsampled time is set.  Processes with few ticks have one
 * factor together: alone, their ticks would not tell it.  For tick_scales_free. */
struct tick_scale **tick_scales_make(const struct recording *recording,
                                     struct profile_process *figures);
void tick_scales_free(struct tick_scale **scales, size_t process_count);

#endif
