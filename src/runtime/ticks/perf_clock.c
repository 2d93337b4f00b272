/* CPU time by perf events (task-clock): the kernel sends SIGTRAP at each period's end, and its log
 * says where periods ended whose signal had to wait. */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>

#include "runtime/arch/processor.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/clocks.h"
#include "runtime/ticks/handler_time.h"
#include "runtime/ticks/perf_event.h"
#include "runtime/ticks/period.h"
#include "runtime/ticks/sigtrap.h"
#include "runtime/ticks/tick.h"
#include "runtime/ticks/time_clock.h"

static bool places_exact; /* the signal comes where its period ended, unless it is blocked */

/* ---- ticks ---- */

/* Periods that ended while a tick was handled would else be charged to the code that goes on after
 * it.  Their signal is still to come, and will find nothing. */
static void leave_out_handler(struct thread_state *thread) {
  struct ended_periods ended;
  if (perf_event_take(thread, 0, 0, &ended))
    handler_left_out(thread,
                     (ended.in_user + ended.in_kernel + ended.lost) * thread->events[0].period);
}

/* The first of the periods may be a thread's first one. */
static uint64_t take_weight(struct thread_state *thread, const struct ended_periods *ended) {
  struct thread_event *event = &thread->events[0];
  uint64_t periods = ended->in_user + ended->in_kernel + ended->lost;
  uint64_t ns = event->stands_for + (periods - 1) * event->period;
  event->stands_for = event->period;
  thread->record->lost += periods - (ended->held > 1 ? ended->held : 1);
  return handler_left_out(thread, ns);
}

static void charge_share(struct tick *tick, uint64_t weight) {
  tick->weight = weight;
  tick_charge(tick);
}

static uint64_t next_held(struct tick *tick, uint64_t interrupted) {
  return perf_event_next_held(tick->thread, 0, interrupted, tick->places);
}

/* The kernel's part and the program's, and what was held back: all may have waited for the signal.
 */
static void charge_periods(struct tick *tick, struct ended_periods *ended) {
  struct thread_state *thread = tick->thread;
  uint64_t periods = ended->in_user + ended->in_kernel;
  uint64_t weight = take_weight(thread, ended);
  if (handler_passes_over(thread, weight)) return;
  weight += handler_passed(thread);
  uint64_t each = weight / periods, here = ended->in_user - ended->held;
  uint64_t rest = weight - each * (periods - 1);
  thread->events[0].ticks++;
  if (ended->in_kernel) {
    tick->in_kernel = true;
    charge_share(tick, ended->in_user ? each * ended->in_kernel : weight);
  }
  tick->in_kernel = false;
  if (here) charge_share(tick, rest + each * (here - 1));
  if (!ended->held) return;
  tick->next_place = next_held;
  tick->places = ended;
  charge_share(tick, each);
}

/* False: none of it was in the kernel. */
static bool handle(struct tick *tick) {
  struct thread_state *thread = tick->thread;
  struct thread_event *event = &thread->events[0];
  struct ended_periods ended;
  bool logged =
      perf_event_take(thread, 0, places_exact ? interrupted_pc(tick->machine) : 0, &ended);
  if (!logged) {
    bool in_kernel = interrupted_in_call(tick->machine);
    ended = (struct ended_periods){.in_user = !in_kernel, .in_kernel = in_kernel};
  }
  bool wanted = tick_is_wanted(thread), any = ended.in_user + ended.in_kernel > 0;
  if (wanted && any) charge_periods(tick, &ended);
  if (!wanted || (any && period_is_over(event)))
    perf_event_renew(thread, 0, time_clock_next(thread));
  event->begins = false;
  leave_out_handler(thread);
  return !logged || ended.in_kernel;
}

static bool on_signal(siginfo_t *info, void *machine) {
  struct tick tick = {.thread = threads_current(), .machine = machine};
  /* Its end or beginning was missed. */
  if (!tick.thread || !tick.thread->record->live) return true;
  return handle(&tick);
}

/* ---- the clock ---- */

static const struct perf_measure cpu_time = {.type = PERF_TYPE_SOFTWARE,
                                             .config = PERF_COUNT_SW_TASK_CLOCK};

static bool start(struct recording_header *header, const struct ticks_wanted *wanted) {
  if (!time_clock_is_wanted(wanted)) return false;
  long status = sigtrap_is_safe() ? perf_event_try(0, cpu_time, wanted->execs_seen) : -EOPNOTSUPP;
  header->tick_errno = (uint32_t)-status;
  if (status || !clock_signals_install(SIGTRAP, on_signal, perf_event_is)) return false;
  uint32_t most = perf_event_rate_most();
  time_clock_start(header, wanted->rate_hz < most ? wanted->rate_hz : most);
  places_exact = sigtrap_spares_calls();
  header->tick_source = TICK_PERF;
  return true;
}

static bool start_thread(struct thread_state *thread) {
  time_clock_start_thread(thread);
  if (perf_event_start(thread, 0, thread->events[0].period)) return true;
  perf_event_stop(thread);
  return false;
}

static bool rearm(struct thread_state *thread, uint64_t period) {
  return perf_event_set_period(thread, 0, period);
}

static void hold(struct thread_state *thread) {
  perf_event_enable(thread, false);
}

static void go_on(struct thread_state *thread) {
  perf_event_enable(thread, true);
}

static void settle(struct thread_state *thread, enum clock_use use) {
  if (use == CLOCK_SETTLED)
    perf_event_renew(thread, 0, time_clock_mean());
  else
    perf_event_enable(thread, use == CLOCK_FREE);
}

const struct clock perf_clock = {
    .of_time = true,
    .start = start,
    .start_thread = start_thread,
    .stop_thread = perf_event_stop,
    .rearm = rearm,
    .hold = hold,
    .go_on = go_on,
    .settle = settle,
    .forget = perf_event_forget,
};
