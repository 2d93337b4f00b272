/* The time-stamp counter, which a program may forbid to itself (PR_SET_TSC): reading it is a fault
 * then, and the kernel's clock stands in. Signal-safe. */
#ifndef ASCRIBE_RUNTIME_TIME_STAMP_H
#define ASCRIBE_RUNTIME_TIME_STAMP_H

#include <stdbool.h>
#include <stdint.h>

extern __attribute__((visibility("hidden"))) int time_stamp_forbidden; /* atomic */

/* In about the counter's cycles; goes on from its last reading. */
uint64_t time_stamp_of_clock(void);

static inline bool time_stamp_is_forbidden(void) {
  return __builtin_expect(__atomic_load_n(&time_stamp_forbidden, __ATOMIC_ACQUIRE), 0);
}

static inline uint64_t time_stamp(void) {
  return time_stamp_is_forbidden() ? time_stamp_of_clock() : __builtin_ia32_rdtsc();
}

/* Waits for what came before, so that no work moves over the reading. Where it is permitted. */
static inline uint64_t time_stamp_in_order(void) {
  uint32_t low, high;
  __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
  return (uint64_t)high << 32 | low;
}

/* Whether its rate is the same at all times. Not for handlers. */
bool time_stamp_runs_evenly(void);

/* Before the program forbids it to any thread. */
void time_stamp_forbid(void);

#endif
