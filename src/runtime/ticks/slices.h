/* Slices of the process's time, to which ticks are charged, so that every figure of ticks can be
 * had of any part of the run. They take about 10 ms at first. After SLICES_OF_A_LENGTH, or when so
 * many entries were made that short slices no longer pay, they take twice as long: a run of any
 * length has a few thousand. */
#ifndef ASCRIBE_RUNTIME_SLICES_H
#define ASCRIBE_RUNTIME_SLICES_H

#include <stdint.h>

/* A process begins to record, and slice 0 with it. Not for handlers. */
void slices_start(void);

/* The number of the slice that `tsc`, of the time-stamp counter, is in. A new one begins with it if
 * the last one has ended; where that has no room, the last one goes on. Any thread; signal-safe,
 * and may be interrupted by itself. */
uint32_t slices_at(uint64_t tsc);

/* The slice that the last tick was in, as slices_at. */
extern __attribute__((visibility("hidden"))) uint32_t slices_number; /* atomic */
static inline uint32_t slices_last(void) {
  return __atomic_load_n(&slices_number, __ATOMIC_RELAXED);
}

/* One more entry was made of what is kept by slice. As above. */
void slices_note_entry(void);

#endif
