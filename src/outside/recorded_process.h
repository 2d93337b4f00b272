/* The process that makes a recording, by the recording: ids that it knows itself by are those of
 * its own PID namespace, and may be others' here. */
#ifndef ASCRIBE_OUTSIDE_RECORDED_PROCESS_H
#define ASCRIBE_OUTSIDE_RECORDED_PROCESS_H

#include <stdint.h>

/* Our id of the process that knows itself as `pid` and has the open file `recording` mapped; 0 if
 * there is none.  Where we may not see what `pid` has mapped, it is that one if it is a child of
 * `parent`. RECORDED_PROCESS_LATER: ask again, all processes were looked through just now. */
#define RECORDED_PROCESS_LATER UINT32_MAX
uint32_t recorded_process_find(uint32_t pid, uint32_t parent, int recording);

/* Our id of the thread of process `pid` that knows itself as `tid`, or 0. */
uint32_t recorded_thread_find(uint32_t pid, uint32_t tid);

#endif
