/* CPU time by a POSIX timer of each thread, where perf events are refused.  The kernel looks at it
 * at its own ticks only, and sends SIGPROF. */
#include <signal.h>
#include <time.h>

#include "runtime/arch/processor.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/clocks.h"
#include "runtime/ticks/handler_time.h"
#include "runtime/ticks/tick.h"
#include "runtime/ticks/time_clock.h"

static char ours; /* its address is how the handler knows its own */

/* ---- timers ---- */

static bool make_timer(struct thread_state *thread) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
  event.sigev_value.sival_ptr = &ours;
  event._sigev_un._tid = (int)thread->record->tid;
  int timer = -1;
  if (system_failed(
          system_call3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)&event, (long)&timer)))
    return false;
  thread->timer = timer;
  return true;
}

/* One tick after so much time, and then again and again after `again_ns`. 0: none any more. */
static bool set(const struct thread_state *thread, uint64_t ns, uint64_t again_ns) {
  struct itimerspec next = {
      .it_interval = {(time_t)(again_ns / 1000000000u), (long)(again_ns % 1000000000u)},
      .it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
  if (thread->timer >= 0) system_call4(SYS_timer_settime, thread->timer, 0, (long)&next, 0);
  return thread->timer >= 0;
}

static bool is_tick(const siginfo_t *info) {
  return info->si_code == SI_TIMER && info->si_value.sival_ptr == &ours;
}

/* ---- ticks ---- */

/* What a tick was late by are periods that it stands for too. */
static uint64_t weight_of(struct thread_state *thread, uint64_t now, const siginfo_t *info) {
  uint64_t period = time_clock_mean();
  uint64_t ns = now > thread->ticked_ns ? now - thread->ticked_ns : period;
  if (!now) ns = period * (1 + (uint64_t)info->si_overrun); /* the clock may not be asked */
  return handler_left_out(thread, ns);
}

static void charge(struct tick *tick) {
  uint64_t periods = (tick->weight + time_clock_mean() / 2) / time_clock_mean();
  tick->thread->record->lost += periods ? periods - 1 : 0;
  tick_charge(tick);
}

static bool on_signal(siginfo_t *info, void *machine) {
  struct thread_state *thread = threads_current();
  if (!thread || thread->timer < 0) return true;
  uint64_t now = system_clock(CLOCK_THREAD_CPUTIME_ID);
  bool wanted = tick_is_wanted(thread);
  if (!wanted || !handler_passes_over(thread, 0)) {
    struct tick tick = {.thread = thread, .machine = machine};
    tick.in_kernel = interrupted_in_call(machine);
    tick.weight = weight_of(thread, now, info);
    if (wanted) charge(&tick);
    if (now) thread->ticked_ns = now;
  }
  if (clock_use() == CLOCK_FREE) set(thread, time_clock_next(thread), 0);
  return true;
}

/* ---- the clock ---- */

static bool start(struct recording_header *header, const struct ticks_wanted *wanted) {
  if (!time_clock_is_wanted(wanted)) return false;
  clock_signals_install(SIGPROF, on_signal, is_tick);
  time_clock_start(header, wanted->rate_hz);
  header->tick_source = TICK_TIMER;
  header->tick_flags &= ~TICK_USER_ONLY; /* they run in the kernel too */
  return true;
}

static bool start_thread(struct thread_state *thread) {
  time_clock_start_thread(thread);
  return clock_signals_install(SIGPROF, on_signal, is_tick) && make_timer(thread) &&
         set(thread, thread->events[0].period, 0);
}

static void stop_thread(struct thread_state *thread) {
  if (thread->timer >= 0) system_call3(SYS_timer_delete, thread->timer, 0, 0);
  thread->timer = -1;
}

static bool rearm(struct thread_state *thread, uint64_t period) {
  return set(thread, period, 0);
}

static void hold(struct thread_state *thread) {
  set(thread, 0, 0);
}

/* Of the other thread, `self` draws the period: random numbers are its own. */
static void missed(struct thread_state *thread, struct thread_state *self) {
  set(thread, time_clock_next(self), 0);
}

static void settle(struct thread_state *thread, enum clock_use use) {
  uint64_t ns = use == CLOCK_STOPPED ? 0 : time_clock_mean();
  set(thread, ns, use == CLOCK_SETTLED ? ns : 0);
}

const struct clock timer_clock = {
    .of_time = true,
    .start = start,
    .start_thread = start_thread,
    .stop_thread = stop_thread,
    .rearm = rearm,
    .hold = hold,
    .missed = missed,
    .settle = settle,
};
