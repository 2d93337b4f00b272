/* The runtime as a library that the dynamic linker loads into programs built without it. */
#ifndef ASCRIBE_CLI_PRELOAD_H
#define ASCRIBE_CLI_PRELOAD_H

#include <limits.h>

/* The value for LD_PRELOAD: the runtime, before what stands there already.  A path that LD_PRELOAD
 * cannot hold is reached by a link in `directory`.  Returns 0, or -1 when the runtime is not found
 * or the value too long. */
int preload_value(const char *directory, char value[PATH_MAX]);

#endif
