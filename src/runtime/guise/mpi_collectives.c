/* Collective operations: blocking, nonblocking and persistent. Bytes are those that a rank gives
 * and gets, by its arguments; those of a persistent one count whenever it starts.
 *
 * Source: MPI: A Message-Passing Interface Standard, version 4.0, chapter 6 and section 8.6. */
#define WRAPPERS_ARE_SMALL
#include "runtime/guise/mpi_wrappers.h"

/* The arguments that say what a rank sends or receives. Where MPI ignores them, they are not read.
 */
struct share {
  const void *data;
  const void *counts; /* for each rank, of ints or MPI_Counts; null: `count` */
  bool is_large;
  mpi_count count;
  mpi_handle type;
};
#define SAME_FOR_ALL(data, count, type)                                                            \
  (struct share) {                                                                                 \
    data, NULL, false, COUNT(count), TYPE(type)                                                    \
  }
#define FOR_EACH(data, counts, type)                                                               \
  (struct share) {                                                                                 \
    data, counts, call.is_large, 0, TYPE(type)                                                     \
  }

/* For one rank or neighbour. */
static uint64_t elements(const struct share *share, size_t number) {
  mpi_count count = !share->counts    ? share->count
                    : share->is_large ? ((const mpi_count *)share->counts)[number]
                                      : ((const int *)share->counts)[number];
  return count > 0 ? (uint64_t)count : 0;
}

static uint64_t bytes_for(const struct share *share, size_t number) {
  return bytes_of((mpi_count)elements(share, number), share->type);
}

/* If all ranks have the same count. */
static uint64_t own_bytes(const struct share *share) {
  return bytes_of(share->count, share->type);
}

static size_t own_rank(mpi_handle comm) {
  return (size_t)communicator_rank(communicator_of(comm));
}

static uint64_t all_bytes(const struct share *share, mpi_handle comm) {
  uint64_t all = 0;
  size_t ranks = (size_t)communicator_size(communicator_of(comm));
  if (!share->counts) return ranks * own_bytes(share);
  for (size_t i = 0; i < ranks; i++)
    all += elements(share, i);
  return all ? all * bytes_of(1, share->type) : 0;
}

static bool is_in_place(const struct answered_call *call, const void *data) {
  if (call->is_described) return mpi.f08_in_place && *(const void *const *)data == mpi.f08_in_place;
  return data == mpi.in_place || is_constant(data, mpi.fortran_in_place);
}

/* On inter-communicators the meaning of arguments, and which of them are significant, depends on
 * the side and the root. We count no bytes there, and do not read the arguments. */
static bool has_bytes(mpi_handle comm) {
  return communicator_is_intra(communicator_of(comm));
}

static bool is_root(mpi_handle comm, int root) {
  return communicator_rank(communicator_of(comm)) == root;
}

static void broadcast(struct answered_call *call, struct share share, int root, mpi_handle comm) {
  if (!has_bytes(comm)) return;
  bool gives = is_root(comm, root);
  uint64_t bytes = own_bytes(&share);
  gave(call, gives ? bytes : 0, gives ? 0 : bytes);
  took_part(call, comm, gives);
}

static void reduced(struct answered_call *call, struct share share, mpi_handle comm) {
  if (!has_bytes(comm)) return;
  uint64_t bytes = own_bytes(&share);
  gave(call, bytes, bytes);
  took_part(call, comm, false);
}

static void reduced_to(struct answered_call *call, struct share share, int root, mpi_handle comm) {
  if (!has_bytes(comm)) return;
  bool gets = is_root(comm, root);
  uint64_t bytes = own_bytes(&share);
  gave(call, bytes, gets ? bytes : 0);
  took_part(call, comm, gets);
}

static void reduced_for_each(struct answered_call *call, struct share share, mpi_handle comm) {
  if (!has_bytes(comm)) return;
  gave(call, all_bytes(&share, comm), bytes_for(&share, own_rank(comm)));
  took_part(call, comm, false);
}

/* `own` is of one rank, at all; `root` has what is of all. In place, the root's own part stays. */
static void gathered(struct answered_call *call, struct share own, struct share at_root, int root,
                     mpi_handle comm, bool scatters) {
  if (!has_bytes(comm)) return;
  uint64_t one = is_in_place(call, own.data) ? 0 : own_bytes(&own);
  uint64_t whole = is_root(comm, root) ? all_bytes(&at_root, comm) : 0;
  gave(call, scatters ? whole : one, scatters ? one : whole);
  took_part(call, comm, is_root(comm, root));
}

/* `each`: a rank gives its part to each other one by itself. In place both are what is received. */
static void exchanged(struct answered_call *call, struct share given, struct share got,
                      mpi_handle comm, bool each) {
  if (!has_bytes(comm)) return;
  uint64_t whole = all_bytes(&got, comm);
  if (is_in_place(call, given.data))
    gave(call, each ? whole : bytes_for(&got, own_rank(comm)), whole);
  else
    gave(call, each ? all_bytes(&given, comm) : own_bytes(&given), whole);
  took_part(call, comm, false);
}

/* ---- neighbourhoods ---- */

/* A grid has two neighbours in each dimension; beyond its edge there is none. */
static uint64_t grid_elements(const struct share *share, mpi_handle comm) {
  uint64_t all = 0;
  int dimensions = 0;
  if (mpi.cartdim_get(comm, &dimensions)) return 0;
  for (int i = 0; i < dimensions; i++) {
    int neighbours[2];
    if (mpi.cart_shift(comm, i, 1, &neighbours[0], &neighbours[1])) return 0;
    for (int j = 0; j < 2; j++)
      if (neighbours[j] != mpi.proc_null) all += elements(share, (size_t)(2 * i + j));
  }
  return all;
}

static uint64_t neighbour_bytes(const struct share *share, mpi_handle comm, bool receives) {
  int kind, from = 0, to = 0, weighted;
  uint64_t all = 0;
  if (!mpi.topo_test || !mpi.cartdim_get || !mpi.cart_shift || !mpi.graph_neighbors_count ||
      !mpi.dist_graph_neighbors_count || mpi.topo_test(comm, &kind))
    return 0;
  if (kind == mpi.topology_grid) {
    all = grid_elements(share, comm);
  } else if (kind == mpi.topology_graph) {
    if (mpi.graph_neighbors_count(comm, communicator_rank(communicator_of(comm)), &from)) return 0;
    to = from;
  } else if (mpi.dist_graph_neighbors_count(comm, &from, &to, &weighted)) {
    return 0;
  }
  for (int i = 0; i < (receives ? from : to); i++)
    all += elements(share, (size_t)i);
  return all ? all * bytes_of(1, share->type) : 0;
}

static void neighbours_exchanged(struct answered_call *call, struct share given, struct share got,
                                 mpi_handle comm, bool each) {
  if (!has_bytes(comm)) return;
  gave(call, each ? neighbour_bytes(&given, comm, false) : own_bytes(&given),
       neighbour_bytes(&got, comm, true));
}

/* ---- functions ---- */

/* The bytes of a persistent operation are counted at each start, not here where it is made. */
static void note_persistent(struct answered_call *call, mpi_handle request) {
  struct request noted = request_of_call(call);
  noted.partner = mpi.proc_null;
  noted.sends = noted.persistent = noted.collective = true;
  noted.bytes = call->told.sent_bytes;
  noted.got = call->told.received_bytes;
  gave(call, 0, 0);
  request_note(request, &noted);
}

/* A blocking one, a nonblocking one, and a persistent one, which Open MPI 4 has as an extension. */
#define COLLECTIVE_AS(DEFINE_BOTH, Name, name, parameters, fortran_parameters, arguments, ...)     \
  DEFINE_BOTH(Name, name, parameters, fortran_parameters, arguments, __VA_ARGS__)                  \
  DEFINE_BOTH(I##name, i##name, (UNWRAP parameters, void *request),                                \
              (UNWRAP fortran_parameters, int *request), (UNWRAP arguments, request), __VA_ARGS__) \
  DEFINE_BOTH(Name##_init, name##_init, (UNWRAP parameters, mpi_handle info, void *request),       \
              (UNWRAP fortran_parameters, int *info, int *request),                                \
              (UNWRAP arguments, info, request), __VA_ARGS__;                                      \
              note_persistent(&call, REQUEST(request)))                                            \
  DEFINE_AS(MPIX_##Name##_init, Name##_init, FORM_PLAIN,                                           \
            (UNWRAP parameters, mpi_handle info, void *request),                                   \
            (UNWRAP arguments, info, request), __VA_ARGS__;                                        \
            note_persistent(&call, REQUEST(request)))                                              \
  MPIX_FORTRAN(mpix_##name##_init_, Name##_init, fortran_parameters, arguments, __VA_ARGS__)       \
  MPIX_FORTRAN(mpix_##name##_init_f08_, Name##_init, fortran_parameters, arguments, __VA_ARGS__)
#define MPIX_FORTRAN(symbol, Name, fortran_parameters, arguments, ...)                             \
  DEFINE_FORTRAN_AS(symbol, Name, FORM_PLAIN,                                                      \
                    (UNWRAP fortran_parameters, int *info, int *request, int *error),              \
                    (UNWRAP arguments, info, request, error), __VA_ARGS__;                         \
                    note_persistent(&call, REQUEST(request)))
#define COLLECTIVE(Name, name, parameters, fortran_parameters, arguments, ...)                     \
  COLLECTIVE_AS(DEFINE_BOTH_COUNTED, Name, name, parameters, fortran_parameters, arguments,        \
                __VA_ARGS__)

COLLECTIVE_AS(DEFINE_BOTH, Barrier, barrier, (mpi_handle comm), (int *comm), (comm),
              took_part(&call, COMM(comm), false))

COLLECTIVE(Bcast, bcast, (void *data, mpi_count count, mpi_handle type, int root, mpi_handle comm),
           (void *data, int *count, int *type, int *root, int *comm),
           (data, count, type, root, comm),
           broadcast(&call, SAME_FOR_ALL(data, count, type), NUMBER(root), COMM(comm)))

COLLECTIVE(Reduce, reduce,
           (const void *data, void *into, mpi_count count, mpi_handle type, mpi_handle operation,
            int root, mpi_handle comm),
           (void *data, void *into, int *count, int *type, int *operation, int *root, int *comm),
           (data, into, count, type, operation, root, comm),
           reduced_to(&call, SAME_FOR_ALL(data, count, type), NUMBER(root), COMM(comm)))

#define REDUCE_FOR_ALL(Name, name)                                                                 \
  COLLECTIVE(Name, name,                                                                           \
             (const void *data, void *into, mpi_count count, mpi_handle type,                      \
              mpi_handle operation, mpi_handle comm),                                              \
             (void *data, void *into, int *count, int *type, int *operation, int *comm),           \
             (data, into, count, type, operation, comm),                                           \
             reduced(&call, SAME_FOR_ALL(data, count, type), COMM(comm)))
REDUCE_FOR_ALL(Allreduce, allreduce)
REDUCE_FOR_ALL(Scan, scan)
REDUCE_FOR_ALL(Exscan, exscan)

COLLECTIVE(Reduce_scatter, reduce_scatter,
           (const void *data, void *into, const void *counts, mpi_handle type, mpi_handle operation,
            mpi_handle comm),
           (void *data, void *into, void *counts, int *type, int *operation, int *comm),
           (data, into, counts, type, operation, comm),
           reduced_for_each(&call, FOR_EACH(data, counts, type), COMM(comm)))
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block,
           (const void *data, void *into, mpi_count count, mpi_handle type, mpi_handle operation,
            mpi_handle comm),
           (void *data, void *into, int *count, int *type, int *operation, int *comm),
           (data, into, count, type, operation, comm),
           reduced_for_each(&call, SAME_FOR_ALL(data, count, type), COMM(comm)))

COLLECTIVE(Gather, gather,
           (const void *data, mpi_count count, mpi_handle type, void *into, mpi_count into_count,
            mpi_handle into_type, int root, mpi_handle comm),
           (void *data, int *count, int *type, void *into, int *into_count, int *into_type,
            int *root, int *comm),
           (data, count, type, into, into_count, into_type, root, comm),
           gathered(&call, SAME_FOR_ALL(data, count, type),
                    SAME_FOR_ALL(into, into_count, into_type), NUMBER(root), COMM(comm), false))
COLLECTIVE(Scatter, scatter,
           (const void *data, mpi_count count, mpi_handle type, void *into, mpi_count into_count,
            mpi_handle into_type, int root, mpi_handle comm),
           (void *data, int *count, int *type, void *into, int *into_count, int *into_type,
            int *root, int *comm),
           (data, count, type, into, into_count, into_type, root, comm),
           gathered(&call, SAME_FOR_ALL(into, into_count, into_type),
                    SAME_FOR_ALL(data, count, type), NUMBER(root), COMM(comm), true))
COLLECTIVE(Gatherv, gatherv,
           (const void *data, mpi_count count, mpi_handle type, void *into, const void *counts,
            const void *places, mpi_handle into_type, int root, mpi_handle comm),
           (void *data, int *count, int *type, void *into, void *counts, void *places,
            int *into_type, int *root, int *comm),
           (data, count, type, into, counts, places, into_type, root, comm),
           gathered(&call, SAME_FOR_ALL(data, count, type), FOR_EACH(into, counts, into_type),
                    NUMBER(root), COMM(comm), false))
COLLECTIVE(Scatterv, scatterv,
           (const void *data, const void *counts, const void *places, mpi_handle type, void *into,
            mpi_count into_count, mpi_handle into_type, int root, mpi_handle comm),
           (void *data, void *counts, void *places, int *type, void *into, int *into_count,
            int *into_type, int *root, int *comm),
           (data, counts, places, type, into, into_count, into_type, root, comm),
           gathered(&call, SAME_FOR_ALL(into, into_count, into_type), FOR_EACH(data, counts, type),
                    NUMBER(root), COMM(comm), true))

#define EXCHANGE(Name, name, exchanged, each)                                                      \
  COLLECTIVE(                                                                                      \
      Name, name,                                                                                  \
      (const void *data, mpi_count count, mpi_handle type, void *into, mpi_count into_count,       \
       mpi_handle into_type, mpi_handle comm),                                                     \
      (void *data, int *count, int *type, void *into, int *into_count, int *into_type, int *comm), \
      (data, count, type, into, into_count, into_type, comm),                                      \
      exchanged(&call, SAME_FOR_ALL(data, count, type), SAME_FOR_ALL(into, into_count, into_type), \
                COMM(comm), each))
EXCHANGE(Allgather, allgather, exchanged, false)
EXCHANGE(Alltoall, alltoall, exchanged, true)
EXCHANGE(Neighbor_allgather, neighbor_allgather, neighbours_exchanged, false)
EXCHANGE(Neighbor_alltoall, neighbor_alltoall, neighbours_exchanged, true)

#define EXCHANGE_TO_ALL(Name, name, exchanged)                                                     \
  COLLECTIVE(Name, name,                                                                           \
             (const void *data, mpi_count count, mpi_handle type, void *into, const void *counts,  \
              const void *places, mpi_handle into_type, mpi_handle comm),                          \
             (void *data, int *count, int *type, void *into, void *counts, void *places,           \
              int *into_type, int *comm),                                                          \
             (data, count, type, into, counts, places, into_type, comm),                           \
             exchanged(&call, SAME_FOR_ALL(data, count, type), FOR_EACH(into, counts, into_type),  \
                       COMM(comm), false))
EXCHANGE_TO_ALL(Allgatherv, allgatherv, exchanged)
EXCHANGE_TO_ALL(Neighbor_allgatherv, neighbor_allgatherv, neighbours_exchanged)

#define EXCHANGE_BY_EACH(Name, name, exchanged)                                                    \
  COLLECTIVE(Name, name,                                                                           \
             (const void *data, const void *counts, const void *places, mpi_handle type,           \
              void *into, const void *into_counts, const void *into_places, mpi_handle into_type,  \
              mpi_handle comm),                                                                    \
             (void *data, void *counts, void *places, int *type, void *into, void *into_counts,    \
              void *into_places, int *into_type, int *comm),                                       \
             (data, counts, places, type, into, into_counts, into_places, into_type, comm),        \
             exchanged(&call, FOR_EACH(data, counts, type),                                        \
                       FOR_EACH(into, into_counts, into_type), COMM(comm), true))
EXCHANGE_BY_EACH(Alltoallv, alltoallv, exchanged)
EXCHANGE_BY_EACH(Neighbor_alltoallv, neighbor_alltoallv, neighbours_exchanged)

/* Each rank has a type of its own: bytes are not counted. */
#define EXCHANGE_BY_TYPE(Name, name)                                                               \
  COLLECTIVE(Name, name,                                                                           \
             (const void *data, const void *counts, const void *places, const void *types,         \
              void *into, const void *into_counts, const void *into_places,                        \
              const void *into_types, mpi_handle comm),                                            \
             (void *data, void *counts, void *places, void *types, void *into, void *into_counts,  \
              void *into_places, void *into_types, int *comm),                                     \
             (data, counts, places, types, into, into_counts, into_places, into_types, comm),      \
             took_part(&call, COMM(comm), false))
EXCHANGE_BY_TYPE(Alltoallw, alltoallw)
EXCHANGE_BY_TYPE(Neighbor_alltoallw, neighbor_alltoallw)
