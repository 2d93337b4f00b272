/* The CPU time of the process and of its threads, as the kernel counts it, in the recording's
 * header and in their records. */
#ifndef ASCRIBE_RUNTIME_CPU_TIME_H
#define ASCRIBE_RUNTIME_CPU_TIME_H

#include <stdbool.h>

#include "runtime/registry/thread_state.h"

/* The recording begins: what the process, or another program in it, used before is not counted. */
void cpu_time_start(void);

/* Refresh the header. Signal-safe, any thread. */
void cpu_time_update(void);

/* Nanoseconds that the process has used since the recording began, without pauses, and the most of
 * its memory that was ever resident; false: the kernel may not be asked. Signal-safe. */
bool cpu_time_used(uint64_t *ns, uint64_t *resident_bytes);

/* Cycles of the time-stamp counter in so many nanoseconds, at most an hour, by the rate that it has
 * had so far. Signal-safe. */
uint64_t cpu_time_cycles(uint64_t ns);

/* From now on it is time of a pause, or no longer. Signal-safe; one thread at a time. */
void cpu_time_set_paused(bool paused);

/* The calling thread goes on with the record: it adds to what earlier owners used. */
void cpu_time_start_thread(struct thread_state *thread);

/* Refresh the record of the calling thread. Signal-safe. */
void cpu_time_update_thread(const struct thread_state *thread);

/* Refresh the record of another thread, which is alive: without the part in the kernel. */
void cpu_time_look_at_thread(const struct thread_state *thread);

#endif
