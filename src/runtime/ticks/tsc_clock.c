/* The cycle counter as the clock: read at every change of context by code that was compiled for it
 * (ascribe cc --clock=tsc), so that there are no ticks.
 * Source: Spivey, "Tracking the execution context". */
#include <time.h>

#include "runtime/arch/processor.h"
#include "runtime/contexts/calibrate.h"
#include "runtime/contexts/rows.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/ticks/clocks.h"
#include "runtime/ticks/tick_table.h"

#define CALIBRATION_NS 2000000u
#define COST_CALLS 2000

void ascribe_read_clock_call(void);

/* Any thread; interrupted by itself when a handler runs hooked code: then the handler has charged
 * up to a later time than `now`, and nothing is left to charge. */
__attribute__((used)) void ascribe_read_clock_call(void) {
  uint64_t owner = ascribe_cell.gate->owner;
  if (owner <= ASCRIBE_STANDBY) return;
  struct thread_state *thread = (struct thread_state *)owner;
  uint64_t now = time_stamp_in_order(), then = thread->cycles;
  if (now <= then) return;
  thread->cycles = now;
  if (!then) return;
  uint32_t context = rows_context(thread, ascribe_cell.row);
  tick_table_charge(thread, 0, context, 0, PC_RUNNING, 0, now, now - then);
}

static uint64_t counter_hz(void) {
  uint64_t ns = system_clock(CLOCK_MONOTONIC), cycles = time_stamp_in_order(), now;
  do
    now = system_clock(CLOCK_MONOTONIC);
  while (now - ns < CALIBRATION_NS);
  return (time_stamp_in_order() - cycles) * 1000000000u / (now - ns);
}

/* Thousandths of a cycle that a hook takes for its two reads, at entry and at exit. */
static uint32_t reads_millicycles(void) {
  uint64_t least = UINT64_MAX;
  for (int round = 0; round < 3; round++) {
    uint64_t start = time_stamp_in_order();
    for (int i = 0; i < COST_CALLS; i++) {
      ascribe_read_clock_call();
      time_stamp_in_order();
    }
    uint64_t cycles = time_stamp_in_order() - start;
    if (cycles < least) least = cycles;
  }
  return (uint32_t)(2 * least * 1000 / COST_CALLS);
}

/* With its frequency and the cost of one read in the header. */
static bool start(struct recording_header *header, const struct ticks_wanted *wanted) {
  if (!wanted->cycles || !(header->hooks & HOOKS_CLOCK) || !time_stamp_runs_evenly()) return false;
  header->tsc_hz = counter_hz();
  calibrate_add(reads_millicycles());
  header->tick_source = TICK_TSC;
  ascribe_cycles_in_use = 1;
  return true;
}

const struct clock tsc_clock = {.start = start};
