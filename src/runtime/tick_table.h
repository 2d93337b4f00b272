/* What was charged to (context, cost centre, stack, program counter), of one thread. */
#ifndef ASCRIBE_RUNTIME_TICK_TABLE_H
#define ASCRIBE_RUNTIME_TICK_TABLE_H

#include "ascribe/hook.h"
#include "runtime/thread_state.h"

/* One more tick of `weight` (periods or cycles) at `pc`, to the pair of contexts in `cell` and the
 * context of the stack (0: not sampled). `seen`: the header.events since which `pc` is in the
 * object that it is in now; 0: in none. Owner thread; signal-safe, and may be interrupted by
 * itself. What has no room is counted as dropped. */
void tick_table_charge(struct thread_state *thread, const struct ascribe_cell *cell, uint32_t stack,
                       uint64_t pc, uint32_t seen, uint64_t weight);

#endif
