/* Calls of MPI: by the line that made them, and as metrics. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_MESSAGES_H
#define ASCRIBE_ATTRIBUTION_RECORDED_MESSAGES_H

#include "attribution/recorded/recorded_centres.h"
#include "attribution/recorded/stack_ticks.h"

struct message_adder {
  struct stack_ticks *stack_ticks;
  struct recorded_centres *centres;
  uint32_t metrics[MESSAGE_METRIC_COUNT]; /* 0: none yet */
};

/* Those of the process that frames are of, which the profile has last; its threads begin at
 * `first_thread`. */
void recorded_messages_add(struct message_adder *adder, const struct process_recording *process,
                           uint32_t first_thread);

/* The name of an enum mpi_call that is not 0: "MPI_Send". Constant. */
const char *recorded_messages_call(uint32_t call);

#endif
