/* The kernel's records, one after the other, change the tree of processes. */
#ifndef ASCRIBE_OUTSIDE_RECORD_STREAM_H
#define ASCRIBE_OUTSIDE_RECORD_STREAM_H

#include "outside/process_tree.h"
#include "outside/target.h"

enum { THROTTLES = 64 };

struct record_stream {
  struct process_tree *tree;
  struct target *target;
  uint64_t period_ns;
  uint64_t lost; /* records that had no room, as later records on their CPUs told */
  struct {
    uint64_t event, since_ns;
  } throttled[THROTTLES]; /* by a hash of the event */
};

/* Take a record of any kind, in the order of time. */
void record_stream_take(struct record_stream *stream, const struct perf_event_header *record);

#endif
