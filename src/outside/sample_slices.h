/* Slices of the time of a process that is recorded from outside: as the runtime has them
 * (runtime/ticks/slices.h), by the time of samples. */
#ifndef ASCRIBE_OUTSIDE_SAMPLE_SLICES_H
#define ASCRIBE_OUTSIDE_SAMPLE_SLICES_H

#include <stddef.h>
#include <stdint.h>

#include "recording/layout.h"

/* The slice that is so many nanoseconds behind the start of the process. */
uint32_t sample_slice_at(uint64_t ns);

/* The first `count` slices, `tsc` in nanoseconds since the start. For free(). */
struct recorded_slice *sample_slices_make(size_t count);

#endif
