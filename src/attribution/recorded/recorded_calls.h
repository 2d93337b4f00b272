/* The calls of a recording, in terms of the profile: transitions between contexts, calls that -pg
 * or counters counted, and their sites. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_CALLS_H
#define ASCRIBE_ATTRIBUTION_RECORDED_CALLS_H

#include "attribution/counts/counters.h"
#include "attribution/recorded/recorded_contexts.h"

/* All zeros, but for the first two: no calls yet. */
struct call_adder {
  struct places *places;
  struct recorded_contexts *contexts; /* of the process at hand */
  struct counter_adder counters;
  /* of the process at hand */
  const struct recorded_functions *functions;
};

/* Add the calls of the process that contexts are of, profile->processes' last one. */
void recorded_calls_add(struct call_adder *adder, const struct recorded_functions *functions);

void recorded_calls_close(struct call_adder *adder);

#endif
