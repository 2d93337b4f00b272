/* The events on the threads that are measured. What these start inherits them. */
#ifndef ASCRIBE_OUTSIDE_TARGET_H
#define ASCRIBE_OUTSIDE_TARGET_H

#include <stddef.h>

#include "outside/event.h"
#include "outside/ring_set.h"

struct target {
  int *descriptors;
  size_t count, room;
};

/* Measure a thread on every CPU; what is delivered goes to the rings.  0; 1: the thread is gone; -1
 * (error set): it is not permitted, or there is no room. */
int target_add(struct target *target, const struct event *event, int tid,
               const struct ring_set *rings, struct error *error);

/* No ticks from now on. What was counted until then, nanoseconds. */
uint64_t target_stop(const struct target *target);

void target_close(struct target *target);

#endif
