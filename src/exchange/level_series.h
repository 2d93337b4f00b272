/* Live memory by time, made of a file with samples of it: each tick has its level at the end, and a
 * series of the slices in which the level changed (metric_is_level). */
#ifndef ASCRIBE_EXCHANGE_LEVEL_SERIES_H
#define ASCRIBE_EXCHANGE_LEVEL_SERIES_H

#include "exchange/stack_profile.h"

/* The amount of a tick. */
struct level {
  uint64_t amount;  /* at the last sample that ended */
  uint64_t sampled; /* in the sample at hand */
  bool is_met;      /* that sample has it */
};

/* Live memory in one sample: ticks with their amounts. */
struct level_sample {
  struct level_amount {
    uint32_t tick;
    uint64_t amount;
  } * amounts;
  size_t count;
};

struct level_series {
  struct stack_profile *stacks; /* not owned */
  uint32_t metric, peak;        /* `live`; the same in the sample with most */
  struct level *levels;         /* by tick */
  size_t level_count;
  uint64_t time_ns, sum;            /* of the sample at hand */
  uint32_t *met;                    /* ticks of the sample at hand */
  uint32_t *live;                   /* ticks with an amount at the last sample */
  struct level_sample at_end;       /* the last sample that has stacks */
  struct level_sample at_peak;      /* the one with most of those */
  uint64_t most;                    /* in it */
  struct profile_slice_tick *parts; /* changes, by slice */
  size_t met_count, live_count, part_count;
  bool is_untimed; /* the times of samples are not known in seconds: there is no series */
};

/* Makes that metric `live` and adds `peak`, both counted, in `unit`. */
void level_series_open(struct level_series *series, struct stack_profile *stacks, uint32_t metric,
                       const char *unit);

/* A sample begins, `time_ns` after the process did. Returns -1 if the last sample was later. */
int level_series_begin(struct level_series *series, uint64_t time_ns);

/* In the sample at hand, the stack at hand (stack_profile.h) has this much more. False: the sum
 * would overflow. */
bool level_series_add(struct level_series *series, uint64_t amount);

/* The same of a stack whose tick of the metric `live` is known. */
bool level_series_add_to(struct level_series *series, uint32_t tick, uint64_t amount);

/* The sample at hand is complete: stacks that it lacks have nothing. With `has_stacks` false the
 * stack at hand stands for all, and the sample is in the series only. */
void level_series_end(struct level_series *series, bool has_stacks);

/* The program ended at this time, not with the last sample. */
void level_series_stop(struct level_series *series, uint64_t time_ns);

/* Sets the amounts, which are those of the last sample with stacks, and the series. Before the
 * stacks are finished. */
void level_series_finish(struct level_series *series);

void level_series_free(struct level_series *series);

#endif
