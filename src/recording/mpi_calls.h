/* The functions of MPI whose calls are recorded, by the numbers that recordings have for them: from
 * 1 on, in this order. New ones go to the end. */
#ifndef ASCRIBE_RECORDING_MPI_CALLS_H
#define ASCRIBE_RECORDING_MPI_CALLS_H

#include <stdint.h>

/* What the time in a call is. */
enum mpi_call_kind {
  MPI_CALL_TRANSFER,   /* it sends or receives, or begins to; a blocking receive waits, too */
  MPI_CALL_WAIT,       /* it waits for what was begun, or looks whether it is done */
  MPI_CALL_COLLECTIVE, /* all of a communicator take part */
  MPI_CALL_OTHER       /* start, end, communicators */
};

#define MPI_CALLS(CALL)                                                                            \
  CALL(Send, TRANSFER)                                                                             \
  CALL(Bsend, TRANSFER)                                                                            \
  CALL(Ssend, TRANSFER)                                                                            \
  CALL(Rsend, TRANSFER)                                                                            \
  CALL(Isend, TRANSFER)                                                                            \
  CALL(Ibsend, TRANSFER)                                                                           \
  CALL(Issend, TRANSFER)                                                                           \
  CALL(Irsend, TRANSFER)                                                                           \
  CALL(Send_init, TRANSFER)                                                                        \
  CALL(Bsend_init, TRANSFER)                                                                       \
  CALL(Ssend_init, TRANSFER)                                                                       \
  CALL(Rsend_init, TRANSFER)                                                                       \
  CALL(Recv, TRANSFER)                                                                             \
  CALL(Irecv, TRANSFER)                                                                            \
  CALL(Recv_init, TRANSFER)                                                                        \
  CALL(Mrecv, TRANSFER)                                                                            \
  CALL(Sendrecv, TRANSFER)                                                                         \
  CALL(Sendrecv_replace, TRANSFER)                                                                 \
  CALL(Start, TRANSFER)                                                                            \
  CALL(Startall, TRANSFER)                                                                         \
  CALL(Wait, WAIT)                                                                                 \
  CALL(Waitall, WAIT)                                                                              \
  CALL(Waitany, WAIT)                                                                              \
  CALL(Waitsome, WAIT)                                                                             \
  CALL(Test, WAIT)                                                                                 \
  CALL(Testall, WAIT)                                                                              \
  CALL(Testany, WAIT)                                                                              \
  CALL(Testsome, WAIT)                                                                             \
  CALL(Probe, WAIT)                                                                                \
  CALL(Iprobe, WAIT)                                                                               \
  CALL(Mprobe, WAIT)                                                                               \
  CALL(Improbe, WAIT)                                                                              \
  CALL(Barrier, COLLECTIVE)                                                                        \
  CALL(Bcast, COLLECTIVE)                                                                          \
  CALL(Reduce, COLLECTIVE)                                                                         \
  CALL(Allreduce, COLLECTIVE)                                                                      \
  CALL(Scan, COLLECTIVE)                                                                           \
  CALL(Exscan, COLLECTIVE)                                                                         \
  CALL(Gather, COLLECTIVE)                                                                         \
  CALL(Gatherv, COLLECTIVE)                                                                        \
  CALL(Scatter, COLLECTIVE)                                                                        \
  CALL(Scatterv, COLLECTIVE)                                                                       \
  CALL(Allgather, COLLECTIVE)                                                                      \
  CALL(Allgatherv, COLLECTIVE)                                                                     \
  CALL(Alltoall, COLLECTIVE)                                                                       \
  CALL(Alltoallv, COLLECTIVE)                                                                      \
  CALL(Reduce_scatter, COLLECTIVE)                                                                 \
  CALL(Reduce_scatter_block, COLLECTIVE)                                                           \
  CALL(Ibarrier, COLLECTIVE)                                                                       \
  CALL(Ibcast, COLLECTIVE)                                                                         \
  CALL(Ireduce, COLLECTIVE)                                                                        \
  CALL(Iallreduce, COLLECTIVE)                                                                     \
  CALL(Iallgather, COLLECTIVE)                                                                     \
  CALL(Ialltoall, COLLECTIVE)                                                                      \
  CALL(Init, OTHER)                                                                                \
  CALL(Init_thread, OTHER)                                                                         \
  CALL(Finalize, OTHER)                                                                            \
  CALL(Comm_dup, OTHER)                                                                            \
  CALL(Comm_split, OTHER)                                                                          \
  CALL(Comm_create, OTHER)                                                                         \
  CALL(Comm_free, OTHER)                                                                           \
  CALL(Imrecv, TRANSFER)                                                                           \
  CALL(Iscan, COLLECTIVE)                                                                          \
  CALL(Iexscan, COLLECTIVE)                                                                        \
  CALL(Ireduce_scatter, COLLECTIVE)                                                                \
  CALL(Ireduce_scatter_block, COLLECTIVE)                                                          \
  CALL(Igather, COLLECTIVE)                                                                        \
  CALL(Iscatter, COLLECTIVE)                                                                       \
  CALL(Igatherv, COLLECTIVE)                                                                       \
  CALL(Iscatterv, COLLECTIVE)                                                                      \
  CALL(Iallgatherv, COLLECTIVE)                                                                    \
  CALL(Ialltoallv, COLLECTIVE)                                                                     \
  CALL(Alltoallw, COLLECTIVE)                                                                      \
  CALL(Ialltoallw, COLLECTIVE)                                                                     \
  CALL(Comm_split_type, OTHER)                                                                     \
  CALL(Comm_create_group, OTHER)                                                                   \
  CALL(Comm_idup, OTHER)                                                                           \
  CALL(Cart_create, OTHER)

enum mpi_call {
  MPI_CALL_NONE,
#define NUMBER_OF_CALL(name, kind) MPI_CALL_##name,
  MPI_CALLS(NUMBER_OF_CALL)
#undef NUMBER_OF_CALL
      MPI_CALL_NUMBERS
};

/* Which processes of a communicator wait for which in a blocking collective call. */
enum mpi_meeting {
  MPI_MEETING_NONE,   /* not a blocking collective call, or one of which that is not known */
  MPI_MEETING_OF_ALL, /* each for all */
  MPI_MEETING_ROOT,   /* all for the root */
  MPI_MEETING_AT_ROOT /* the root for all */
};

static inline enum mpi_meeting mpi_meeting_of(uint32_t call) {
  switch (call) {
  case MPI_CALL_Barrier:
  case MPI_CALL_Allreduce:
  case MPI_CALL_Allgather:
  case MPI_CALL_Allgatherv:
  case MPI_CALL_Alltoall:
  case MPI_CALL_Alltoallv:
  case MPI_CALL_Alltoallw:
  case MPI_CALL_Reduce_scatter:
  case MPI_CALL_Reduce_scatter_block:
    return MPI_MEETING_OF_ALL;
  case MPI_CALL_Bcast:
  case MPI_CALL_Scatter:
  case MPI_CALL_Scatterv:
    return MPI_MEETING_ROOT;
  case MPI_CALL_Reduce:
  case MPI_CALL_Gather:
  case MPI_CALL_Gatherv:
    return MPI_MEETING_AT_ROOT;
  default:
    return MPI_MEETING_NONE;
  }
}

#endif
