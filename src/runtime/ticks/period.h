/* How long until the next tick of a thread: at random between a quarter and seven quarters of the
 * mean, so that nothing runs in step with it.  In nanoseconds of CPU time, where the mean is fixed;
 * or in events, of which nobody knows how often they come: there the mean follows them. */
#ifndef ASCRIBE_RUNTIME_PERIOD_H
#define ASCRIBE_RUNTIME_PERIOD_H

#include "runtime/registry/thread_state.h"

/* For thread->events[event], here and below. `mean`: the mean period; for events (`follows`) the
 * first one, for about `rate_hz` ticks a second. */
void period_start(unsigned event, uint64_t mean, uint32_t rate_hz, bool follows);

/* Owner thread. Signal-safe. */
uint64_t period_next(struct thread_state *thread, unsigned event);

/* Until the first tick: as if the clock had run before the thread began. So each moment of it is as
 * likely to be met as any other, its first too, however short it is.  Sets `stands_for` to the
 * whole period, which the thread began in. */
uint64_t period_first(struct thread_state *thread, unsigned event);

/* A tick came. */
void period_follow(struct thread_state *thread, unsigned event);

#endif
