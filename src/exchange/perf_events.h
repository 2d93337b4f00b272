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

/* The profile of all events, of which `wanted` is the first metric, or without that the one that is
 * most like time. Everything else is freed, also on failure. Returns -1 with the error set when
 * there is none. */
int perf_events_finish(struct perf_events *events, const char *wanted, struct profile **profile,
                       struct error *error);

/* What a period of an event is: null for nanoseconds, else a name for struct profile_metric. */
const char *perf_event_unit(struct pool *pool, const char *event);

#endif
