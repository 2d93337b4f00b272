/* A POSIX timer of a thread's CPU time, where perf events are refused.  The kernel looks at it at
 * its own ticks only, and sends SIGPROF. */
#ifndef ASCRIBE_RUNTIME_CPU_TIMER_H
#define ASCRIBE_RUNTIME_CPU_TIMER_H

#include <signal.h>

#include "runtime/registry/thread_state.h"

/* For the calling thread; not armed. False: the kernel refuses. */
bool cpu_timer_start(struct thread_state *thread);
void cpu_timer_stop(struct thread_state *thread);

/* One tick after so much time. Of any thread; signal-safe. */
void cpu_timer_set(const struct thread_state *thread, uint64_t ns);

/* Ticks again and again, whenever it has passed; 0: none any more. Of any thread; signal-safe. */
void cpu_timer_repeat(const struct thread_state *thread, uint64_t ns);

/* Whether a SIGPROF is ours. Signal-safe. */
bool cpu_timer_is(const siginfo_t *info);

#endif
