/* Counters of a host's points (ascribe/host.h), in the recording (struct recorded_points).  Owner
 * thread, hooks and signal handlers. */
#ifndef ASCRIBE_RUNTIME_POINT_COUNTS_H
#define ASCRIBE_RUNTIME_POINT_COUNTS_H

#include "runtime/contexts/hosts.h"

/* As ascribe_host_counters; null: there is no room. What is no point counts for nobody. */
volatile uint64_t *point_counts_claim(struct thread_state *thread, const ascribe_point *points,
                                      uint32_t count);

/* A pause begins or ends for the counters of a block, which has a block of pauses. */
void point_counts_pause(struct block_header *block, bool begins);

#endif
