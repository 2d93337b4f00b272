#include "runtime/ticks/handler_time.h"

#include "runtime/arch/processor.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#include <time.h>

#define HANDLER_CYCLES_MOST 1000000 /* some tenths of a millisecond */
#define TIME_LEFT 8                 /* times what ticks take is the program's, at least */
#define DEBT_MOST 100000000         /* ns that a thread's ticks may take beyond that at once */
#define CYCLES_PER_NS 2             /* of the time-stamp counter, roughly */

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

/* Another thread or virtual machine may have run in between: a handler that seems to have taken far
 * too long counts as a long one. Nanoseconds. */
static uint64_t charge_handler(uint64_t cycles, uint64_t cpu_ns) {
  uint64_t rate = cycles_in_256_ns();
  uint64_t most = cpu_ns ? cpu_ns * rate / 256 : HANDLER_CYCLES_MOST;
  if (cycles > most) cycles = most;
  __atomic_fetch_add(&storage_header()->handler_cycles, cycles, __ATOMIC_RELAXED);
  return cycles * 256 / rate;
}

void handler_begins(struct thread_state *thread, struct handler_span *span) {
  span->started = time_stamp();
  span->cpu_ns = thread->long_tick ? system_clock(CLOCK_THREAD_CPUTIME_ID) : 0;
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
