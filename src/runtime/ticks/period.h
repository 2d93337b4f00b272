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

/* The first period of a thread begins: one of period_first, or `fixed`, if that is not 0. */
void period_begin(struct thread_state *thread, unsigned event, uint64_t fixed);

/* Whether the tick that came last was the first, or the last that its period serves for: up to
 * SAME_PERIOD of them, as a new one takes a few times as long as a tick's signal does.
 *
 * Six of a quarter to seven quarters of the mean are as good as one: whatever rhythm a program has,
 * the variance of a share is at most 1.15 times what the interval assumes (the greatest value of
 * their spectrum), and 0.86 times on average. With eight it is 1.4 times for long rhythms, with
 * four of a half to one and a half for some short ones. */
#define SAME_PERIOD 6
static inline bool period_is_over(const struct thread_event *event) {
  return event->begins || event->ticks % SAME_PERIOD == 0;
}

/* A tick came. */
void period_follow(struct thread_state *thread, unsigned event);

#endif
