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
  MPI_CALL_OTHER,      /* start, end, communicators, windows */
  MPI_CALL_FILE        /* on files: what it sends is written, what it receives is read */
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
  CALL(Cart_create, OTHER)                                                                         \
  CALL(Isendrecv, TRANSFER)                                                                        \
  CALL(Isendrecv_replace, TRANSFER)                                                                \
  CALL(Put, TRANSFER)                                                                              \
  CALL(Get, TRANSFER)                                                                              \
  CALL(Accumulate, TRANSFER)                                                                       \
  CALL(Get_accumulate, TRANSFER)                                                                   \
  CALL(Rput, TRANSFER)                                                                             \
  CALL(Rget, TRANSFER)                                                                             \
  CALL(Raccumulate, TRANSFER)                                                                      \
  CALL(Rget_accumulate, TRANSFER)                                                                  \
  CALL(Fetch_and_op, TRANSFER)                                                                     \
  CALL(Compare_and_swap, TRANSFER)                                                                 \
  CALL(Win_fence, COLLECTIVE)                                                                      \
  CALL(Win_post, WAIT)                                                                             \
  CALL(Win_start, WAIT)                                                                            \
  CALL(Win_complete, WAIT)                                                                         \
  CALL(Win_wait, WAIT)                                                                             \
  CALL(Win_test, WAIT)                                                                             \
  CALL(Win_lock, WAIT)                                                                             \
  CALL(Win_lock_all, WAIT)                                                                         \
  CALL(Win_unlock, WAIT)                                                                           \
  CALL(Win_unlock_all, WAIT)                                                                       \
  CALL(Win_flush, WAIT)                                                                            \
  CALL(Win_flush_all, WAIT)                                                                        \
  CALL(Win_flush_local, WAIT)                                                                      \
  CALL(Win_flush_local_all, WAIT)                                                                  \
  CALL(Win_sync, WAIT)                                                                             \
  CALL(Win_create, OTHER)                                                                          \
  CALL(Win_create_dynamic, OTHER)                                                                  \
  CALL(Win_allocate, OTHER)                                                                        \
  CALL(Win_allocate_shared, OTHER)                                                                 \
  CALL(Win_free, OTHER)                                                                            \
  CALL(Neighbor_allgather, COLLECTIVE)                                                             \
  CALL(Neighbor_allgatherv, COLLECTIVE)                                                            \
  CALL(Neighbor_alltoall, COLLECTIVE)                                                              \
  CALL(Neighbor_alltoallv, COLLECTIVE)                                                             \
  CALL(Neighbor_alltoallw, COLLECTIVE)                                                             \
  CALL(Ineighbor_allgather, COLLECTIVE)                                                            \
  CALL(Ineighbor_allgatherv, COLLECTIVE)                                                           \
  CALL(Ineighbor_alltoall, COLLECTIVE)                                                             \
  CALL(Ineighbor_alltoallv, COLLECTIVE)                                                            \
  CALL(Ineighbor_alltoallw, COLLECTIVE)                                                            \
  CALL(Barrier_init, COLLECTIVE)                                                                   \
  CALL(Bcast_init, COLLECTIVE)                                                                     \
  CALL(Reduce_init, COLLECTIVE)                                                                    \
  CALL(Allreduce_init, COLLECTIVE)                                                                 \
  CALL(Scan_init, COLLECTIVE)                                                                      \
  CALL(Exscan_init, COLLECTIVE)                                                                    \
  CALL(Gather_init, COLLECTIVE)                                                                    \
  CALL(Gatherv_init, COLLECTIVE)                                                                   \
  CALL(Scatter_init, COLLECTIVE)                                                                   \
  CALL(Scatterv_init, COLLECTIVE)                                                                  \
  CALL(Allgather_init, COLLECTIVE)                                                                 \
  CALL(Allgatherv_init, COLLECTIVE)                                                                \
  CALL(Alltoall_init, COLLECTIVE)                                                                  \
  CALL(Alltoallv_init, COLLECTIVE)                                                                 \
  CALL(Alltoallw_init, COLLECTIVE)                                                                 \
  CALL(Reduce_scatter_init, COLLECTIVE)                                                            \
  CALL(Reduce_scatter_block_init, COLLECTIVE)                                                      \
  CALL(Neighbor_allgather_init, COLLECTIVE)                                                        \
  CALL(Neighbor_allgatherv_init, COLLECTIVE)                                                       \
  CALL(Neighbor_alltoall_init, COLLECTIVE)                                                         \
  CALL(Neighbor_alltoallv_init, COLLECTIVE)                                                        \
  CALL(Neighbor_alltoallw_init, COLLECTIVE)                                                        \
  CALL(Comm_dup_with_info, OTHER)                                                                  \
  CALL(Cart_sub, OTHER)                                                                            \
  CALL(Graph_create, OTHER)                                                                        \
  CALL(Dist_graph_create, OTHER)                                                                   \
  CALL(Dist_graph_create_adjacent, OTHER)                                                          \
  CALL(Intercomm_create, OTHER)                                                                    \
  CALL(Intercomm_merge, OTHER)                                                                     \
  CALL(File_open, FILE)                                                                            \
  CALL(File_close, FILE)                                                                           \
  CALL(File_delete, FILE)                                                                          \
  CALL(File_set_view, FILE)                                                                        \
  CALL(File_set_size, FILE)                                                                        \
  CALL(File_preallocate, FILE)                                                                     \
  CALL(File_sync, FILE)                                                                            \
  CALL(File_read, FILE)                                                                            \
  CALL(File_read_all, FILE)                                                                        \
  CALL(File_read_at, FILE)                                                                         \
  CALL(File_read_at_all, FILE)                                                                     \
  CALL(File_read_shared, FILE)                                                                     \
  CALL(File_read_ordered, FILE)                                                                    \
  CALL(File_iread, FILE)                                                                           \
  CALL(File_iread_all, FILE)                                                                       \
  CALL(File_iread_at, FILE)                                                                        \
  CALL(File_iread_at_all, FILE)                                                                    \
  CALL(File_iread_shared, FILE)                                                                    \
  CALL(File_read_all_begin, FILE)                                                                  \
  CALL(File_read_all_end, FILE)                                                                    \
  CALL(File_read_at_all_begin, FILE)                                                               \
  CALL(File_read_at_all_end, FILE)                                                                 \
  CALL(File_read_ordered_begin, FILE)                                                              \
  CALL(File_read_ordered_end, FILE)                                                                \
  CALL(File_write, FILE)                                                                           \
  CALL(File_write_all, FILE)                                                                       \
  CALL(File_write_at, FILE)                                                                        \
  CALL(File_write_at_all, FILE)                                                                    \
  CALL(File_write_shared, FILE)                                                                    \
  CALL(File_write_ordered, FILE)                                                                   \
  CALL(File_iwrite, FILE)                                                                          \
  CALL(File_iwrite_all, FILE)                                                                      \
  CALL(File_iwrite_at, FILE)                                                                       \
  CALL(File_iwrite_at_all, FILE)                                                                   \
  CALL(File_iwrite_shared, FILE)                                                                   \
  CALL(File_write_all_begin, FILE)                                                                 \
  CALL(File_write_all_end, FILE)                                                                   \
  CALL(File_write_at_all_begin, FILE)                                                              \
  CALL(File_write_at_all_end, FILE)                                                                \
  CALL(File_write_ordered_begin, FILE)                                                             \
  CALL(File_write_ordered_end, FILE)                                                               \
  CALL(Psend_init, TRANSFER)                                                                       \
  CALL(Precv_init, TRANSFER)                                                                       \
  CALL(Pready, TRANSFER)                                                                           \
  CALL(Pready_range, TRANSFER)                                                                     \
  CALL(Pready_list, TRANSFER)                                                                      \
  CALL(Parrived, WAIT)                                                                             \
  CALL(Comm_idup_with_info, OTHER)                                                                 \
  CALL(Comm_create_from_group, OTHER)                                                              \
  CALL(Intercomm_create_from_groups, OTHER)                                                        \
  CALL(Comm_spawn, OTHER)                                                                          \
  CALL(Comm_spawn_multiple, OTHER)                                                                 \
  CALL(Comm_accept, OTHER)                                                                         \
  CALL(Comm_connect, OTHER)                                                                        \
  CALL(Comm_join, OTHER)                                                                           \
  CALL(Comm_disconnect, OTHER)                                                                     \
  CALL(Session_init, OTHER)                                                                        \
  CALL(Session_finalize, OTHER)

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
  MPI_MEETING_OF_ALL, /* each for all, if it gets anything from them */
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
