/* What a process called of MPI, and what it sent and received. */
#ifndef ASCRIBE_PROFILE_MESSAGES_H
#define ASCRIBE_PROFILE_MESSAGES_H

#include <stdint.h>

/* Calls from one line, with one partner. */
struct profile_message {
  uint32_t process;
  uint32_t line;    /* that calls, or NOTHING */
  const char *call; /* "MPI_Send"; never null */
  uint32_t kind;    /* enum mpi_call_kind (recording/mpi_calls.h) */
  uint32_t partner; /* rank in MPI_COMM_WORLD, plus 1; 0: none, or not known */
  uint64_t calls;
  /* Messages and their bytes. Collective calls have bytes alone: those that the process gave and
   * got by its arguments. */
  uint64_t sent, sent_bytes, received, received_bytes;
  uint64_t elapsed_ns; /* in the calls, waiting or not */
  uint64_t least_ns;   /* in the fastest of them; 0: there is none */
};

/* The faster of two fastest calls. */
static inline uint64_t message_least(uint64_t a, uint64_t b) {
  return !a || (b && b < a) ? b : a;
}

#endif
