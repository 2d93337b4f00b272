/* Threads begin and end: they get a state, and leave it to others once they are gone. */
#ifndef ASCRIBE_RUNTIME_THREAD_LIFE_H
#define ASCRIBE_RUNTIME_THREAD_LIFE_H

#include <stdbool.h>

#include "runtime/registry/thread_state.h"

struct ascribe_cell;

/* Before the first attach; not for signal handlers (makes a pthread key). False: no memory. */
bool thread_life_start(void);

/* In a forked child: the states so far were the parent's. */
void thread_life_start_child(void);

/* Give the calling thread a state and open its gate. Null: no room; the thread is idle from then
 * on, its gate on standby. Hooks and signal handlers. */
struct thread_state *thread_life_attach(struct ascribe_cell *cell);

/* The owner of a cell's gate; of one without any, whose thread was not yet seen, or which a fork
 * wiped, a new one. Null: nothing is recorded. */
struct thread_state *thread_life_of(struct ascribe_cell *cell);

#endif
