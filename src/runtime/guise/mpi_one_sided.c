/* One-sided communication: bytes and partners, as the process knows them that asks for it, and how
 * long calls that synchronize wait. These are no messages, which have two ends.
 *
 * Source: MPI: A Message-Passing Interface Standard, version 4.0, chapter 12. */
#define WRAPPERS_ARE_SMALL
#include "runtime/guise/mpi_wrappers.h"

static void reached(struct answered_call *call, mpi_handle window, int rank) {
  if (rank != mpi.proc_null)
    call->told.peer = communicator_peer(communicator_of_window(window), rank);
}

/* What a call moves, by arguments that are looked at only where they are significant. */
struct moved {
  mpi_count count; /* 0: nothing */
  mpi_handle type;
};
#define NOTHING_MOVED ((struct moved){0, 0})
#define MOVED(count, type) ((struct moved){COUNT(count), TYPE(type)})

/* With MPI_NO_OP the process gives nothing (section 12.3.4). */
static struct moved given_to(mpi_handle operation, struct moved given) {
  return handle_of(operation) == mpi.no_op ? NOTHING_MOVED : given;
}

static void moved(struct answered_call *call, mpi_handle window, int rank, struct moved given,
                  struct moved got) {
  reached(call, window, rank);
  if (rank != mpi.proc_null)
    gave(call, bytes_of(given.count, given.type), bytes_of(got.count, got.type));
}

/* `DEFINE_ONE` adds what a function of this name has more, before the expression. */
#define ACCESS(DEFINE_ONE, Name, name, given, got)                                                 \
  DEFINE_ONE(Name, name,                                                                           \
             (void *data, mpi_count count, mpi_handle type, int rank, mpi_count place,             \
              mpi_count there, mpi_handle there_type, mpi_handle window),                          \
             (void *data, int *count, int *type, int *rank, void *place, int *there,               \
              int *there_type, int *window),                                                       \
             (data, count, type, rank, place, there, there_type, window),                          \
             moved(&call, WINDOW(window), NUMBER(rank), given, got))
#define ACCUMULATE(DEFINE_ONE, Name, name)                                                         \
  DEFINE_ONE(Name, name,                                                                           \
             (void *data, mpi_count count, mpi_handle type, int rank, mpi_count place,             \
              mpi_count there, mpi_handle there_type, mpi_handle operation, mpi_handle window),    \
             (void *data, int *count, int *type, int *rank, void *place, int *there,               \
              int *there_type, int *operation, int *window),                                       \
             (data, count, type, rank, place, there, there_type, operation, window),               \
             moved(&call, WINDOW(window), NUMBER(rank), MOVED(count, type), NOTHING_MOVED))
#define GET_ACCUMULATE(DEFINE_ONE, Name, name)                                                     \
  DEFINE_ONE(                                                                                      \
      Name, name,                                                                                  \
      (void *data, mpi_count count, mpi_handle type, void *result, mpi_count result_count,         \
       mpi_handle result_type, int rank, mpi_count place, mpi_count there, mpi_handle there_type,  \
       mpi_handle operation, mpi_handle window),                                                   \
      (void *data, int *count, int *type, void *result, int *result_count, int *result_type,       \
       int *rank, void *place, int *there, int *there_type, int *operation, int *window),          \
      (data, count, type, result, result_count, result_type, rank, place, there, there_type,       \
       operation, window),                                                                         \
      moved(&call, WINDOW(window), NUMBER(rank),                                                   \
            given_to(OPERATION(operation), MOVED(count, type)), MOVED(result_count, result_type)))

#define WITH_REQUEST(Name, name, parameters, fortran_parameters, arguments, ...)                   \
  DEFINE_BOTH_COUNTED(Name, name, (UNWRAP parameters, void *request),                              \
                      (UNWRAP fortran_parameters, int *request), (UNWRAP arguments, request),      \
                      __VA_ARGS__)

ACCESS(DEFINE_BOTH_COUNTED, Put, put, MOVED(count, type), NOTHING_MOVED)
ACCESS(DEFINE_BOTH_COUNTED, Get, get, NOTHING_MOVED, MOVED(count, type))
ACCUMULATE(DEFINE_BOTH_COUNTED, Accumulate, accumulate)
GET_ACCUMULATE(DEFINE_BOTH_COUNTED, Get_accumulate, get_accumulate)
ACCESS(WITH_REQUEST, Rput, rput, MOVED(count, type), NOTHING_MOVED)
ACCESS(WITH_REQUEST, Rget, rget, NOTHING_MOVED, MOVED(count, type))
ACCUMULATE(WITH_REQUEST, Raccumulate, raccumulate)
GET_ACCUMULATE(WITH_REQUEST, Rget_accumulate, rget_accumulate)

DEFINE_BOTH(Fetch_and_op, fetch_and_op,
            (const void *data, void *result, mpi_handle type, int rank, mpi_count place,
             mpi_handle operation, mpi_handle window),
            (void *data, void *result, int *type, int *rank, void *place, int *operation,
             int *window),
            (data, result, type, rank, place, operation, window),
            moved(&call, WINDOW(window), NUMBER(rank),
                  given_to(OPERATION(operation), MOVED(1, type)), MOVED(1, type)))
DEFINE_BOTH(Compare_and_swap, compare_and_swap,
            (const void *data, const void *compared, void *result, mpi_handle type, int rank,
             mpi_count place, mpi_handle window),
            (void *data, void *compared, void *result, int *type, int *rank, void *place,
             int *window),
            (data, compared, result, type, rank, place, window),
            moved(&call, WINDOW(window), NUMBER(rank), MOVED(2, type), MOVED(1, type)))

/* ---- synchronization ---- */

DEFINE_BOTH(Win_fence, win_fence, (int assertion, mpi_handle window), (int *assertion, int *window),
            (assertion, window), )
DEFINE_BOTH(Win_post, win_post, (mpi_handle group, int assertion, mpi_handle window),
            (int *group, int *assertion, int *window), (group, assertion, window), )
DEFINE_BOTH(Win_start, win_start, (mpi_handle group, int assertion, mpi_handle window),
            (int *group, int *assertion, int *window), (group, assertion, window), )
DEFINE_BOTH(Win_test, win_test, (mpi_handle window, int *flag), (int *window, int *flag),
            (window, flag), )
DEFINE_BOTH(Win_lock, win_lock, (int kind, int rank, int assertion, mpi_handle window),
            (int *kind, int *rank, int *assertion, int *window), (kind, rank, assertion, window),
            reached(&call, WINDOW(window), NUMBER(rank)))
DEFINE_BOTH(Win_lock_all, win_lock_all, (int assertion, mpi_handle window),
            (int *assertion, int *window), (assertion, window), )

#define OF_WINDOW(Name, name)                                                                      \
  DEFINE_BOTH(Name, name, (mpi_handle window), (int *window), (window), )
OF_WINDOW(Win_complete, win_complete)
OF_WINDOW(Win_wait, win_wait)
OF_WINDOW(Win_unlock_all, win_unlock_all)
OF_WINDOW(Win_flush_all, win_flush_all)
OF_WINDOW(Win_flush_local_all, win_flush_local_all)
OF_WINDOW(Win_sync, win_sync)

#define WITH_RANK(Name, name)                                                                      \
  DEFINE_BOTH(Name, name, (int rank, mpi_handle window), (int *rank, int *window), (rank, window), \
              reached(&call, WINDOW(window), NUMBER(rank)))
WITH_RANK(Win_unlock, win_unlock)
WITH_RANK(Win_flush, win_flush)
WITH_RANK(Win_flush_local, win_flush_local)

/* ---- windows ---- */

DEFINE_BOTH_COUNTED(Win_create, win_create,
                    (void *base, mpi_count size, mpi_count unit, mpi_handle info, mpi_handle comm,
                     void *window),
                    (void *base, void *size, void *unit, int *info, int *comm, int *window),
                    (base, size, unit, info, comm, window), )
DEFINE_BOTH(Win_create_dynamic, win_create_dynamic,
            (mpi_handle info, mpi_handle comm, void *window), (int *info, int *comm, int *window),
            (info, comm, window), )
#define ALLOCATE(Name, name)                                                                       \
  DEFINE_BOTH_COUNTED(Name, name,                                                                  \
                      (mpi_count size, mpi_count unit, mpi_handle info, mpi_handle comm,           \
                       void *base, void *window),                                                  \
                      (void *size, void *unit, int *info, int *comm, void *base, int *window),     \
                      (size, unit, info, comm, base, window), )                                    \
  ALLOCATE_FORTRAN(mpi_##name##_cptr_, Name) /* with a C pointer */                                \
  ALLOCATE_FORTRAN(mpi_##name##_f08_large_, Name)
#define ALLOCATE_FORTRAN(symbol, Name)                                                             \
  DEFINE_FORTRAN_AS(                                                                               \
      symbol, Name, FORM_PLAIN,                                                                    \
      (void *size, void *unit, int *info, int *comm, void *base, int *window, int *error),         \
      (size, unit, info, comm, base, window, error), )
ALLOCATE(Win_allocate, win_allocate)
ALLOCATE(Win_allocate_shared, win_allocate_shared)

DEFINE(Win_free, (void *window), ((forget(first_handle(window)), window)), )
DEFINE_FORTRAN(Win_free, win_free, (int *window, int *error),
               ((forget(window_of_fortran(window)), window), error), )
