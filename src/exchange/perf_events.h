/* The events of a perf recording: metrics of one profile. */
#ifndef ASCRIBE_EXCHANGE_PERF_EVENTS_H
#define ASCRIBE_EXCHANGE_PERF_EVENTS_H

#include "exchange/stack_profile.h"

/* A metric has the event's name with its modifiers, "cycles:u"; "samples" where the file names
 * none. */
struct perf_events {
  struct stack_profile stacks; /* from the first event on */
  bool weighed[METRICS_MOST];  /* by metric: its samples have periods */
  uint32_t count;              /* of metrics */
};

/* The event of that name (null: not told), made at its first mention; NOTHING if there are too
 * many. */
uint32_t perf_events_find(struct perf_events *events, const char *name, bool weighed);

/* The profile of all events. Its first metric is `wanted`; null: the one that is most like time.
 * Frees everything else, on failure too. Returns -1 with the error set if the event is missing. */
int perf_events_finish(struct perf_events *events, const char *wanted, struct profile **profile,
                       struct error *error);

/* The unit of an event's periods, as in struct profile_metric; null: nanoseconds. */
const char *perf_event_unit(struct pool *pool, const char *event);

#endif
