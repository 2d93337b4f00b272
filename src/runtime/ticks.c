#include "runtime/ticks.h"

#include "runtime/alternate_stack.h"
#include "runtime/calibrate.h"
#include "runtime/cell.h"
#include "runtime/counts.h"
#include "runtime/cpu_time.h"
#include "runtime/cpu_timer.h"
#include "runtime/cycle_counter.h"
#include "runtime/machine.h"
#include "runtime/objects.h"
#include "runtime/pauses.h"
#include "runtime/perf_event.h"
#include "runtime/period.h"
#include "runtime/signals.h"
#include "runtime/sigtrap.h"
#include "runtime/stacks.h"
#include "runtime/storage.h"
#include "runtime/system.h"
#include "runtime/threads.h"
#include "runtime/tick_table.h"
#include "runtime/time_stamp.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <ucontext.h>

/* Ticks with one period. A new one takes a new event (perf_event.h), a few times as long as the
 * signal does. Up to six of a quarter to seven quarters of the mean are as good as
 * one: whatever rhythm a program has, the variance of a share is at most 1.15 times what the
 * interval assumes (the greatest value of their spectrum), and 0.86 times on average. With eight it
 * is 1.4 times for long rhythms, with four of a half to one and a half for some short ones. */
#define SAME_PERIOD 6
#define FIRST_PERIOD 100000         /* of events that the processor counts */
#define HANDLER_CYCLES_MOST 1000000 /* some tenths of a millisecond */
#define TIME_LEFT 8                 /* times what ticks take is the program's, at least */
#define DEBT_MOST 100000000         /* ns that a thread's ticks may take beyond that at once */
#define CYCLES_PER_NS 2             /* of the time-stamp counter, roughly */
/* ns: where an interrupt takes as long as the kernel's own least period, of 10000, nothing else
 * gets done while signals are blocked. */
#define PERIOD_LEAST 20000
/* Looks at the CPU time in a second of a thread's own. Each takes as long as several ticks do. */
#define UPDATES_PER_SECOND 16

extern const char __start_ascribe_text[], __stop_ascribe_text[]; /* the runtime's own code */

static struct {
  uint64_t period_ns; /* of CPU time; 0: no ticks, or of events */
  bool perf;
  bool event;            /* not CPU time: each tick stands for the events of its own period */
  unsigned events;       /* how many kinds of ticks a thread has */
  bool settled, stopped; /* see ticks_settle */
} clock_state;

/* In a pause a clock ticks now and then, to see its end; events go on as they come. */
static uint64_t next_period(struct thread_state *thread, unsigned event) {
  if (clock_state.settled)
    return clock_state.event ? thread->events[event].period : clock_state.period_ns;
  return pauses_on() && !clock_state.event ? pauses_period_ns() : period_next(thread, event);
}

static void set_period(struct thread_state *thread, unsigned event, uint64_t period) {
  if (perf_event_set_period(thread, event, period)) thread->events[event].period = period;
}

static void charge(struct thread_state *thread, unsigned event, const ucontext_t *machine,
                   uint64_t weight) {
  struct recorded_thread *record = thread->record;
  uint64_t pc = (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
  if (event == 0) record->ticks++;
  if (!clock_state.event) record->lost += weight - 1;
  if (pc >= (uint64_t)__start_ascribe_text && pc < (uint64_t)__stop_ascribe_text) {
    if (event == 0) __atomic_fetch_add(&storage_header()->profiler_ticks, weight, __ATOMIC_RELAXED);
    return;
  }
  uint32_t seen = objects_see(pc);
  uint32_t stack = stacks_are_sampled() ? stacks_context(thread, machine) : 0;
  tick_table_charge(thread, event, &ascribe_cell, stack, pc, seen, weight);
}

/* Ticks that take so long that they would keep the program from its work (very deep stacks) are
 * followed by some that are passed over: the next one stands for them. That is for those that come
 * again and again; a single long one (a look at thousands of mappings) is no reason to miss the
 * ticks after it. `cpu_ns`: exact, or 0; a long time may have been another thread's. */
static void leave_time(struct thread_state *thread, uint64_t cycles, uint64_t cpu_ns) {
  uint64_t rate_hz = storage_header()->rate_hz, share_ns = 1000000000u / TIME_LEFT / rate_hz;
  uint64_t taken_ns = cpu_ns ? cpu_ns : cycles / CYCLES_PER_NS;
  thread->long_tick = taken_ns > share_ns;
  thread->debt_ns += cpu_ns;
  thread->debt_ns -= thread->debt_ns < share_ns ? thread->debt_ns : share_ns;
  thread->to_pass = 0;
  if (thread->debt_ns <= DEBT_MOST) return;
  thread->to_pass = (uint32_t)((thread->debt_ns - DEBT_MOST) / share_ns);
  thread->debt_ns = DEBT_MOST;
}

/* By the rate that the time-stamp counter has had so far. */
static uint64_t cycles_of(uint64_t ns) {
  const struct recording_header *header = storage_header();
  uint64_t cycles = header->tsc_updated - header->tsc_started;
  uint64_t elapsed_ns = header->updated_ns - header->started_ns;
  return elapsed_ns ? ns * (cycles * 256 / elapsed_ns) / 256 : ns * CYCLES_PER_NS;
}

/* What the handler costs is CPU time of the program's, and no tick can fall into it. Another thread
 * or machine may have run in between: what is far too long for a handler counts as a long one. */
static void charge_handler(uint64_t cycles, uint64_t cpu_ns) {
  uint64_t most = cpu_ns ? cycles_of(cpu_ns) : HANDLER_CYCLES_MOST;
  if (cycles > most) cycles = most;
  __atomic_fetch_add(&storage_header()->handler_cycles, cycles, __ATOMIC_RELAXED);
}

/* The events of a thread since the last time; those in pauses are in no sum.  Where the program has
 * closed the descriptor: the period, after which a tick comes, but for the first after a change. */
static uint64_t take_events(struct thread_state *thread, unsigned event) {
  struct thread_event *of = &thread->events[event];
  uint64_t before = of->counted;
  if (!perf_event_count(thread, event, &of->counted)) return of->period;
  uint64_t taken = of->counted - before;
  if (thread->paused) return taken;
  if (event)
    tick_table_count(thread, event, taken);
  else
    __atomic_fetch_add(&storage_header()->events_counted, taken, __ATOMIC_RELAXED);
  return taken;
}

static void take_all_events(struct thread_state *thread) {
  for (unsigned i = 0; clock_state.event && i < clock_state.events; i++)
    if (perf_event_is_armed(thread, i)) take_events(thread, i);
}

struct tick {
  struct thread_state *thread;
  unsigned event;
  const ucontext_t *machine;
  uint64_t weight;
};

static void charge_tick(void *argument) {
  const struct tick *tick = argument;
  charge(tick->thread, tick->event, tick->machine, tick->weight);
}

static void update_now_and_then(struct thread_state *thread) {
  uint64_t periods = thread->record->ticks + thread->record->lost;
  if (periods < thread->update_at) return;
  thread->update_at = periods + storage_header()->rate_hz / UPDATES_PER_SECOND;
  cpu_time_update();
  cpu_time_update_thread(thread);
}

/* Async-signal context; all signals are blocked, so it does not nest. */
static void on_tick(struct thread_state *thread, unsigned event, ucontext_t *machine,
                    uint64_t weight) {
  uint64_t started = time_stamp();
  uint64_t cpu = thread->long_tick ? system_clock(CLOCK_THREAD_CPUTIME_ID) : 0;
  struct tick tick = {thread, event, machine, weight};
  alternate_stack_call(thread, charge_tick, &tick);
  update_now_and_then(thread);
  calibrate_in_tick();
  uint64_t cycles = time_stamp() - started;
  uint64_t cpu_ns = cpu ? system_clock(CLOCK_THREAD_CPUTIME_ID) - cpu : 0;
  leave_time(thread, cycles, cpu_ns);
  charge_handler(cycles, cpu_ns);
}

static bool passes_over(struct thread_state *thread, uint64_t weight) {
  if (!thread->to_pass) return false;
  thread->to_pass--;
  thread->passed += weight;
  return true;
}

/* Other threads would wait for the end of a pause's long period. */
static void wake_clocks(struct thread_state *self) {
  if (clock_state.event) return;
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    perf_event_set_period(thread, 0, period_next(self, 0));
    cpu_timer_set(thread, period_next(self, 0));
  }
}

/* Whether a tick counts: not in a pause, nor where one begins or ends in its thread. */
static bool is_wanted(struct thread_state *thread) {
  enum pause_state state = pauses_look();
  bool paused = state == PAUSE_ON;
  if (state == PAUSE_ENDED) wake_clocks(thread);
  if (paused) cpu_time_update();
  if (paused == thread->paused) return !paused;
  machine_pause(thread, paused);
  counts_pause(thread);
  return false;
}

static void perf_tick(siginfo_t *info, void *machine) {
  struct thread_state *thread = threads_current();
  if (!thread) return; /* its end or beginning was missed */
  unsigned number = perf_event_of(info);
  struct thread_event *event = &thread->events[number];
  uint64_t weight = clock_state.event ? take_events(thread, number) : 1;
  bool wanted = is_wanted(thread);
  if (wanted && (number || !passes_over(thread, weight))) {
    event->ticks++;
    on_tick(thread, number, machine, weight + (number ? 0 : thread->passed));
    if (!number) thread->passed = 0;
  }
  period_follow(thread, number);
  if (!wanted || event->begins || event->ticks % SAME_PERIOD == 0)
    set_period(thread, number, next_period(thread, number));
  event->begins = false;
}

static void timer_tick(siginfo_t *info, void *machine) {
  struct thread_state *thread = threads_current();
  if (!thread || thread->timer < 0) return;
  /* The kernel looks at CPU timers at its own ticks only: what it was late by are periods that
   * this tick stands for too. */
  uint64_t now = system_clock(CLOCK_THREAD_CPUTIME_ID), then = thread->ticked_ns;
  uint64_t weight =
      now > then ? (now - then + clock_state.period_ns / 2) / clock_state.period_ns : 1;
  if (!now) weight += (uint64_t)info->si_overrun; /* the clock may not be asked */
  bool wanted = is_wanted(thread);
  if (!wanted || !passes_over(thread, 0)) {
    if (wanted) on_tick(thread, 0, machine, weight ? weight : 1);
    if (now) thread->ticked_ns = now;
  }
  if (!clock_state.settled) cpu_timer_set(thread, next_period(thread, 0));
}

static void timer_start(struct thread_state *thread) {
  if (signals_install(SIGPROF, timer_tick) && cpu_timer_start(thread))
    cpu_timer_set(thread, thread->events[0].period);
}

bool tick_is_ours(const siginfo_t *info) {
  return info->si_signo == SIGPROF ? cpu_timer_is(info) : perf_event_is(info);
}

static uint64_t mean_at_first(const struct perf_measure *measure, uint32_t rate_hz) {
  if (measure->type != PERF_TYPE_SOFTWARE) return FIRST_PERIOD;
  return measure->config == PERF_COUNT_SW_TASK_CLOCK ? 1000000000u / rate_hz : 1;
}

/* What --event asks for. Nothing can stand in for it. */
static void start_events(struct recording_header *header, const struct perf_measures *measures) {
  const struct perf_measure *list = measures->list;
  long status = sigtrap_is_safe() ? 0 : -EOPNOTSUPP;
  for (unsigned i = 0; i < EVENTS_MOST && list[i].chosen && status == 0; i++) {
    status = perf_event_try(i, &list[i]);
    period_start(i, mean_at_first(&list[i], header->rate_hz), header->rate_hz, true);
    if (list[i].kernel) header->tick_flags &= ~TICK_USER_ONLY;
    clock_state.events = i + 1;
  }
  header->tick_errno = (uint32_t)-status;
  clock_state.event = clock_state.perf = status == 0 && signals_install(SIGTRAP, perf_tick);
  if (!clock_state.event) return;
  header->tick_source = TICK_EVENT;
  header->period_ns = 1;
}

static void start_clock(struct recording_header *header) {
  const struct perf_measure cpu_time = {.chosen = false};
  uint32_t rate = header->rate_hz;
  long status = sigtrap_is_safe() ? perf_event_try(0, &cpu_time) : -EOPNOTSUPP;
  header->tick_errno = (uint32_t)-status;
  clock_state.perf = status == 0 && signals_install(SIGTRAP, perf_tick);
  if (!clock_state.perf) signals_install(SIGPROF, timer_tick);
  if (clock_state.perf && rate > perf_event_rate_most()) rate = perf_event_rate_most();
  clock_state.period_ns = header->period_ns = 1000000000u / rate;
  period_start(0, clock_state.period_ns, rate, false);
  clock_state.events = 1;
  header->tick_source = clock_state.perf ? TICK_PERF : TICK_TIMER;
  /* CPU timers run in the kernel too. */
  if (!clock_state.perf) header->tick_flags &= ~TICK_USER_ONLY;
}

void ticks_start(uint32_t rate_hz, bool cycles, const struct perf_measures *events) {
  struct recording_header *header = storage_header();
  header->rate_hz = rate_hz;
  header->tsc_started = time_stamp();
  header->tick_flags |= TICK_USER_ONLY | (stacks_are_sampled() ? TICK_STACKS : 0);
  cpu_time_start();
  if (cycles && cycles_start()) return;
  if (!rate_hz) return;
  if (events->list[0].chosen)
    start_events(header, events);
  else
    start_clock(header);
  pauses_start();
}

void ticks_start_thread(struct thread_state *thread) {
  cpu_time_start_thread(thread);
  if ((!clock_state.period_ns && !clock_state.event) || clock_state.stopped) return;
  if (pauses_on() != thread->paused) machine_pause(thread, pauses_on());
  bool jittered = !pauses_on() && (!clock_state.settled || clock_state.event);
  bool started = clock_state.perf;
  for (unsigned i = 0; i < clock_state.events; i++) {
    struct thread_event *event = &thread->events[i];
    event->counted = 0;
    event->period = jittered ? period_first(thread, i) : next_period(thread, i);
    event->begins = true;
    started = started && perf_event_start(thread, i, event->period);
  }
  if (!started && !clock_state.event) timer_start(thread);
}

/* As if the clock had run on: however short the time between two pauses is, ticks fall into it as
 * often as it is long. */
static void begin_anew(struct thread_state *thread) {
  if (clock_state.event || clock_state.settled) return;
  uint64_t period = period_first(thread, 0);
  if (period < PERIOD_LEAST) period = PERIOD_LEAST;
  thread->events[0].begins = true;
  thread->ticked_ns = system_clock(CLOCK_THREAD_CPUTIME_ID);
  perf_event_set_period(thread, 0, period);
  cpu_timer_set(thread, period);
}

void ticks_pause(bool asked) {
  if (!pauses_by_program(asked)) return;
  uint64_t signals;
  system_block_signals(&signals);
  struct thread_state *thread = threads_current();
  if (!thread) {
    pauses_look();
  } else {
    bool paused = thread->paused;
    is_wanted(thread);
    if (paused && !thread->paused) begin_anew(thread);
  }
  system_unblock_signals(&signals);
}

void ticks_hold(struct thread_state *thread) {
  perf_event_enable(thread, false);
  cpu_timer_set(thread, 0);
}

void ticks_go_on(struct thread_state *thread) {
  perf_event_enable(thread, true);
  for (struct thread_state *other = threads_all(); other; other = other->next)
    cpu_timer_set(other, next_period(thread, 0));
}

void ticks_settle(bool stop) {
  clock_state.settled = true;
  clock_state.stopped = stop;
  storage_header()->hindrances |= HINDRANCE_CONFINED | (stop ? HINDRANCE_STOPPED : 0);
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    if (stop)
      perf_event_enable(thread, false);
    else if (!clock_state.event)
      set_period(thread, 0, clock_state.period_ns);
    cpu_timer_repeat(thread, stop ? 0 : clock_state.period_ns);
  }
  /* Earlier filters may have left no way to stop the clocks themselves. */
  if (stop) signals_shut_out();
}

void ticks_unsettle(void) {
  clock_state.settled = clock_state.stopped = false;
  storage_header()->hindrances &= ~(uint32_t)(HINDRANCE_CONFINED | HINDRANCE_STOPPED);
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    perf_event_enable(thread, true);
    cpu_timer_set(thread, clock_state.period_ns);
  }
  signals_let_in();
}

void ticks_finish(void) {
  struct thread_state *self = threads_current();
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    take_all_events(thread);
    /* Nothing is known of one that no tick has met. */
    if (thread->record->live && !thread->record->cpu_periods) cpu_time_look_at_thread(thread);
  }
  if (self) cpu_time_update_thread(self);
  cpu_time_update();
}

bool ticks_stop_thread(struct thread_state *thread) {
  take_all_events(thread);
  cpu_time_update_thread(thread);
  cpu_timer_stop(thread);
  perf_event_stop(thread);
  return !clock_state.settled;
}

void ticks_start_child(struct thread_state *inherited) {
  for (; inherited; inherited = inherited->next)
    perf_event_forget(inherited);
}
