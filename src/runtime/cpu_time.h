/* The CPU time of the process, as the kernel counts it, in the recording's header. */
#ifndef ASCRIBE_RUNTIME_CPU_TIME_H
#define ASCRIBE_RUNTIME_CPU_TIME_H

#include <stdbool.h>

/* The recording begins: what the process, or another program in it, used before is not counted. */
void cpu_time_start(void);

/* Refresh the header. Signal-safe, any thread. */
void cpu_time_update(void);

/* From now on it is time of a pause, or no longer. Signal-safe; one thread at a time. */
void cpu_time_set_paused(bool paused);

#endif
