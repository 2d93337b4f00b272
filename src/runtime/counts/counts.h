/* The counters of code that counts without contexts (ascribe/hook.h, "Counts").
 *
 * Each thread has an area in the recording with room for the counters of all objects, at the same
 * place in each area; the main thread's is the one that the units lead to.  Areas of threads
 * that are gone are handed on, and readers add all of them up.  Nothing here runs in programs
 * without counters but one look at an empty list. */
#ifndef ASCRIBE_RUNTIME_COUNTS_H
#define ASCRIBE_RUNTIME_COUNTS_H

#include "runtime/registry/thread_state.h"

/* Take over the counters of the object that the runtime is linked to, if it has any. Not for
 * handlers; before there are threads. */
void counts_start(void);

/* The calling thread was attached, is ended, or a pause began or ended in it (thread->paused):
 * count in its area. Signal-safe, but for the end. */
void counts_attach(struct thread_state *thread);
void counts_detach(struct thread_state *thread);
void counts_pause(struct thread_state *thread);

/* A thread that was detached is gone: its area is another's. */
void counts_free(struct thread_state *thread);

/* The calling thread has no state, for want of room: count in the first area, as the first thread
 * does. Signal-safe. */
void counts_attach_unknown(void);

/* In a forked child: count in its own recording; or, if there is none, where nobody looks. */
void counts_start_child(void);
void counts_give_up(void);

/* Called by objects with counters (ascribe/hook.h). */
struct ascribe_unit;
struct ascribe_counting;
void ascribe_counts_loaded(struct ascribe_unit *first, struct ascribe_unit *end, uint64_t *counters,
                           uint64_t *counters_end, const void *code,
                           struct ascribe_counting *counting);

#endif
