/* The threads of the process: which state belongs to whom. */
#ifndef ASCRIBE_RUNTIME_THREADS_H
#define ASCRIBE_RUNTIME_THREADS_H

#include <stdbool.h>

#include "runtime/registry/cell.h"
#include "runtime/registry/thread_state.h"

/* Before the first thread. False: no memory. */
bool threads_start(void);

/* A gate, which a forked child sees as zeros; null: no memory. One caller at a time. The last one
 * may be given back at once. */
struct ascribe_gate *threads_claim_gate(void);
void threads_give_gate_back(void);

/* The gate of threads that have no state: its owner is on standby. */
struct ascribe_gate *threads_idle_gate(void);

/* All can see the state from now on. One caller at a time. */
void threads_add(struct thread_state *thread);

/* Whether the gates were wiped: this is a child, made by whatever call, that has not started. */
bool threads_are_wiped(void);

/* True for one thread of such a child, which starts it, then calls threads_end_child; the others
 * wait for that. All signals are blocked. */
bool threads_begin_child(void);
void threads_end_child(void);

/* In a forked child: the states so far were the parent's. */
void threads_forget(void);

/* The id of the process. */
long threads_process(void);

/* Memory of this process, copied by the kernel, since it may go away: how many bytes there were, or
 * a negative errno. Signal-safe. */
long threads_copy(void *to, const void *from, uint64_t bytes);

/* Whether this is a child that runs in its parent's own memory (vfork) until it executes another
 * program: what it changes is its parent's. A system call. Signal-safe. */
bool threads_are_borrowed(void);

/* The state of the calling thread; null where it has none (yet). Signal-safe. */
static inline struct thread_state *threads_current(void) {
  uint64_t owner = ascribe_cell.gate->owner;
  return owner > ASCRIBE_STANDBY ? (struct thread_state *)owner : 0;
}

/* All states ever made, newest first, for sums; they are never freed. */
struct thread_state *threads_all(void);

#endif
