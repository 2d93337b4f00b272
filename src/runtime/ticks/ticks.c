#include "runtime/ticks/ticks.h"

#include "runtime/arch/processor.h"
#include "runtime/contexts/rows.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/stacks/stacks.h"
#include "runtime/ticks/clocks.h"
#include "runtime/ticks/cpu_time.h"
#include "runtime/ticks/host_clock.h"
#include "runtime/ticks/pauses.h"
#include "runtime/ticks/perf_event.h"
#include "runtime/ticks/period.h"
#include "runtime/ticks/slices.h"
#include "runtime/ticks/tick.h"

#include <stddef.h>
#include <time.h>

/* ns: where an interrupt takes as long as the kernel's own least period, of 10000, nothing else
 * gets done while signals are blocked. */
#define PERIOD_LEAST 20000

#define CLOCK_IN_LIST(name) &name##_clock,
static const struct clock *const clocks[] = {CLOCKS(CLOCK_IN_LIST) NULL};

static const struct clock *const *chosen; /* where the process's stands in the list; or null */

static bool makes_ticks(void) {
  return chosen && (*chosen)->start_thread;
}

void ticks_start(const struct ticks_wanted *wanted) {
  struct recording_header *header = storage_header();
  header->rate_hz = wanted->rate_hz;
  header->tsc_started = time_stamp();
  header->tick_flags |= TICK_USER_ONLY | (stacks_are_sampled() ? TICK_STACKS : 0);
  cpu_time_start();
  slices_start();
  chosen = NULL;
  for (const struct clock *const *clock = clocks; *clock && !chosen; clock++)
    if ((*clock)->start(header, wanted)) chosen = clock;
  if (wanted->rate_hz && (!chosen || makes_ticks())) pauses_start();
}

void ticks_start_child(struct thread_state *inherited) {
  for (; inherited; inherited = inherited->next) {
    const struct clock *clock = inherited->clock;
    if (clock && clock->forget) clock->forget(inherited);
  }
}

/* ---- one thread ---- */

void ticks_start_thread(struct thread_state *thread) {
  cpu_time_start_thread(thread);
  if (!makes_ticks() || clock_use() == CLOCK_STOPPED) return;
  if (pauses_on() != thread->paused) rows_pause(thread, pauses_on());
  for (const struct clock *const *clock = chosen; *clock; clock++) {
    thread->clock = *clock; /* first, as its ticks may come at once */
    if ((*clock)->start_thread(thread)) return;
  }
  thread->clock = NULL;
}

static void count(struct thread_state *thread) {
  const struct clock *clock = thread->clock;
  if (clock && clock->count) clock->count(thread);
}

bool ticks_stop_thread(struct thread_state *thread) {
  count(thread);
  cpu_time_update_thread(thread);
  if (thread->clock) thread->clock->stop_thread(thread);
  thread->clock = NULL;
  return clock_use() == CLOCK_FREE;
}

void ticks_hold(struct thread_state *thread) {
  if (thread->clock) thread->clock->hold(thread);
}

void ticks_go_on(struct thread_state *thread) {
  if (thread->clock && thread->clock->go_on) thread->clock->go_on(thread);
  for (struct thread_state *other = threads_all(); other; other = other->next) {
    const struct clock *clock = other->clock;
    if (clock && clock->missed) clock->missed(other, thread);
  }
}

/* ---- all threads ---- */

static void settle(enum clock_use use) {
  clock_set_use(use);
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    const struct clock *clock = thread->clock;
    if (clock) clock->settle(thread, use);
  }
}

void ticks_settle(bool stop) {
  storage_header()->hindrances |= HINDRANCE_CONFINED | (stop ? HINDRANCE_STOPPED : 0);
  settle(stop ? CLOCK_STOPPED : CLOCK_SETTLED);
  /* Earlier filters may have left no way to stop the clocks themselves. */
  if (stop) clock_signals_shut_out();
}

void ticks_unsettle(void) {
  storage_header()->hindrances &= ~(uint32_t)(HINDRANCE_CONFINED | HINDRANCE_STOPPED);
  settle(CLOCK_FREE);
  clock_signals_let_in();
}

void ticks_finish(void) {
  struct thread_state *self = threads_current();
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    count(thread);
    /* Nothing is known of one that no tick has met. */
    if (thread->record->live && !thread->record->cpu_ticked_ns) cpu_time_look_at_thread(thread);
  }
  if (self) cpu_time_update_thread(self);
  cpu_time_update();
}

/* ---- pauses ---- */

/* As if the clock had run on: however short the time between two pauses is, ticks fall into it as
 * often as it is long. */
static void begin_anew(struct thread_state *thread) {
  const struct clock *clock = thread->clock;
  if (!clock || !clock->rearm || clock_use() != CLOCK_FREE) return;
  uint64_t period = period_first(thread, 0);
  if (period < PERIOD_LEAST) period = PERIOD_LEAST;
  thread->events[0].begins = true;
  thread->ticked_ns = system_clock(CLOCK_THREAD_CPUTIME_ID);
  if (clock->rearm(thread, period)) thread->events[0].period = period;
}

void ticks_pause(bool asked) {
  struct thread_state *thread = threads_current();
  if (thread && host_clock_is_wanted()) host_clock_read(thread);
  if (!pauses_by_program(asked)) return;
  uint64_t signals;
  system_block_signals(&signals);
  if (!thread) {
    pauses_look();
  } else {
    bool paused = thread->paused;
    tick_is_wanted(thread);
    if (paused && !thread->paused) begin_anew(thread);
  }
  system_unblock_signals(&signals);
}
