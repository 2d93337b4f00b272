/* The runtime may be in a process twice: linked into the executable, and preloaded. */
#ifndef ASCRIBE_RUNTIME_PRESENCE_H
#define ASCRIBE_RUNTIME_PRESENCE_H

#include <stdbool.h>

/* Whether this one is the preloaded one and the executable has its own, which records. */
bool presence_is_second(void);

#endif
