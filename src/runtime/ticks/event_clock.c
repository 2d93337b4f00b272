/* What --event names: each tick stands for the events of its own period, whose mean follows how
 * often they come. No other clock can replace it. */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>

#include "runtime/arch/processor.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/clocks.h"
#include "runtime/ticks/handler_time.h"
#include "runtime/ticks/pauses.h"
#include "runtime/ticks/perf_event.h"
#include "runtime/ticks/period.h"
#include "runtime/ticks/sigtrap.h"
#include "runtime/ticks/tick.h"
#include "runtime/ticks/tick_table.h"

#define FIRST_PERIOD 100000 /* of events that the processor counts */

static unsigned events; /* how many kinds of ticks a thread has */

/* ---- ticks ---- */

/* The events of a thread since the last time; those in pauses are in no sum.  Where the program has
 * closed the descriptor: the period, after which a tick comes, but for the first after a change. */
static uint64_t take_events(struct thread_state *thread, unsigned number) {
  struct thread_event *event = &thread->events[number];
  uint64_t before = event->counted;
  if (!perf_event_count(thread, number, &event->counted)) return event->period;
  uint64_t taken = event->counted - before;
  if (thread->paused) return taken;
  if (number)
    tick_table_count(thread, number, taken);
  else
    __atomic_fetch_add(&storage_header()->events_counted, taken, __ATOMIC_RELAXED);
  return taken;
}

static uint64_t next_period(struct thread_state *thread, unsigned number) {
  return clock_use() == CLOCK_FREE ? period_next(thread, number) : thread->events[number].period;
}

static void handle(struct tick *tick) {
  struct thread_state *thread = tick->thread;
  struct thread_event *event = &thread->events[tick->event];
  tick->weight = take_events(thread, tick->event);
  tick->in_kernel = interrupted_in_call(tick->machine);
  bool wanted = tick_is_wanted(thread);
  if (wanted && (tick->event || !handler_passes_over(thread, tick->weight))) {
    event->ticks++;
    if (!tick->event) tick->weight += handler_passed(thread);
    tick_charge(tick);
  }
  period_follow(thread, tick->event);
  if (!wanted || period_is_over(event))
    perf_event_renew(thread, tick->event, next_period(thread, tick->event));
  event->begins = false;
}

static bool on_signal(siginfo_t *info, void *machine) {
  struct tick tick = {
      .thread = threads_current(), .event = perf_event_of(info), .machine = machine};
  /* Its end or beginning was missed. */
  if (tick.thread && tick.thread->record->live) handle(&tick);
  return true;
}

/* ---- the clock ---- */

static uint64_t mean_at_first(const struct perf_measure *measure, uint32_t rate_hz) {
  if (perf_measure_is_cpu_time(measure)) return 1000000000u / rate_hz;
  return measure->type == PERF_TYPE_SOFTWARE ? 1 : FIRST_PERIOD;
}

static bool start(struct recording_header *header, const struct ticks_wanted *wanted) {
  const struct perf_measure *list = wanted->events.list;
  if (!wanted->rate_hz || !list[0].chosen) return false;
  long status = sigtrap_is_safe() ? 0 : -EOPNOTSUPP;
  for (unsigned i = 0; i < EVENTS_MOST && list[i].chosen && status == 0; i++) {
    status = perf_event_try(i, list[i], wanted->execs_seen);
    period_start(i, mean_at_first(&list[i], wanted->rate_hz), wanted->rate_hz, true);
    events = i + 1;
  }
  header->tick_errno = (uint32_t)-status;
  if (status || !clock_signals_install(SIGTRAP, on_signal, perf_event_is)) return false;
  header->tick_source = TICK_EVENT;
  header->period_ns = 1;
  return true;
}

static bool start_thread(struct thread_state *thread) {
  bool started = true;
  for (unsigned i = 0; i < events; i++) {
    period_begin(thread, i, pauses_on() ? next_period(thread, i) : 0);
    started = started && perf_event_start(thread, i, thread->events[i].period);
  }
  return true;
}

static void count(struct thread_state *thread) {
  for (unsigned i = 0; i < events; i++)
    if (perf_event_is_armed(thread, i)) take_events(thread, i);
}

static void hold(struct thread_state *thread) {
  perf_event_enable(thread, false);
}

static void go_on(struct thread_state *thread) {
  perf_event_enable(thread, true);
}

static void settle(struct thread_state *thread, enum clock_use use) {
  if (use != CLOCK_SETTLED) perf_event_enable(thread, use == CLOCK_FREE);
}

const struct clock event_clock = {
    .start = start,
    .start_thread = start_thread,
    .stop_thread = perf_event_stop,
    .count = count,
    .hold = hold,
    .go_on = go_on,
    .settle = settle,
    .forget = perf_event_forget,
};
