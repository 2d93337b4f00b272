/* Whether SIGTRAP can be the tick. */
#ifndef ASCRIBE_RUNTIME_SIGTRAP_H
#define ASCRIBE_RUNTIME_SIGTRAP_H

#include <stdbool.h>

/* Valgrind takes the kernel's for its own fault.  Before Linux 5.18 the kernel kills a program that
 * blocks it when a sample is due; and a debugger takes every SIGTRAP for its own. Not for handlers.
 */
bool sigtrap_is_safe(void);

/* Since Linux 6.11 the signal of a sample in the kernel always waits for the return to user code:
 * before, it could end a system call with EINTR (since 6.1 it waits only where the thread has left
 * the processor meanwhile). Not for handlers. */
bool sigtrap_spares_calls(void);

#endif
