/* The time in which threads waited, as it was seen from outside (recording/reader.h, struct
 * seen_waits): a metric of the profile, and sums of its processes. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_RECORDED_WAITS_H
#define ASCRIBE_ATTRIBUTION_RECORDED_RECORDED_WAITS_H

#include "attribution/recorded/stack_ticks.h"

struct wait_adder {
  struct profile *profile;
  struct places *places;
  struct stack_frames *frames;
  struct stack_ticks *ticks;
  uint32_t metric; /* 0: none yet */
};

/* Add what was seen of a process to its profile, profile->processes' last one, whose threads begin
 * at `first_thread` and whose slices at `first_slice`; these are cut where nothing ran. Afterwards
 * the places and the frames are of no process. */
void waits_add(struct wait_adder *adder, const struct process_recording *process,
               uint32_t first_thread, uint32_t first_slice);

#endif
