/* What a lazy host allocates, and what of it is live: by cost centre, and by the closure's kind,
 * description and size (ascribe/host.h).  Counted in the thread's table of transitions. */
#ifndef ASCRIBE_RUNTIME_CLOSURES_H
#define ASCRIBE_RUNTIME_CLOSURES_H

#include "runtime/registry/thread_state.h"

/* As ascribe_host_closure; 0: there is no room, or it makes no sense, which is counted. Any thread
 * or signal handler; no lock. */
uint64_t closures_define(uint32_t kind, const char *description, uint64_t bytes);

/* One was allocated in the centre, or counted in the census that is under way. All numbers are a
 * host's, and may be any: those that make no sense are counted. Any moment of the thread. */
void closures_allocated(struct thread_state *thread, uint64_t closure, uint32_t centre);
void closures_census_add(struct thread_state *thread, uint64_t closure, uint32_t centre);

/* A census of the calling thread. Not in signal handlers. */
void closures_census_begin(struct thread_state *thread);
void closures_census_end(struct thread_state *thread);

/* A pause begins or ends in the calling thread: a census that is under way is to have no end. */
void closures_census_pause(struct thread_state *thread);

#endif
