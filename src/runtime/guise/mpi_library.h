/* The library of MPI that the program uses, as the parts of libascribe-mpi-calls.so see it: without
 * its header, so that one library serves Open MPI and all that have the ABI of MPICH.
 *
 * Handles are pointers in Open MPI and 32-bit numbers in MPICH; here they are words, in which
 * handle_of clears what a 32-bit number leaves undefined. */
#ifndef ASCRIBE_RUNTIME_MPI_LIBRARY_H
#define ASCRIBE_RUNTIME_MPI_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/layout.h"

typedef uintptr_t mpi_handle;
typedef intptr_t mpi_count; /* MPI_Count, MPI_Aint */

#define MPI_STATUS_BYTES 24u /* of the library's own struct, at most */

/* Constant once `known` is set. Functions are those with PMPI_ before their name. */
struct mpi_library {
  bool known;   /* atomic */
  bool is_open; /* Open MPI's ABI; else MPICH's */
  size_t status_bytes;
  mpi_handle world, comm_null, datatype_null, no_op;
  mpi_handle request_empty; /* Open MPI's for messages that were done at once */
  const void *status_ignore, *in_place;
  /* Where the addresses are that Fortran passes for these; null: not known. */
  const void *const *fortran_status_ignore, *const *fortran_statuses_ignore;
  const void *const *fortran_in_place;
  const void *const *f08_status_ignore, *const *f08_statuses_ignore; /* of MPICH */
  const void *f08_in_place; /* of MPICH: where the descriptor says that the data are */
  int any_source, proc_null;
  int topology_grid, topology_graph; /* MPI_CART, MPI_GRAPH */
  int (*type_size)(mpi_handle, int *);
  int (*type_size_x)(mpi_handle, int64_t *); /* null: the library is older than MPI 3.0 */
  int (*comm_group)(mpi_handle, mpi_handle *);
  int (*comm_remote_group)(mpi_handle, mpi_handle *);
  int (*comm_test_inter)(mpi_handle, int *);
  int (*comm_rank)(mpi_handle, int *);
  int (*group_size)(mpi_handle, int *);
  int (*group_translate_ranks)(mpi_handle, int, const int *, mpi_handle, int *);
  int (*group_free)(mpi_handle *);
  /* Of windows and topologies; null: the library has none. */
  int (*win_get_group)(mpi_handle, mpi_handle *);
  int (*topo_test)(mpi_handle, int *);
  int (*cartdim_get)(mpi_handle, int *);
  int (*cart_shift)(mpi_handle, int, int, int *, int *);
  int (*graph_neighbors_count)(mpi_handle, int, int *);
  int (*dist_graph_neighbors_count)(mpi_handle, int *, int *, int *);
  /* Null: a Fortran handle is the handle. */
  mpi_handle (*type_f2c)(int), (*comm_f2c)(int), (*request_f2c)(int), (*message_f2c)(int),
      (*win_f2c)(int), (*op_f2c)(int);
};
extern struct mpi_library mpi;

static inline mpi_handle handle_of(mpi_handle handle) {
  return mpi.is_open ? handle : (uint32_t)handle;
}

/* A handle in memory: a request of an array. */
static inline mpi_handle handle_at(const void *handles, size_t index) {
  return mpi.is_open ? ((const mpi_handle *)handles)[index] : ((const uint32_t *)handles)[index];
}

/* The same from Fortran. */
static inline mpi_handle fortran_handle(mpi_handle (*f2c)(int), int handle) {
  return f2c ? f2c(handle) : (uint32_t)handle;
}

/* What a received message's status says. */
static inline int status_source(const void *status) {
  return ((const int *)status)[mpi.is_open ? 0 : 2];
}
static inline int status_tag(const void *status) {
  return ((const int *)status)[mpi.is_open ? 1 : 3];
}
static inline int status_error(const void *status) {
  return ((const int *)status)[mpi.is_open ? 2 : 4];
}
static inline bool status_is_cancelled(const void *status) {
  const int *numbers = status;
  return mpi.is_open ? numbers[3] : numbers[1] & 1;
}
static inline uint64_t status_received(const void *status) {
  const uint32_t *numbers = status;
  return mpi.is_open ? *(const uint64_t *)(numbers + 4)
                     : numbers[0] | (uint64_t)(numbers[1] >> 1) << 32;
}

/* ---- communicators ---- */

/* What is known of one: who its ranks are. */
struct communicator;

/* Null: the handle is of none. Any thread; the caller is in a call of MPI that uses it. */
const struct communicator *communicator_of(mpi_handle handle);
/* The ranks that a window of memory is of; its handle is that of no communicator. It has no number.
 */
const struct communicator *communicator_of_window(mpi_handle window);
/* The program has made it just now, or the call that should have has made none (comm_null). All of
 * its processes say so in the same order of those that have the same ranks. */
void communicator_made(mpi_handle handle);
/* A number that it has in all of its processes, and that no other one of these has; 0: not known.
 */
uint32_t communicator_id(const struct communicator *communicator);
/* The program is about to free it, or a window: another one may get its handle. */
void communicator_forget(mpi_handle handle);
/* Its ranks stay known after that, until as many releases. */
void communicator_keep(const struct communicator *communicator);
void communicator_release(const struct communicator *communicator);

/* The rank in MPI_COMM_WORLD, plus 1, of one there; 0: not known. Of an inter-communicator it is
 * one of the other group. */
uint32_t communicator_peer(const struct communicator *communicator, int rank);
int communicator_rank(const struct communicator *communicator);
/* Whether it is known, and has one group: ranks, sizes and roots are of this group. */
bool communicator_is_intra(const struct communicator *communicator);
/* How many ranks send to one, or receive from it. */
int communicator_size(const struct communicator *communicator);

/* ---- requests ---- */

/* A message that was begun and is not done, or a persistent request: of a message or of a
 * collective operation. */
struct request {
  const struct communicator *communicator;
  uint64_t site; /* where it was made */
  uint32_t call; /* enum mpi_call */
  uint32_t context, centre;
  int partner;
  bool sends, persistent;
  bool active;     /* a persistent one that was started and is not done */
  bool collective; /* it has no partner, and counts as one that sends */
  uint64_t bytes;  /* if it sends, or is partitioned */
  uint64_t got;    /* of a collective operation */
  int tag;
  struct recorded_message_end *end;  /* of the message under way; null: none is recorded */
  struct recorded_message_end *sent; /* of the one that it sends beside that (MPI_Isendrecv) */
};

/* Another one of this handle is forgotten. Any thread. */
void request_note(mpi_handle handle, const struct request *request);
/* Whether it was noted; then what as, with a communicator that the caller is to release. It is
 * forgotten, unless it is persistent and not `forever`. */
bool request_take(mpi_handle handle, bool forever, struct request *request);
bool request_is_noted(mpi_handle handle);
/* That a persistent one was started, with the end of its message, or is done. */
void request_set_active(mpi_handle handle, bool active, struct recorded_message_end *end);
/* In a forked child, whose requests they are not. */
void requests_forget(void);

#endif
