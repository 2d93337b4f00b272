#include "runtime/ticks.h"

#include "runtime/alternate_stack.h"
#include "runtime/cell.h"
#include "runtime/cpu_time.h"
#include "runtime/cpu_timer.h"
#include "runtime/cycle_counter.h"
#include "runtime/machine.h"
#include "runtime/objects.h"
#include "runtime/pauses.h"
#include "runtime/perf_event.h"
#include "runtime/signals.h"
#include "runtime/sigtrap.h"
#include "runtime/stacks.h"
#include "runtime/storage.h"
#include "runtime/system.h"
#include "runtime/threads.h"
#include "runtime/tick_table.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <ucontext.h>

/* Ticks with one period. A new period for every tick would make it a third dearer, as the kernel
 * sets its timer twice. Simulated for programs that repeat themselves with any period, this makes
 * the variance of a share at most 1.35 times what the interval assumes. */
#define SAME_PERIOD 4
#define HANDLER_CYCLES_MOST 1000000 /* some tenths of a millisecond */
#define UPDATE_EVERY 8              /* ticks between two looks at the CPU time */

extern const char __start_ascribe_text[], __stop_ascribe_text[]; /* the runtime's own code */

static struct {
  uint64_t period_ns; /* 0: no ticks */
  bool perf;
} clock_state;

/* xorshift64: the period must not run in step with the program; nothing more is asked of it. */
static uint64_t jittered_period(struct thread_state *thread) {
  uint64_t x = thread->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  thread->random = x;
  /* Uniform between half and one and a half. */
  return clock_state.period_ns / 2 + x % clock_state.period_ns;
}

static uint64_t next_period(struct thread_state *thread) {
  return pauses_on() ? pauses_period_ns() : jittered_period(thread);
}

static void charge(struct thread_state *thread, const ucontext_t *machine, uint64_t weight) {
  struct recorded_thread *record = thread->record;
  uint64_t pc = (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
  record->ticks++;
  record->lost += weight - 1;
  if (pc >= (uint64_t)__start_ascribe_text && pc < (uint64_t)__stop_ascribe_text) {
    __atomic_fetch_add(&storage_header()->profiler_ticks, weight, __ATOMIC_RELAXED);
    return;
  }
  uint32_t seen = objects_see(pc);
  uint32_t stack = stacks_are_sampled() ? stacks_context(thread, machine) : 0;
  tick_table_charge(thread, &ascribe_cell, stack, pc, seen, weight);
}

/* What the handler costs is CPU time of the program's, and no tick can fall into it. Another thread
 * or machine may have run in between: what is far too long for a handler counts as a long one. */
static void charge_handler(uint64_t started) {
  uint64_t cycles = __builtin_ia32_rdtsc() - started;
  if (cycles > HANDLER_CYCLES_MOST) cycles = HANDLER_CYCLES_MOST;
  __atomic_fetch_add(&storage_header()->handler_cycles, cycles, __ATOMIC_RELAXED);
}

struct tick {
  struct thread_state *thread;
  const ucontext_t *machine;
  uint64_t weight;
};

static void charge_tick(void *argument) {
  const struct tick *tick = argument;
  charge(tick->thread, tick->machine, tick->weight);
}

/* Async-signal context; all signals are blocked, so it does not nest. */
static void on_tick(struct thread_state *thread, ucontext_t *machine, uint64_t weight) {
  uint64_t started = __builtin_ia32_rdtsc();
  struct tick tick = {thread, machine, weight};
  alternate_stack_call(thread, charge_tick, &tick);
  if (thread->record->ticks % UPDATE_EVERY == 1) {
    cpu_time_update();
    thread->record->cpu_ns = system_clock(CLOCK_THREAD_CPUTIME_ID);
  }
  charge_handler(started);
}

/* Null in a thread whose end or beginning the tick has missed. */
static struct thread_state *ticking_thread(void) {
  uint64_t owner = ascribe_cell.gate->owner;
  return owner > ASCRIBE_STANDBY ? (struct thread_state *)owner : NULL;
}

/* Other threads would wait for the end of a pause's long period. */
static void wake_clocks(struct thread_state *self) {
  for (const struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    perf_event_set_period(thread, jittered_period(self));
    cpu_timer_set(thread, jittered_period(self));
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
  return false;
}

static void perf_tick(siginfo_t *info, void *machine) {
  struct thread_state *thread = ticking_thread();
  if (!thread) return;
  bool wanted = is_wanted(thread);
  if (wanted) on_tick(thread, machine, 1);
  if (!wanted || thread->record->ticks % SAME_PERIOD == 0)
    perf_event_set_period(thread, next_period(thread));
}

static void timer_tick(siginfo_t *info, void *machine) {
  struct thread_state *thread = ticking_thread();
  if (!thread || thread->timer < 0) return;
  /* The kernel looks at CPU timers at its own ticks only: what it was late by are periods that
   * this tick stands for too. */
  uint64_t now = system_clock(CLOCK_THREAD_CPUTIME_ID), then = thread->record->cpu_ns;
  uint64_t weight =
      now > then ? (now - then + clock_state.period_ns / 2) / clock_state.period_ns : 1;
  if (is_wanted(thread)) on_tick(thread, machine, weight ? weight : 1);
  thread->record->cpu_ns = now;
  cpu_timer_set(thread, next_period(thread));
}

static void timer_start(struct thread_state *thread) {
  if (!signals_install(SIGPROF, timer_tick) || !cpu_timer_start(thread)) return;
  thread->record->cpu_ns = system_clock(CLOCK_THREAD_CPUTIME_ID);
  cpu_timer_set(thread, next_period(thread));
}

bool tick_is_ours(const siginfo_t *info) {
  return info->si_signo == SIGPROF ? cpu_timer_is(info) : perf_event_is(info);
}

void ticks_start(uint32_t rate_hz, bool cycles) {
  struct recording_header *header = storage_header();
  header->rate_hz = rate_hz;
  header->tsc_started = __builtin_ia32_rdtsc();
  uint32_t stacks = stacks_are_sampled() ? TICK_STACKS : 0;
  header->tick_flags = TICK_USER_ONLY | stacks;
  cpu_time_start();
  if (cycles && cycles_start()) return;
  if (!rate_hz) return;
  clock_state.period_ns = 1000000000u / rate_hz;
  const struct perf_measure cpu_time = {.chosen = false};
  long status = sigtrap_is_safe() ? perf_event_try(&cpu_time) : -EOPNOTSUPP;
  clock_state.perf = status == 0 && signals_install(SIGTRAP, perf_tick);
  header->tick_errno = (uint32_t)-status;
  if (clock_state.perf && rate_hz > perf_event_rate_most())
    clock_state.period_ns = 1000000000u / perf_event_rate_most();
  header->tick_source = clock_state.perf ? TICK_PERF : TICK_TIMER;
  header->period_ns = clock_state.period_ns;
  if (!clock_state.perf) header->tick_flags = stacks; /* CPU timers run in the kernel too */
  pauses_start();
}

void ticks_start_thread(struct thread_state *thread) {
  if (!clock_state.period_ns) return;
  if (pauses_on() != thread->paused) machine_pause(thread, pauses_on());
  if (!clock_state.perf || !perf_event_start(thread, next_period(thread))) timer_start(thread);
}

void ticks_stop_thread(struct thread_state *thread) {
  thread->record->cpu_ns = system_clock(CLOCK_THREAD_CPUTIME_ID);
  cpu_timer_stop(thread);
  perf_event_stop(thread);
}

void ticks_start_child(struct thread_state *inherited) {
  for (; inherited; inherited = inherited->next)
    perf_event_forget(inherited);
}
