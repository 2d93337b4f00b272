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

/* From now on it is time of a pause, or no longer. Signal-safe; one thread at a time. */
void cpu_time_set_paused(bool paused);

/* The calling thread goes on with the record: it adds to what earlier owners used. */
void cpu_time_start_thread(struct thread_state *thread);

/* Refresh the record of the calling thread. Signal-safe. */
void cpu_time_update_thread(const struct thread_state *thread);

/* Refresh the record of another thread, which is alive: without the part in the kernel. */
void cpu_time_look_at_thread(const struct thread_state *thread);

#endif
