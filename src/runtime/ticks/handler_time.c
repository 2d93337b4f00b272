#include "runtime/ticks/handler_time.h"

#include "runtime/arch/processor.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/ticks/cpu_time.h"

#include <time.h>

#define HANDLER_CYCLES_MOST 1000000 /* some tenths of a millisecond */
#define TIME_LEFT 8                 /* times what ticks take is the program's, at least */
#define DEBT_MOST 100000000         /* ns that a thread's ticks may take beyond that at once */
#define CYCLES_PER_NS 2             /* of the time-stamp counter, roughly */
#define LIKE_LAST 2                 /* times the last one: what a tick counts as, at most */

static uint64_t share_of_tick(void) {
  return 1000000000u / TIME_LEFT / storage_header()->rate_hz;
}

/* Ticks that take so long that they would keep the program from its work (very deep stacks) are
 * followed by some that are passed over: the next one stands for them. That is for those that come
 * again and again; a single long one is no reason to miss the ticks after it: a look at thousands
 * of mappings, or a virtual machine that was stopped for a while, which its clocks of CPU time
 * cannot tell. `cpu_ns`: 0 if the last one was short, and a long time may have been another
 * thread's. */
static void leave_time(struct thread_state *thread, uint64_t cycles, uint64_t cpu_ns) {
  uint64_t most_ns = LIKE_LAST * thread->last_tick_ns, share_ns = share_of_tick();
  thread->last_tick_ns = cpu_ns ? cpu_ns : cycles / CYCLES_PER_NS;
  thread->debt_ns += cpu_ns < most_ns ? cpu_ns : most_ns;
  thread->debt_ns -= thread->debt_ns < share_ns ? thread->debt_ns : share_ns;
  thread->to_pass = 0;
  if (thread->debt_ns <= DEBT_MOST) return;
  thread->to_pass = (uint32_t)((thread->debt_ns - DEBT_MOST) / share_ns);
  thread->debt_ns = DEBT_MOST;
}

/* Another thread or virtual machine may have run in between: a handler that seems to have taken far
 * too long counts as a long one. Nanoseconds. */
static uint64_t charge_handler(uint64_t cycles, uint64_t cpu_ns) {
  uint64_t rate = cpu_time_cycles(256);
  uint64_t most = cpu_ns ? cpu_ns * rate / 256 : HANDLER_CYCLES_MOST;
  if (cycles > most) cycles = most;
  __atomic_fetch_add(&storage_header()->handler_cycles, cycles, __ATOMIC_RELAXED);
  return cycles * 256 / rate;
}

void handler_begins(struct thread_state *thread, struct handler_span *span) {
  span->started = time_stamp();
  bool long_one = thread->last_tick_ns > share_of_tick();
  span->cpu_ns = long_one ? system_clock(CLOCK_THREAD_CPUTIME_ID) : 0;
}

void handler_ends(struct thread_state *thread, const struct handler_span *span) {
  uint64_t cycles = time_stamp() - span->started;
  uint64_t cpu_ns = span->cpu_ns ? system_clock(CLOCK_THREAD_CPUTIME_ID) - span->cpu_ns : 0;
  leave_time(thread, cycles, cpu_ns);
  thread->owed_ns += charge_handler(cycles, cpu_ns);
}

uint64_t handler_left_out(struct thread_state *thread, uint64_t ns) {
  uint64_t handlers = thread->owed_ns < ns ? thread->owed_ns : ns;
  thread->owed_ns -= handlers;
  return ns - handlers;
}

bool handler_passes_over(struct thread_state *thread, uint64_t weight) {
  if (!thread->to_pass) return false;
  thread->to_pass--;
  thread->passed += weight;
  return true;
}

uint64_t handler_passed(struct thread_state *thread) {
  uint64_t passed = thread->passed;
  thread->passed = 0;
  return passed;
}
