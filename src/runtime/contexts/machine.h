/* The finite-state machine of contexts (steps B1 to B3) of one thread.
 * Source: Spivey, "Data structures for fast profiling". */
#ifndef ASCRIBE_RUNTIME_MACHINE_H
#define ASCRIBE_RUNTIME_MACHINE_H

#include "runtime/registry/thread_state.h"

/* Give a new thread state its root, overflow context and first table, of `slots` slots (a power
 * of two). False: no memory. */
bool machine_start(struct thread_state *thread, uint64_t slots);

/* B1 out of line, B2, B3: the context after `callee` was called at `site` from `context`; counts
 * the call.  `context` 0 is the thread's root.  Owner thread, hooks and signal handlers. */
uint32_t machine_step(struct thread_state *thread, uint32_t context, uint64_t callee,
                      uint64_t site);

/* The same for a sampled stack, from its outermost frame in: the context below `context` after the
 * call that returns to `address` (STACK_CUT: after frames that are not known).  Such contexts are
 * apart from those of hooks; nothing is counted.  Owner thread, hooks and signal handlers. */
uint32_t machine_stack_step(struct thread_state *thread, uint32_t context, uint64_t address);

/* Count a call of the function that holds the address `callee`, from `site`, in whatever context
 * (CALL_COUNTED).  The first returns false if it is the first such call, which is for the second to
 * count. Owner thread, hooks and signal handlers. */
/* Calls through a pointer that were counted elsewhere, at `site` (recording/layout.h,
 * CALL_INDIRECT). Owner thread. */
void machine_add_indirect(struct thread_state *thread, uint64_t callee, uint64_t site,
                          uint64_t calls);

bool machine_count(struct thread_state *thread, uint64_t callee, uint64_t site);
void machine_count_first(struct thread_state *thread, uint64_t callee, uint64_t site);

/* From now on what is counted belongs to a pause (pauses.h), or no longer. Owner thread, signal
 * handlers. */
void machine_pause(struct thread_state *thread, bool paused);

/* Retire every transition whose callee or site lies in [start, end). Any thread. */
void machine_retire(struct thread_state *thread, uint64_t start, uint64_t end);

#endif
