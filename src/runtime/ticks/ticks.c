#include "runtime/ticks/ticks.h"

#include "recording/system_call.h"
#include "runtime/arch/processor.h"
#include "runtime/contexts/calibrate.h"
#include "runtime/contexts/machine.h"
#include "runtime/counts/counts.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/alternate_stack.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/stacks/stacks.h"
#include "runtime/ticks/cpu_time.h"
#include "runtime/ticks/cpu_timer.h"
#include "runtime/ticks/cycle_counter.h"
#include "runtime/ticks/pauses.h"
#include "runtime/ticks/perf_event.h"
#include "runtime/ticks/period.h"
#include "runtime/ticks/sigtrap.h"
#include "runtime/ticks/tick_table.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <sys/uio.h>
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
  bool places_exact;     /* the clock's signal comes where its period ended, unless it is blocked */
  bool settled, stopped; /* see ticks_settle */
  bool execs_seen;       /* see struct ticks_wanted */
} clock_state;

/* In a pause a clock ticks now and then, to see its end; events go on as they come. */
static uint64_t next_period(struct thread_state *thread, unsigned event) {
  if (clock_state.settled)
    return clock_state.event ? thread->events[event].period : clock_state.period_ns;
  return pauses_on() && !clock_state.event ? pauses_period_ns() : period_next(thread, event);
}

/* The clock of the period begins anew. */
static void set_period(struct thread_state *thread, unsigned event, uint64_t period) {
  struct thread_event *of = &thread->events[event];
  if (!perf_event_set_period(thread, event, period)) return;
  of->period = of->stands_for = period;
  thread->owed_ns = 0;
}

struct tick {
  struct thread_state *thread;
  unsigned event;
  const ucontext_t *machine;
  bool in_kernel;
  struct ended_periods *held; /* not null: these, each of `weight` */
  uint64_t weight;
};

/* Code that cannot be read was in no system call of libc's. */
static uint64_t kernel_pc(uint64_t pc) {
  uint8_t code[SYSTEM_CALL_BYTES];
  struct iovec from = {(void *)(pc - sizeof code), sizeof code}, to = {code, sizeof code};
  long process = system_call3(SYS_getpid, 0, 0, 0);
  long got = system_call6(SYS_process_vm_readv, process, (long)&to, 1, (long)&from, 1, 0);
  return got == sizeof code ? system_call_pc(code + sizeof code, sizeof code) : PC_INTERRUPT;
}

/* Whether it is in the runtime itself, whose ticks are charged to the profiler. */
static bool charge_runtime(const struct tick *tick, uint64_t pc) {
  if (pc < (uint64_t)__start_ascribe_text || pc >= (uint64_t)__stop_ascribe_text) return false;
  if (tick->event) return true;
  __atomic_fetch_add(&storage_header()->profiler_ticks, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&storage_header()->profiler_weight, tick->weight, __ATOMIC_RELAXED);
  return true;
}

static void charge_place(const struct tick *tick, uint32_t stack, uint64_t pc, uint32_t seen) {
  tick_table_charge(tick->thread, tick->event, &ascribe_cell, stack, pc, seen, tick->weight);
  tick_table_sampled(tick->thread, tick->event, tick->weight);
}

static void count_tick(const struct tick *tick) {
  if (tick->event == 0) tick->thread->record->ticks++;
  if (!clock_state.event) tick->thread->record->ticked_ns += tick->weight;
}

static uint32_t stack_of(const struct tick *tick, bool below_interrupted) {
  if (!stacks_are_sampled()) return 0;
  return stacks_context(tick->thread, tick->machine, below_interrupted);
}

/* A stack that lacks the functions between the interrupted one and the one that ran. Where stacks
 * are not sampled, the gap is all of it: the tick's context tells what is above. A program without
 * alternate stacks blocks signals in code that the interrupted function called, as libc does where
 * threads begin and end: nothing is taken to be missing there. */
static uint32_t stack_with_gap(const struct tick *tick) {
  if (!alternate_stack_chosen()) return stack_of(tick, true);
  uint32_t outer = stacks_are_sampled() ? stack_of(tick, true) : tick->thread->root;
  return machine_stack_step(tick->thread, outer, STACK_CUT);
}

/* Periods that ended while the signal was blocked, as in a handler on the program's own alternate
 * stack: in a function somewhere below the one that is interrupted now. */
static void charge_held(const struct tick *tick, uint64_t interrupted) {
  uint32_t stack = stack_with_gap(tick);
  for (uint64_t pc; (pc = perf_event_next_held(tick->thread, 0, interrupted, tick->held));) {
    count_tick(tick);
    if (charge_runtime(tick, interrupted) || charge_runtime(tick, pc)) continue;
    charge_place(tick, stack, pc, objects_see(pc));
    storage_header()->hindrances |= HINDRANCE_HELD;
  }
}

static void charge(const struct tick *tick) {
  uint64_t pc = interrupted_pc(tick->machine);
  if (tick->held) {
    charge_held(tick, pc);
    return;
  }
  count_tick(tick);
  if (charge_runtime(tick, pc)) return;
  uint32_t seen = objects_see(pc), stack = stack_of(tick, tick->in_kernel);
  if (tick->in_kernel) {
    pc = kernel_pc(pc);
    seen = 0;
  }
  charge_place(tick, stack, pc, seen);
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

/* Cycles of the time-stamp counter in 256 ns, by the rate that it has had so far. */
static uint64_t cycles_in_256_ns(void) {
  const struct recording_header *header = storage_header();
  uint64_t cycles = header->tsc_updated - header->tsc_started;
  uint64_t elapsed_ns = header->updated_ns - header->started_ns;
  uint64_t rate = elapsed_ns ? cycles * 256 / elapsed_ns : 0;
  return rate ? rate : 256 * CYCLES_PER_NS;
}

/* The handler's own time is part of the program's CPU time, but no tick can fall into it, so it is
 * accounted for here. Another thread or virtual machine may have run in between: a handler that
 * seems to have taken far too long counts as a long one. Nanoseconds. */
static uint64_t charge_handler(uint64_t cycles, uint64_t cpu_ns) {
  uint64_t rate = cycles_in_256_ns();
  uint64_t most = cpu_ns ? cpu_ns * rate / 256 : HANDLER_CYCLES_MOST;
  if (cycles > most) cycles = most;
  __atomic_fetch_add(&storage_header()->handler_cycles, cycles, __ATOMIC_RELAXED);
  return cycles * 256 / rate;
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

static void charge_tick(void *argument) {
  charge(argument);
}

static void update_now_and_then(struct thread_state *thread) {
  uint64_t periods = thread->record->ticks + thread->record->lost;
  if (periods < thread->update_at) return;
  thread->update_at = periods + storage_header()->rate_hz / UPDATES_PER_SECOND;
  cpu_time_update();
  cpu_time_update_thread(thread);
}

/* Async-signal context; all signals are blocked, so it does not nest. */
static void on_tick(struct tick *tick) {
  struct thread_state *thread = tick->thread;
  uint64_t started = time_stamp();
  uint64_t cpu = thread->long_tick ? system_clock(CLOCK_THREAD_CPUTIME_ID) : 0;
  alternate_stack_call(thread, charge_tick, tick);
  update_now_and_then(thread);
  calibrate_in_tick();
  uint64_t cycles = time_stamp() - started;
  uint64_t cpu_ns = cpu ? system_clock(CLOCK_THREAD_CPUTIME_ID) - cpu : 0;
  leave_time(thread, cycles, cpu_ns);
  thread->owed_ns += charge_handler(cycles, cpu_ns);
}

/* `ns` without what of it went by in handlers, where no tick counts. */
static uint64_t without_handlers(struct thread_state *thread, uint64_t ns) {
  uint64_t handlers = thread->owed_ns < ns ? thread->owed_ns : ns;
  thread->owed_ns -= handlers;
  return ns - handlers;
}

/* Periods that ended while the tick was handled would else be charged to the code that goes on
 * after it.  Their signal is still to come, and will find nothing. */
static void leave_out_handler(struct thread_state *thread) {
  struct ended_periods ended;
  if (perf_event_take(thread, 0, 0, &ended))
    without_handlers(thread,
                     (ended.in_user + ended.in_kernel + ended.lost) * thread->events[0].period);
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

/* The first of the periods may be a thread's first one. */
static uint64_t take_weight(struct thread_state *thread, const struct ended_periods *ended) {
  struct thread_event *event = &thread->events[0];
  uint64_t periods = ended->in_user + ended->in_kernel + ended->lost;
  uint64_t ns = event->stands_for + (periods - 1) * event->period;
  event->stands_for = event->period;
  thread->record->lost += periods - (ended->held > 1 ? ended->held : 1);
  return without_handlers(thread, ns);
}

static void charge_share(struct tick *tick, uint64_t weight) {
  tick->weight = weight;
  on_tick(tick);
}

/* The kernel's part and the program's, and what was held back: all may have waited for the signal.
 */
static void charge_periods(struct tick *tick, struct ended_periods *ended) {
  struct thread_state *thread = tick->thread;
  uint64_t periods = ended->in_user + ended->in_kernel;
  uint64_t weight = take_weight(thread, ended);
  if (passes_over(thread, weight)) return;
  weight += thread->passed;
  thread->passed = 0;
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
  tick->held = ended;
  charge_share(tick, each);
}

/* False: none of it was in the kernel. */
static bool clock_tick(struct tick *tick) {
  struct thread_state *thread = tick->thread;
  struct thread_event *event = &thread->events[0];
  struct ended_periods ended;
  uint64_t pc = interrupted_pc(tick->machine);
  bool logged = perf_event_take(thread, 0, clock_state.places_exact ? pc : 0, &ended);
  if (!logged) {
    bool in_kernel = interrupted_in_call(tick->machine);
    ended = (struct ended_periods){.in_user = !in_kernel, .in_kernel = in_kernel};
  }
  bool wanted = is_wanted(thread), any = ended.in_user + ended.in_kernel > 0;
  if (wanted && any) charge_periods(tick, &ended);
  if (!wanted || (any && (event->begins || event->ticks % SAME_PERIOD == 0)))
    set_period(thread, 0, next_period(thread, 0));
  event->begins = false;
  leave_out_handler(thread);
  return !logged || ended.in_kernel;
}

static void event_tick(struct tick *tick) {
  struct thread_state *thread = tick->thread;
  struct thread_event *event = &thread->events[tick->event];
  tick->weight = take_events(thread, tick->event);
  tick->in_kernel = interrupted_in_call(tick->machine);
  bool wanted = is_wanted(thread);
  if (wanted && (tick->event || !passes_over(thread, tick->weight))) {
    event->ticks++;
    if (!tick->event) {
      tick->weight += thread->passed;
      thread->passed = 0;
    }
    on_tick(tick);
  }
  period_follow(thread, tick->event);
  if (!wanted || event->begins || event->ticks % SAME_PERIOD == 0)
    set_period(thread, tick->event, next_period(thread, tick->event));
  event->begins = false;
}

static bool perf_tick(siginfo_t *info, void *machine) {
  struct tick tick = {
      .thread = threads_current(), .event = perf_event_of(info), .machine = machine};
  /* Its end or beginning was missed. */
  if (!tick.thread || !tick.thread->record->live) return true;
  if (!clock_state.event) return clock_tick(&tick);
  event_tick(&tick);
  return true;
}

/* The kernel looks at CPU timers at its own ticks only: what it was late by are periods that this
 * tick stands for too. */
static uint64_t timer_weight(struct thread_state *thread, uint64_t now, const siginfo_t *info) {
  uint64_t period = clock_state.period_ns;
  uint64_t ns = now > thread->ticked_ns ? now - thread->ticked_ns : period;
  if (!now) ns = period * (1 + (uint64_t)info->si_overrun); /* the clock may not be asked */
  return without_handlers(thread, ns);
}

static void timer_charge(struct tick *tick) {
  uint64_t periods = (tick->weight + clock_state.period_ns / 2) / clock_state.period_ns;
  tick->thread->record->lost += periods ? periods - 1 : 0;
  on_tick(tick);
}

static bool timer_tick(siginfo_t *info, void *machine) {
  struct thread_state *thread = threads_current();
  if (!thread || thread->timer < 0) return true;
  uint64_t now = system_clock(CLOCK_THREAD_CPUTIME_ID);
  bool wanted = is_wanted(thread);
  if (!wanted || !passes_over(thread, 0)) {
    struct tick tick = {.thread = thread, .machine = machine};
    tick.in_kernel = interrupted_in_call(machine);
    tick.weight = timer_weight(thread, now, info);
    if (wanted) timer_charge(&tick);
    if (now) thread->ticked_ns = now;
  }
  if (!clock_state.settled) cpu_timer_set(thread, next_period(thread, 0));
  return true;
}

static void timer_start(struct thread_state *thread) {
  if (clock_signals_install(SIGPROF, timer_tick, cpu_timer_is) && cpu_timer_start(thread))
    cpu_timer_set(thread, thread->events[0].period);
}

/* All CPU time where the kernel lets us see its own, where it does not end system calls by that
 * with EINTR, and where ticks can be kept out of an exec, which would hand a late one to the next
 * program; else that in user code. What the kernel used is then what is left of the thread's clock.
 */
static long try_measure(struct recording_header *header, unsigned event,
                        struct perf_measure measure) {
  bool cpu_time = perf_measure_is_cpu_time(&measure);
  if (cpu_time) measure.kernel = sigtrap_spares_calls() && clock_state.execs_seen;
  long status = perf_event_try(event, &measure);
  if (cpu_time && measure.kernel && (status == -EACCES || status == -EPERM)) {
    measure.kernel = false;
    status = perf_event_try(event, &measure);
  }
  if (measure.kernel) header->tick_flags &= ~TICK_USER_ONLY;
  return status;
}

static uint64_t mean_at_first(const struct perf_measure *measure, uint32_t rate_hz) {
  if (perf_measure_is_cpu_time(measure)) return 1000000000u / rate_hz;
  return measure->type == PERF_TYPE_SOFTWARE ? 1 : FIRST_PERIOD;
}

/* The events of --event. Without them there are no ticks: no other clock can replace them. */
static void start_events(struct recording_header *header, const struct perf_measures *measures) {
  const struct perf_measure *list = measures->list;
  long status = sigtrap_is_safe() ? 0 : -EOPNOTSUPP;
  for (unsigned i = 0; i < EVENTS_MOST && list[i].chosen && status == 0; i++) {
    status = try_measure(header, i, list[i]);
    period_start(i, mean_at_first(&list[i], header->rate_hz), header->rate_hz, true);
    clock_state.events = i + 1;
  }
  header->tick_errno = (uint32_t)-status;
  clock_state.event = clock_state.perf =
      status == 0 && clock_signals_install(SIGTRAP, perf_tick, perf_event_is);
  if (!clock_state.event) return;
  header->tick_source = TICK_EVENT;
  header->period_ns = 1;
}

static void start_clock(struct recording_header *header) {
  static const struct perf_measure cpu_time = {.type = PERF_TYPE_SOFTWARE,
                                               .config = PERF_COUNT_SW_TASK_CLOCK};
  uint32_t rate = header->rate_hz;
  long status = sigtrap_is_safe() ? try_measure(header, 0, cpu_time) : -EOPNOTSUPP;
  header->tick_errno = (uint32_t)-status;
  clock_state.perf = status == 0 && clock_signals_install(SIGTRAP, perf_tick, perf_event_is);
  if (!clock_state.perf) clock_signals_install(SIGPROF, timer_tick, cpu_timer_is);
  if (clock_state.perf && rate > perf_event_rate_most()) rate = perf_event_rate_most();
  clock_state.period_ns = header->period_ns = 1000000000u / rate;
  period_start(0, clock_state.period_ns, rate, false);
  clock_state.places_exact = sigtrap_spares_calls();
  clock_state.events = 1;
  header->tick_source = clock_state.perf ? TICK_PERF : TICK_TIMER;
  /* CPU timers run in the kernel too. */
  if (!clock_state.perf) header->tick_flags &= ~TICK_USER_ONLY;
}

void ticks_start(const struct ticks_wanted *wanted) {
  struct recording_header *header = storage_header();
  header->rate_hz = wanted->rate_hz;
  clock_state.execs_seen = wanted->execs_seen;
  header->tsc_started = time_stamp();
  header->tick_flags |= TICK_USER_ONLY | (stacks_are_sampled() ? TICK_STACKS : 0);
  cpu_time_start();
  if (wanted->cycles && cycles_start()) return;
  if (!wanted->rate_hz) return;
  if (wanted->events.list[0].chosen)
    start_events(header, &wanted->events);
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
    event->stands_for = 0;
    event->period = jittered ? period_first(thread, i) : next_period(thread, i);
    if (!event->stands_for) event->stands_for = event->period;
    event->begins = true;
    started = started && perf_event_start(thread, i, event->period);
  }
  if (!started && !clock_state.event) timer_start(thread);
}

/* As if the clock had run on: however short the time between two pauses is, ticks fall into it as
 * often as it is long. */
static void begin_anew(struct thread_state *thread) {
  if (clock_state.event || clock_state.settled) return;
  struct ended_periods before;
  uint64_t period = period_first(thread, 0);
  if (period < PERIOD_LEAST) period = PERIOD_LEAST;
  thread->events[0].begins = true;
  thread->ticked_ns = system_clock(CLOCK_THREAD_CPUTIME_ID);
  perf_event_take(thread, 0, 0, &before);
  if (perf_event_set_period(thread, 0, period)) thread->events[0].period = period;
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
  if (stop) clock_signals_shut_out();
}

void ticks_unsettle(void) {
  clock_state.settled = clock_state.stopped = false;
  storage_header()->hindrances &= ~(uint32_t)(HINDRANCE_CONFINED | HINDRANCE_STOPPED);
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    perf_event_enable(thread, true);
    cpu_timer_set(thread, clock_state.period_ns);
  }
  clock_signals_let_in();
}

void ticks_finish(void) {
  struct thread_state *self = threads_current();
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    take_all_events(thread);
    /* Nothing is known of one that no tick has met. */
    if (thread->record->live && !thread->record->cpu_ticked_ns) cpu_time_look_at_thread(thread);
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
