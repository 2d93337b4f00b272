/* The run of a profile as a whole, over all its processes. */
#ifndef ASCRIBE_ATTRIBUTION_RUN_H
#define ASCRIBE_ATTRIBUTION_RUN_H

#include "profile/profile.h"

struct run {
  const char *command, *directory, *host; /* of the first process; "" without one */
  uint64_t started_ns, ended_ns;          /* CLOCK_REALTIME: first start, last sign of life */
  size_t processes;                       /* one that goes on as another program counts once */
  uint32_t hooks;                         /* enum hooks bits */
  uint32_t tick_source, tick_errno;       /* of the first process that had a clock, else 0 */
  uint32_t unmeasured_errno;              /* why a process could not be measured at all, or 0 */
  uint32_t rate_hz;                       /* asked */
  uint64_t period_ns;                     /* as armed */
  uint64_t lost_ticks;                    /* merged with another */
  uint64_t drops[DROP_KINDS];
  uint32_t hindrances; /* enum hindrance bits of any of its processes */
};

void run_make(const struct profile *profile, struct run *run);

/* The ticks a second that the kernel allowed where it was less than what was asked; else 0. */
uint32_t run_rate_allowed(const struct run *run);

/* Why there was no room for all of the recording, and what to do, in words; null where there was.
 */
const char *run_lack(const struct run *run);

/* What used the CPU time that was not recorded. */
const char *run_unrecorded(const struct run *run);

enum { HOOKS_TEXT_BYTES = 448 };

/* What was instrumented and what it counts, in words: "contexts, ...". */
void hooks_text(uint32_t hooks, char text[HOOKS_TEXT_BYTES]);

/* Where ticks came from, in words. */
const char *clock_text(uint32_t tick_source);

#endif
