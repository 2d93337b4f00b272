/* What was charged to (context, cost centres, stack, program counter, slice), of one thread. */
#ifndef ASCRIBE_RUNTIME_TICK_TABLE_H
#define ASCRIBE_RUNTIME_TICK_TABLE_H

#include "runtime/registry/thread_state.h"

/* One more tick of `weight` (recorded_tick.weight) at `pc`, to `context` (where the hooks are, or a
 * host's program), the thread's cost centres and the context of the stack (0: not sampled), from
 * thread->events[event]. `seen`: the
 * header.events since which `pc` is in the object that it is in now; 0: in none. `tsc`: of the
 * time-stamp counter, now. Owner thread; signal-safe, and may be interrupted by itself. What has no
 * room is counted as dropped, and null returned; else where it was charged. */
struct recorded_tick *tick_table_charge(struct thread_state *thread, unsigned event,
                                        uint32_t context, uint32_t stack, uint64_t pc,
                                        uint32_t seen, uint64_t tsc, uint64_t weight);

/* Ticks that were charged elsewhere, with the same context and cost centres, in the same slice. */
struct tick_move {
  uint32_t ticks;
  uint64_t weight;
  uint32_t stack;
  uint64_t pc;
  uint32_t seen;
};

/* False: there is no room, and they stay. Owner thread; all signals are blocked. */
bool tick_table_move(struct thread_state *thread, unsigned event, struct recorded_tick *from,
                     const struct tick_move *to);

/* The tick charged last was a sample: one of this weight is evidence for as much. As above. */
void tick_table_sampled(struct thread_state *thread, unsigned event, uint64_t weight);

/* So many of an event after the first one were counted. As above. */
void tick_table_count(struct thread_state *thread, unsigned event, uint64_t counted);

#endif
