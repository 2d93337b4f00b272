/* What a program allocated (recording/reader.h, struct heap_entry): metrics of the profile, and
 * sums of its processes. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_RECORDED_HEAP_H
#define ASCRIBE_ATTRIBUTION_RECORDED_RECORDED_HEAP_H

#include "attribution/recorded/block_types.h"
#include "attribution/recorded/recorded_centres.h"
#include "attribution/recorded/stack_ticks.h"

struct heap_adder {
  struct profile *profile;
  struct places *places;
  struct stack_ticks *stack_ticks; /* of the process at hand */
  struct recorded_centres *centres;
  uint32_t metrics[HEAP_AREAS][HEAP_METRIC_COUNT]; /* 0: none yet; NOTHING: there is none */
  struct block_types types;
};

/* Add what the process that frames are of allocated to profile->processes' last one, whose threads
 * begin at `first_thread` and whose slices at `first_slice`. The order of process->heap_parts
 * changes. */
void recorded_heap_add(struct heap_adder *adder, const struct process_recording *process,
                       uint32_t first_thread, uint32_t first_slice);

void recorded_heap_close(struct heap_adder *adder);

#endif
