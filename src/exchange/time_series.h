/* When ticks fell: a metric's series, made of samples that have a time. */
#ifndef ASCRIBE_EXCHANGE_TIME_SERIES_H
#define ASCRIBE_EXCHANGE_TIME_SERIES_H

#include "profile/profile.h"

/* The moment of a delivered tick. */
struct time_sample {
  uint64_t time_ns; /* since the process began */
  uint32_t tick;    /* of the metric */
};

/* All zeros: none. */
struct time_series {
  struct time_sample *samples;
  size_t count;
};

void time_series_add(struct time_series *series, uint64_t time_ns, uint32_t tick);

/* Gives the metric its series, each sample standing for `tick_ns`. Slices that the profile has,
 * from time 0 on, are cut into shorter ones, of which the first keeps what was known of it; without
 * any, its first process gets such from 0 until `end_ns`. */
void time_series_finish(struct time_series *series, struct profile *profile, uint32_t metric,
                        uint64_t tick_ns, uint64_t end_ns);

void time_series_free(struct time_series *series);

#endif
