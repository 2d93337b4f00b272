/* A program that confines itself: from a filter of system calls (seccomp) on, calls that it does
 * not need may kill it.  What the runtime would call is asked of the filter before it is put in
 * place, and not called any more (system.h).  So that ticks go on without, room in the recording is
 * made ahead, and the clocks keep one period.
 *
 * A filter binds one thread, or all; it is taken to bind all. Filters that are put in place by a
 * system call instruction of the program's own, not by libc's functions, are not seen. */
#ifndef ASCRIBE_RUNTIME_CONFINEMENT_H
#define ASCRIBE_RUNTIME_CONFINEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/registry/system.h"

struct confinement {
  uint64_t before[SYSTEM_CALLS / 64];
  bool counts; /* one filter more, if the kernel accepts it */
};

/* The program is about to ask for a filter: `filter` is its struct sock_fprog; or for strict mode.
 * Then, what the kernel has said. Not for handlers. */
void confinement_filter(struct confinement *confinement, const void *filter);
void confinement_strict(struct confinement *confinement);
void confinement_asked(const struct confinement *confinement, bool accepted);

/* Whether a recording of its own may be started in a child. */
bool confinement_permits_start(void);

/* At the start of a program: whether a filter is in place that is not known to be harmless.
 * `known`: how many harmless ones there are, according to the environment; null: nothing is
 * believed to be forbidden. If true, everything is forbidden from then on. Uses only system
 * calls the dynamic linker has already made. */
bool confinement_is_inherited(const char *known);

#endif
