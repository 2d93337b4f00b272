/* How often cost centres were entered in each slice of time.
 *
 * Entries are counted by one instruction in the table of transitions, which knows no time.  So a
 * thread looks at its counts with its first tick in a slice, and logs what they have become more by
 * since its last look: that belongs to the slice of the tick before. */
#ifndef ASCRIBE_RUNTIME_ENTRY_SERIES_H
#define ASCRIBE_RUNTIME_ENTRY_SERIES_H

#include "runtime/registry/thread_state.h"

/* The thread enters the centre with this key from there for the first time. Any moment of it. */
void entry_series_add(struct thread_state *thread, uint32_t from, uint64_t key);

/* A tick of the thread is in `slice`. In its handler. */
void entry_series_look(struct thread_state *thread, uint32_t slice);

#endif
