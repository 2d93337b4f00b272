/* The finite-state machine of contexts (steps B1 to B3) of one thread.
 * Source: Spivey, "Data structures for fast profiling". */
#ifndef ASCRIBE_RUNTIME_MACHINE_H
#define ASCRIBE_RUNTIME_MACHINE_H

#include "runtime/registry/thread_state.h"

/* Give a new thread state its root, overflow context and first table, of `slots` slots (a power
 * of two). False: no memory. */
bool machine_start(struct thread_state *thread, uint64_t slots);

/* A call of code that counts: of `callee` (with CALL_INDIRECT) at `site`, in whatever context.
 * Owner thread, hooks and signal handlers; so are those below. */
void machine_step(struct thread_state *thread, uint64_t callee, uint64_t site);

/* The transition of a call from a row (`from` with ASCRIBE_TAGGED, if it was): where it leads,
 * after counting the call; 0: there is none.  Add one, called once. False: no room. */
uint32_t machine_known(struct thread_state *thread, uint32_t from, uint64_t callee, uint64_t site);
bool machine_add(struct thread_state *thread, uint32_t from, uint64_t callee, uint64_t site,
                 uint32_t to);
/* Either of them. */
void machine_count_from(struct thread_state *thread, uint32_t from, uint64_t callee, uint64_t site,
                        uint32_t to);

/* The first entry of a function of a world from there, after machine_known has said that there is
 * no transition: the context below `from` (0: the thread's root). */
uint32_t machine_enter(struct thread_state *thread, uint32_t from, uint64_t callee, uint64_t site);

/* The same context, but no entry is counted. */
uint32_t machine_go_on(struct thread_state *thread, uint32_t from, uint64_t callee);

/* Where entries of the centre from there are counted now; null: nowhere. */
const struct ascribe_slot *machine_slot(struct thread_state *thread, uint32_t from,
                                        uint64_t callee);

/* The context of what has none: it had no room. */
uint32_t machine_lost(struct thread_state *thread, enum drop why);

/* For a sampled stack, from its outermost frame in: the context below `context` (or of that row)
 * after the call that returns to `address` (STACK_CUT: after frames that are not known).  Such
 * contexts are apart from those of hooks; nothing is counted.  Owner thread, hooks and signal
 * handlers. */
uint32_t machine_stack_step(struct thread_state *thread, uint32_t context, uint64_t address);

/* Calls through a pointer that were counted elsewhere, at `site` (recording/layout.h,
 * CALL_INDIRECT). Owner thread. */
void machine_add_indirect(struct thread_state *thread, uint64_t callee, uint64_t site,
                          uint64_t calls);

/* Count a call of the function that holds the address `callee`, from `site`, in whatever context
 * (CALL_COUNTED).  The first returns false if it is the first such call, which is for the second to
 * count. */
bool machine_count(struct thread_state *thread, uint64_t callee, uint64_t site);
void machine_count_first(struct thread_state *thread, uint64_t callee, uint64_t site);

/* From now on what is counted belongs to a pause (pauses.h), or no longer. Owner thread, signal
 * handlers. */
void machine_pause(struct thread_state *thread, bool paused);

/* Retire every transition whose callee or site lies in [start, end). Any thread. */
void machine_retire(struct thread_state *thread, uint64_t start, uint64_t end);

#endif
