#include "runtime/ticks/time_clock.h"

#include "runtime/ticks/pauses.h"
#include "runtime/ticks/period.h"

static uint64_t mean_ns;

bool time_clock_is_wanted(const struct ticks_wanted *wanted) {
  return wanted->rate_hz && !wanted->events.list[0].chosen;
}

void time_clock_start(struct recording_header *header, uint32_t rate_hz) {
  mean_ns = header->period_ns = 1000000000u / rate_hz;
  period_start(0, mean_ns, rate_hz, false);
}

uint64_t time_clock_mean(void) {
  return mean_ns;
}

uint64_t time_clock_next(struct thread_state *thread) {
  if (clock_use() != CLOCK_FREE) return mean_ns;
  return pauses_on() ? pauses_period_ns() : period_next(thread, 0);
}

void time_clock_start_thread(struct thread_state *thread) {
  bool jittered = !pauses_on() && clock_use() == CLOCK_FREE;
  period_begin(thread, 0, jittered ? 0 : time_clock_next(thread));
}
