/* The runtime as a library that the dynamic linker loads into programs built without it. */
#ifndef ASCRIBE_CLI_PRELOAD_H
#define ASCRIBE_CLI_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

/* The value for LD_PRELOAD: the runtime, with what records allocations if `heap` and calls of MPI
 * if `mpi`, before what stands there already.  A path that LD_PRELOAD cannot hold is reached by a
 * link in `directory`. Returns 0, or -1 when the runtime is not found or the value too long. */
int preload_value(const char *directory, bool heap, bool mpi, char value[PATH_MAX]);

/* The value for ASAN_OPTIONS: what stands there already, and that libasan need not come first.
 * Returns 0, or -1 when it is too long. */
int preload_sanitizer(char value[PATH_MAX]);

#endif
