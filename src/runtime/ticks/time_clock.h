/* What the clocks of CPU time have in common: their periods. */
#ifndef ASCRIBE_RUNTIME_TIME_CLOCK_H
#define ASCRIBE_RUNTIME_TIME_CLOCK_H

#include "runtime/ticks/tick_clock.h"

/* Whether ticks of CPU time are wanted. */
bool time_clock_is_wanted(const struct ticks_wanted *wanted);

/* The process starts: the mean period is that of `rate_hz`. */
void time_clock_start(struct recording_header *header, uint32_t rate_hz);

/* The mean period, in nanoseconds. */
uint64_t time_clock_mean(void);

/* The thread's first period, into thread->events[0]. */
void time_clock_start_thread(struct thread_state *thread);

/* Its next period: a long one in a pause, to see its end; the mean, once clocks are settled. */
uint64_t time_clock_next(struct thread_state *thread);

#endif
