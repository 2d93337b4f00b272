/* The runtime may be in a process twice: linked into the executable, and preloaded. */
#ifndef ASCRIBE_RUNTIME_PRESENCE_H
#define ASCRIBE_RUNTIME_PRESENCE_H

#include <stdbool.h>

/* Whether this one is the preloaded one and the executable has its own, which records. */
bool presence_is_second(void);

/* Whether the preloaded one cannot record this program, which a recorded one has started: its libc
 * is not glibc, or it takes its signals from the kernel itself, as Go's programs do. */
bool presence_is_foreign(void);

/* Call `function` in forked children. Once, at the start. */
void presence_after_fork(void (*function)(void));

/* Call `function` at exit. Once, at the start. */
void presence_at_exit(void (*function)(void));

#endif
