/* The events of a perf recording: a profile for each, of which one is chosen. */
#ifndef ASCRIBE_EXCHANGE_PERF_EVENTS_H
#define ASCRIBE_EXCHANGE_PERF_EVENTS_H

#include "exchange/stack_profile.h"

struct perf_event {
  const char *name;     /* with its modifiers: "cycles:u"; "samples" where the file names none */
  bool weighed;         /* its samples have periods */
  uint32_t last_object; /* a cache: that of the last frame, whose name was last_object_name */
  const char *last_object_name;
  struct map functions; /* (symbol, object) -> function; bit 63 of the object: inlined */
  struct stack_profile stacks;
};

enum { MOST_EVENTS = 64 };

struct perf_events {
  struct perf_event list[MOST_EVENTS];
  size_t count;
};

/* The event of that name (null: not told), made at its first mention; null if there are too many.
 */
struct perf_event *perf_events_find(struct perf_events *events, const char *name, bool weighed);

/* The profile of one event: of `wanted`, or without that of the one that is most like time.  All
 * else is freed, also on failure.  Returns -1 with the error set when there is none. */
int perf_events_choose(struct perf_events *events, const char *wanted, struct profile **profile,
                       struct error *error);

/* What a period of an event is: null for nanoseconds, else a name for struct profile_origin. */
const char *perf_event_unit(struct pool *pool, const char *event);

#endif
