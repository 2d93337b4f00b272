/* What lies where in a process that runs: /proc/PID/maps. */
#ifndef ASCRIBE_OUTSIDE_MAPS_H
#define ASCRIBE_OUTSIDE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "outside/kernel_record.h"

/* Call `see` with each executable mapping, as the kernel would tell of it.  Its pointers are valid
 * during the call.  0, or -1 with errno when the list cannot be read. */
int maps_read(uint32_t pid, void (*see)(void *context, const struct kernel_mapping *mapping),
              void *context);

#endif
