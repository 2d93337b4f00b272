#include "runtime/ticks/period.h"

#include "runtime/registry/system.h"

#include <time.h>

#define FOLLOW_AFTER 16 /* ticks */
#define FOLLOW_MOST 8   /* times more or less at once */
#define MEAN_MOST (1ull << 40)

static struct {
  uint64_t mean;
  uint64_t follow_ns; /* what FOLLOW_AFTER ticks should take; 0: the mean is fixed */
} periods[EVENTS_MOST];

void period_start(unsigned event, uint64_t mean, uint32_t rate_hz, bool follows) {
  periods[event].mean = mean;
  periods[event].follow_ns = follows ? FOLLOW_AFTER * 1000000000ull / rate_hz : 0;
}

/* xorshift64: nothing more is asked of it. */
static uint64_t random_number(struct thread_state *thread) {
  uint64_t x = thread->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return thread->random = x;
}

uint64_t period_next(struct thread_state *thread, unsigned event) {
  uint64_t followed = periods[event].follow_ns ? thread->events[event].period_mean : 0;
  uint64_t mean = followed ? followed : periods[event].mean;
  return mean < 4 ? mean : mean / 4 + random_number(thread) % (mean + mean / 2);
}

/* How much of its period is left at a random moment. Longer periods are met more
 * often. */
uint64_t period_first(struct thread_state *thread, unsigned event) {
  uint64_t met, mean = periods[event].mean;
  do
    met = period_next(thread, event);
  while (mean >= 4 && random_number(thread) % (2 * mean) >= met);
  thread->events[event].stands_for = met;
  return 1 + random_number(thread) % met;
}

void period_begin(struct thread_state *thread, unsigned number, uint64_t fixed) {
  struct thread_event *event = &thread->events[number];
  event->counted = 0;
  event->stands_for = fixed;
  event->period = fixed ? fixed : period_first(thread, number);
  event->begins = true;
}

void period_follow(struct thread_state *thread, unsigned event) {
  struct thread_event *of = &thread->events[event];
  uint64_t should_ns = periods[event].follow_ns;
  if (!should_ns || of->ticks % FOLLOW_AFTER) return;
  uint64_t now = system_clock(CLOCK_MONOTONIC), mean = of->period_mean;
  uint64_t took = now - of->followed_ns, share = 16 * took / should_ns;
  if (share < 16 / FOLLOW_MOST) share = 16 / FOLLOW_MOST;
  if (share > 16 * FOLLOW_MOST) share = 16 * FOLLOW_MOST;
  mean = (mean ? mean : periods[event].mean) * 16 / share;
  of->period_mean = mean < 1 ? 1 : mean > MEAN_MOST ? MEAN_MOST : mean;
  of->followed_ns = now;
}
