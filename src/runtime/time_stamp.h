/* The time-stamp counter, which a program may forbid to itself (PR_SET_TSC): reading it is a fault
 * then, and the kernel's clock stands in. Signal-safe. */
#ifndef ASCRIBE_RUNTIME_TIME_STAMP_H
#define ASCRIBE_RUNTIME_TIME_STAMP_H

#include <stdbool.h>
#include <stdint.h>

extern __attribute__((visibility("hidden"))) int time_stamp_forbidden; /* atomic */

/* In about the counter's cycles; goes on from its last reading. */
uint64_t time_stamp_of_clock(void);

static inline uint64_t time_stamp(void) {
  if (__builtin_expect(__atomic_load_n(&time_stamp_forbidden, __ATOMIC_ACQUIRE), 0))
    return time_stamp_of_clock();
  return __builtin_ia32_rdtsc();
}

/* Before the program forbids it to any thread. */
void time_stamp_forbid(void);

#endif
