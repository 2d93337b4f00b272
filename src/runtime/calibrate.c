#include <stdbool.h>
#include <stddef.h>

#include "runtime/calibrate.h"

#include "ascribe/hook.h"
#include "runtime/system.h"

#include <time.h>

#define CALLS 2000
#define ROUNDS 3
#define COUNTERS 32

/* A cell, gate and table of its own, laid out as a thread's are. */
static struct {
  struct ascribe_gate gate;
  struct ascribe_slot slot;
} probe_table __attribute__((aligned(64)));
static struct ascribe_cell probe_cell = {0, 0, &probe_table.gate};

__attribute__((noinline)) static void bare(volatile uint32_t *work) {
  *work += 1;
}

/* The inline sequence of include/ascribe/hook.h, with a mask that leads to one slot. */
__attribute__((noinline)) static void hooked(volatile uint32_t *work) {
  volatile struct ascribe_cell *cell = &probe_cell;
  uint32_t saved = cell->context;
  uint64_t site = (uint64_t)__builtin_return_address(0), callee = (uint64_t)(void *)hooked;
  volatile struct ascribe_gate *gate = cell->gate;
  uint64_t mask = gate->mask, table = gate->table;
  struct ascribe_slot *slot =
      (struct ascribe_slot *)((char *)gate + table + (ASCRIBE_HASH(saved, callee, site) & mask));
  if (slot->from == saved && slot->callee == callee && slot->site == site) {
    __asm__ volatile("incq %0" : "+m"(slot->count));
    cell->context = slot->to;
  } else { /* the first call: learn the key, as the slow path would */
    *slot = (struct ascribe_slot){saved, 0, callee, site, 1};
  }
  *work += 1;
  cell->context = saved;
}

/* So many counters that nothing else hides them: what the processor can do of them. The base of the
 * segment costs nothing besides. */
__attribute__((noinline)) static void counted(volatile uint32_t *work) {
  static uint64_t counters[COUNTERS];
#pragma GCC unroll 32
  for (int i = 0; i < COUNTERS; i++)
    __asm__ volatile("incq %0" : "+m"(counters[i]));
  *work += 1;
}

static uint64_t run(void (*function)(volatile uint32_t *)) {
  volatile uint32_t work = 0;
  uint64_t start = system_clock(CLOCK_MONOTONIC);
  for (int i = 0; i < CALLS; i++)
    function(&work);
  return system_clock(CLOCK_MONOTONIC) - start;
}

uint64_t calibrate_hook(bool counters) {
  uint64_t with = UINT64_MAX, without = UINT64_MAX;
  void (*hook)(volatile uint32_t *) = counters ? counted : hooked;
  probe_table.gate.table = sizeof probe_table.gate;
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t ns = run(bare);
    if (ns < without) without = ns;
    ns = run(hook);
    if (ns < with) with = ns;
  }
  uint64_t of_call = with > without ? (with - without) * 1000 / CALLS : 0;
  return counters ? of_call / COUNTERS : of_call;
}
