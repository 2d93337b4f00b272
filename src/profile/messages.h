/* What a process called of MPI, and what it sent and received. */
#ifndef ASCRIBE_PROFILE_MESSAGES_H
#define ASCRIBE_PROFILE_MESSAGES_H

#include <stdbool.h>
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

/* One end of a message, or a part in a collective call: the call that posted the send or the
 * receive, and the call that completed it, which may be the same. Kept until its other end is
 * known. Times are of the time-stamp counter (profile_process.clock). */
struct profile_message_end {
  uint32_t process;
  uint32_t line, wait_line; /* of these calls, or NOTHING */
  uint32_t call, wait_call; /* enum mpi_call (recording/mpi_calls.h); wait_call: 0: not completed */
  uint32_t communicator;    /* the same in all its processes */
  uint32_t partner;         /* as above; 0 of a receive from any that was not completed, too */
  uint32_t tag;             /* of 32 bits with a sign: below 0: any */
  uint32_t bytes;           /* the low 32 bits */
  uint32_t flags;           /* END_KEPT (recording/layout.h) */
  uint64_t posted;          /* when the first call began */
  uint64_t wait_after;      /* cycles from then until the second one began */
  uint64_t waited;          /* cycles that it took */
};

/* Who came late. */
enum late_end {
  LATE_SENDER,       /* the process receives */
  LATE_RECEIVER,     /* it sends */
  LATE_IN_COLLECTIVE /* both are in a collective call, and the partner began last or is its root */
};

/* Messages of which both ends are known: from one line with a partner's line, and what calls
 * completed them in `process`, which waited because the partner's began later. A call that
 * completes several messages waits for the one that is latest. */
struct profile_message_delay {
  uint32_t process;
  uint32_t line, partner_line;     /* that completes them; where the partner posts them */
  const char *call, *partner_call; /* "MPI_Wait", "MPI_Send"; never null */
  uint32_t partner;                /* rank in MPI_COMM_WORLD, plus 1 */
  enum late_end late_end;
  uint64_t messages;  /* of which both ends are known; or collective calls */
  uint64_t unrelated; /* those of them whose clocks cannot be compared: no figure below has them */
  uint64_t late;      /* those that the process waited for */
  uint64_t late_ns;   /* how long */
  uint64_t late_uncertainty_ns;  /* from comparing clocks; 0: the clock is one */
  uint64_t most_ns;              /* of one call */
  uint64_t clock_uncertainty_ns; /* the largest of a message; less waiting is not told */
};

/* The faster of two fastest calls. */
static inline uint64_t message_least(uint64_t a, uint64_t b) {
  return !a || (b && b < a) ? b : a;
}

#endif
