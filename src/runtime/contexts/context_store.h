/* Contexts of a thread, found by their history or made (B2, B3). Owner thread; signal-safe. */
#ifndef ASCRIBE_RUNTIME_CONTEXT_STORE_H
#define ASCRIBE_RUNTIME_CONTEXT_STORE_H

#include "runtime/registry/thread_state.h"

/* The context after `function` was called from `from`, rule A1 included; with `call` it is no
 * function but a call on a sampled stack, and that rule does not hold. 0: no room. */
uint32_t context_after(struct thread_state *thread, uint32_t from, uint32_t function, bool call);

/* A context without a history: the root or the overflow context. 0: no room. */
uint32_t context_special(struct thread_state *thread, enum context_flag flag);

#endif
