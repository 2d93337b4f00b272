/* The ticks of a recording, charged to contexts, lines and instructions of the profile. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_TICKS_H
#define ASCRIBE_ATTRIBUTION_RECORDED_TICKS_H

#include "attribution/recorded/recorded_centres.h"
#include "attribution/recorded/recorded_contexts.h"
#include "attribution/recorded/stack_ticks.h"
#include "attribution/recorded/tick_scales.h"

/* All zeros, but for `places`, `contexts`, `centres` and `stack_ticks.frames`: no ticks yet. */
struct tick_adder {
  struct places *places;
  struct recorded_contexts *contexts; /* of the process at hand */
  struct recorded_centres *centres;   /* the same */
  struct stack_ticks stack_ticks;
  const struct tick_scale *scales; /* of the process at hand, by its thread */
  uint32_t first_slice;            /* of its slices in the profile */
  uint32_t metrics[EVENTS_MOST];   /* of the profile, by measure of the recording's processes */
};

/* Find the metrics, which are made in the profile: before the first process is added. */
void recorded_ticks_open(struct tick_adder *adder, const struct recording *recording);

/* Add the ticks of the process that contexts are of, profile->processes' last one. Those in the
 * runtime go to the `profiler` of the process's measure. */
void recorded_ticks_add(struct tick_adder *adder, const struct tick_scale *scales);

void recorded_ticks_close(struct tick_adder *adder);

#endif
