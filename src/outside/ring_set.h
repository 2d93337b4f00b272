/* The ring buffers of all CPUs, read as one stream in the order of time. */
#ifndef ASCRIBE_OUTSIDE_RING_SET_H
#define ASCRIBE_OUTSIDE_RING_SET_H

#include <stdbool.h>

#include "base/error.h"
#include "outside/ring.h"

struct ring_set {
  struct ring *rings; /* by online CPU */
  int count;
  uint32_t stack_bytes; /* of each tick that the buffers have room for */
  bool small;           /* this user may not lock as much memory as the rate would want */
};

/* Buffers for ticks at this rate. 0, or -1 (error set). */
int ring_set_open(struct ring_set *set, uint32_t rate_hz, struct error *error);
void ring_set_close(struct ring_set *set);

/* See what the kernel has written; then records come from ring_set_next. */
void ring_set_look(struct ring_set *set);

/* The ring that holds the oldest record before `limit` (CLOCK_MONOTONIC), or null. The record is
 * ring->next; ring_pass goes on. */
struct ring *ring_set_next(struct ring_set *set, uint64_t limit);

#endif
