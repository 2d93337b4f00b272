/* The events on the threads that are measured. What these start inherits them. */
#ifndef ASCRIBE_OUTSIDE_TARGET_H
#define ASCRIBE_OUTSIDE_TARGET_H

#include <stddef.h>

#include "base/hash_index.h"
#include "outside/event.h"
#include "outside/ring_set.h"

struct target_event {
  int descriptor; /* -1: closed */
  int cpu;
  uint32_t tid; /* that it was opened for */
  uint64_t id;
};

struct target {
  struct target_event *events;
  size_t count;
  struct hash_index by_id;
};

/* Measure a thread on every CPU; what is delivered goes to the rings.  0; 1: the thread is gone; -1
 * (error set): it is not permitted, or there is no room. */
int target_add(struct target *target, const struct event *event, uint32_t tid,
               const struct ring_set *rings, struct error *error);

/* A thread for which events were opened (from target->events[first] on) has a tick of event `id`.
 * If that is not one of them, it has inherited it, and would have each tick on that CPU twice: then
 * its own event there is closed. */
void target_note(struct target *target, uint32_t tid, uint32_t first, uint64_t id);

/* No ticks from now on. What all events have done until then. */
struct event_sums target_stop(const struct target *target);

void target_close(struct target *target);

#endif
