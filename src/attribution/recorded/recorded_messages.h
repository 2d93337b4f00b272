/* Calls of MPI, by the line that made them. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_MESSAGES_H
#define ASCRIBE_ATTRIBUTION_RECORDED_MESSAGES_H

#include "attribution/recorded/places.h"

/* Those of the process at hand (places_enter), which the profile has last. */
void recorded_messages_add(struct places *places, const struct process_recording *process);

/* The name of an enum mpi_call that is not 0: "MPI_Send". Constant. */
const char *recorded_messages_call(uint32_t call);

#endif
