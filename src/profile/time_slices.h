/* What was measured when: a run's time in slices, and what of each amount was in which. */
#ifndef ASCRIBE_PROFILE_TIME_SLICES_H
#define ASCRIBE_PROFILE_TIME_SLICES_H

#include <stdint.h>

#include "profile/tick_rows.h"

/* A part of a process's time. Slices of a process follow each other; between two there may be time
 * in which it did not run. Times are nanoseconds since the first process was started. */
struct profile_slice {
  uint32_t process;
  uint64_t start_ns, end_ns;
  uint64_t cpu_ns;         /* CPU time of the process in it, as the kernel counts it */
  uint64_t system_ns;      /* raw (tick_rows.h): ticks in the kernel, of the clock of CPU time */
  uint64_t resident_bytes; /* the most of its memory until the slice began; 0: not known */
};

/* The part in one slice of a tick's amount and of an instruction's; both are of one metric. */
struct profile_slice_tick {
  uint32_t slice;
  uint32_t tick;
  uint32_t instruction; /* or NOTHING */
  struct amount amount;
};

/* How often one cost centre was entered from another in a slice: a transition of profile->centres.
 */
struct profile_slice_entries {
  uint32_t slice;
  uint32_t transition;
  uint64_t count;
};

/* A moment to which the program gave a name. */
struct profile_mark {
  uint32_t process;
  uint64_t time_ns; /* as of slices */
  const char *text;
};

/* The part of the run that a profile is of: slices that begin in it (attribution/interval.h). */
struct profile_interval {
  uint64_t from_ns, to_ns; /* to_ns 0: all of it */
};

#endif
