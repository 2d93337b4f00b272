#include "runtime/ticks/tick.h"

#include "recording/system_call.h"
#include "runtime/arch/processor.h"
#include "runtime/contexts/calibrate.h"
#include "runtime/contexts/entry_series.h"
#include "runtime/contexts/hosts.h"
#include "runtime/contexts/machine.h"
#include "runtime/contexts/rows.h"
#include "runtime/counts/counts.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/alternate_stack.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/stacks/stacks.h"
#include "runtime/ticks/cpu_time.h"
#include "runtime/ticks/handler_time.h"
#include "runtime/ticks/host_stacks.h"
#include "runtime/ticks/pauses.h"
#include "runtime/ticks/period.h"
#include "runtime/ticks/slices.h"
#include "runtime/ticks/tick_clock.h"
#include "runtime/ticks/tick_table.h"

/* Looks at the CPU time in a second of a thread's own. Each takes as long as several ticks do. */
#define UPDATES_PER_SECOND 16
#define CALL_PLACES 64           /* whose code is known */
#define HASH 0x9e3779b97f4a7c15u /* 2^64 / golden ratio */

extern const char __start_ascribe_text[], __stop_ascribe_text[]; /* the runtime's own code */

static bool read_kernel_pc(uint64_t pc, uint64_t *answer) {
  uint8_t code[SYSTEM_CALL_BYTES];
  if (threads_copy(code, (const void *)(pc - sizeof code), sizeof code) != sizeof code)
    return false;
  *answer = system_call_pc(code + sizeof code, sizeof code);
  return true;
}

/* What stands in recorded_tick.pc for a tick in the kernel. Code that cannot be read was in no
 * system call of libc's; that of an object is read once at each place. Threads share what it said
 * without a lock: a slot keeps its key combined with the answer, so that halves of two stores match
 * no key. */
static uint64_t kernel_pc(uint64_t pc, uint32_t seen) {
  static struct known_call { uint64_t check, answer; } known[CALL_PLACES];
  uint64_t key = pc + seen * HASH;
  struct known_call *slot = &known[(key * HASH >> 32) % CALL_PLACES];
  uint64_t answer = __atomic_load_n(&slot->answer, __ATOMIC_RELAXED);
  if (seen && (__atomic_load_n(&slot->check, __ATOMIC_RELAXED) ^ answer) == key) return answer;
  if (!read_kernel_pc(pc, &answer)) return PC_INTERRUPT;
  if (!seen) return answer; /* in no object: it may be made anew at any time */
  __atomic_store_n(&slot->check, key ^ answer, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->answer, answer, __ATOMIC_RELAXED);
  return answer;
}

/* Whether it is in the runtime itself, whose ticks are charged to the profiler. */
static bool charge_runtime(const struct tick *tick, uint64_t pc) {
  if (pc < (uint64_t)__start_ascribe_text || pc >= (uint64_t)__stop_ascribe_text) return false;
  if (tick->event) return true;
  __atomic_fetch_add(&storage_header()->profiler_ticks, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&storage_header()->profiler_weight, tick->weight, __ATOMIC_RELAXED);
  return true;
}

static struct recorded_tick *charge_place(const struct tick *tick, uint32_t context, uint32_t stack,
                                          uint64_t pc, uint32_t seen) {
  if (!context) context = rows_context(tick->thread, ascribe_cell.row);
  struct recorded_tick *to = tick_table_charge(tick->thread, tick->event, context, stack, pc, seen,
                                               time_stamp(), tick->weight);
  tick_table_sampled(tick->thread, tick->event, tick->weight);
  entry_series_look(tick->thread, slices_last());
  return to;
}

static void count_tick(const struct tick *tick) {
  const struct clock *clock = tick->thread->clock;
  if (tick->event == 0) tick->thread->record->ticks++;
  if (clock && clock->of_time) tick->thread->record->ticked_ns += tick->weight;
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

/* `context`: of a host's program, or 0. `seen`: objects_see of `pc`. */
static struct recorded_tick *charge_code(const struct tick *tick, uint32_t context, uint32_t stack,
                                         uint64_t pc, uint32_t seen) {
  if (tick->in_kernel) return charge_place(tick, context, stack, kernel_pc(pc, seen), 0);
  if (context && hosts_run(&pc, seen)) seen = 0;
  return charge_place(tick, context, stack, pc, seen);
}

/* Where a language host tells the stack of its program, the native one is of no interest. */
static void charge_to_stack(const struct tick *tick, uint64_t pc, uint32_t seen) {
  struct tick_code code = {pc, seen, !tick->in_kernel && hosts_is_own_code(pc, seen)};
  uint32_t stack;
  bool later = false;
  if (tick->in_kernel) code = (struct tick_code){.pc = kernel_pc(pc, seen)};
  if (host_stacks_ask(tick->thread, &code, &stack, &later)) {
    charge_place(tick, 0, stack, code.pc, code.seen);
    return;
  }
  uint32_t context = hosts_running(tick->thread);
  stack = context ? 0 : stack_of(tick, tick->in_kernel);
  struct recorded_tick *to = charge_code(tick, context, stack, pc, seen);
  if (later) host_stacks_hold(tick->thread, tick->event, to, &code, tick->weight);
}

/* Ticks that came due while the signal was blocked, as in a handler on the program's own alternate
 * stack: in a function somewhere below the one that is interrupted now. */
static void charge_held(struct tick *tick, uint64_t interrupted) {
  uint32_t context = hosts_context(tick->thread), stack = context ? 0 : stack_with_gap(tick);
  for (uint64_t pc; (pc = tick->next_place(tick, interrupted));) {
    count_tick(tick);
    if (charge_runtime(tick, interrupted) || charge_runtime(tick, pc)) continue;
    charge_code(tick, context, stack, pc, objects_see(pc));
    storage_header()->hindrances |= HINDRANCE_HELD;
  }
}

static void charge(void *argument) {
  struct tick *tick = argument;
  uint64_t pc = interrupted_pc(tick->machine);
  if (tick->next_place) {
    charge_held(tick, pc);
    return;
  }
  count_tick(tick);
  if (charge_runtime(tick, pc)) return;
  uint32_t seen = objects_see(pc); /* before the stack: what was unloaded is then known */
  uint32_t context = hosts_entered();
  if (context)
    charge_code(tick, context, 0, pc, seen);
  else
    charge_to_stack(tick, pc, seen);
}

static void update_now_and_then(struct thread_state *thread) {
  uint64_t periods = thread->record->ticks + thread->record->lost;
  if (periods < thread->update_at) return;
  thread->update_at = periods + storage_header()->rate_hz / UPDATES_PER_SECOND;
  cpu_time_update();
  cpu_time_update_thread(thread);
}

void tick_charge(struct tick *tick) {
  struct handler_span span;
  handler_begins(tick->thread, &span);
  alternate_stack_call(tick->thread, charge, tick);
  update_now_and_then(tick->thread);
  calibrate_in_tick();
  handler_ends(tick->thread, &span);
}

/* Other threads would wait for the end of a pause's long period. */
static void wake_clocks(struct thread_state *self) {
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    const struct clock *clock = thread->clock;
    if (clock && clock->rearm) clock->rearm(thread, period_next(self, 0));
  }
}

bool tick_is_wanted(struct thread_state *thread) {
  enum pause_state state = pauses_look();
  bool paused = state == PAUSE_ON;
  if (state == PAUSE_ENDED) wake_clocks(thread);
  if (paused) cpu_time_update();
  if (paused == thread->paused) return !paused;
  rows_pause(thread, paused);
  counts_pause(thread);
  return false;
}
