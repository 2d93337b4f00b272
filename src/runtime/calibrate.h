/* What one inline hook costs on this machine, now. */
#ifndef ASCRIBE_RUNTIME_CALIBRATE_H
#define ASCRIBE_RUNTIME_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

/* Picoseconds of one entry and exit that hit the home slot, or of one counter, in a warm
 * cache: what hooks cost at least.  Takes about 20 microseconds; not for signal handlers. */
uint64_t calibrate_hook(bool counters);

#endif
