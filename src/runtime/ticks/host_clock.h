/* A language host's own clock (ascribe/host.h): a counter that is read at each change of context.
 */
#ifndef ASCRIBE_RUNTIME_HOST_CLOCK_H
#define ASCRIBE_RUNTIME_HOST_CLOCK_H

#include "runtime/registry/thread_state.h"

/* Whether it is the clock of this process, so that changes of context are to read it. */
bool host_clock_is_wanted(void);

/* What the host counts from now on, and in which unit: in all threads, or in the calling one. */
void host_clock_set(const volatile uint64_t *counter, const char *unit);
void host_clock_set_own(const volatile uint64_t *counter, const char *unit);

/* Charge what was counted since the last time to the context that the calling thread is in. */
void host_clock_read(struct thread_state *thread);

#endif
