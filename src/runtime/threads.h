/* The threads of the process: which state belongs to whom. */
#ifndef ASCRIBE_RUNTIME_THREADS_H
#define ASCRIBE_RUNTIME_THREADS_H

#include "ascribe/hook.h"
#include "runtime/thread_state.h"

/* Before the first attach; not for signal handlers (makes a pthread key). */
void threads_start(void);

/* In a forked child: the states so far were the parent's. */
void threads_start_child(void);

/* Give the calling thread a state and open its gate. Null: no room; the thread stays inert.
 * Hooks and signal handlers. */
struct thread_state *threads_attach(struct ascribe_cell *cell);

/* All states ever made, newest first, for sums; they are never freed. */
struct thread_state *threads_all(void);

#endif
