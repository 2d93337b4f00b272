/* Threads by /proc.  A process lives until its last thread ends; if its first one ends before, what
 * /proc/PID says of the memory, the program and the root is gone, and /proc/TID of another thread
 * still says it. */
#ifndef ASCRIBE_BASE_LIVING_THREAD_H
#define ASCRIBE_BASE_LIVING_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* What is left of it, if anything, waits for its parent or for the other threads. */
bool thread_has_ended(uint32_t pid, uint32_t tid);

/* `pid` itself, unless its first thread has ended and another one has not: then that one. */
uint32_t living_thread(uint32_t pid);

#endif
