/* Processes that were not started together, and sessions: calls that make communicators with them.
 *
 * Source: MPI: A Message-Passing Interface Standard, version 4.0, chapter 11. Fortran passes the
 * lengths of strings behind all other arguments. */
#define WRAPPERS_ARE_SMALL
#include "runtime/guise/mpi_wrappers.h"

#define NO_STRING (), ()
#define ONE_STRING (, size_t length), (, length)
#define TWO_STRINGS (, size_t length, size_t other_length), (, length, other_length)

#define MAKES_WITH(Name, name, parameters, fortran_parameters, arguments, lengths, passed)         \
  DEFINE(Name, parameters, arguments, communicator_made(first_handle(made)))                       \
  DEFINE_FORTRAN(Name, name, (UNWRAP fortran_parameters, int *error UNWRAP lengths),               \
                 (UNWRAP arguments, error UNWRAP passed), communicator_made(comm_of(made)))
#define MAKES_APART(Name, name, parameters, fortran_parameters, arguments, strings)                \
  MAKES_WITH(Name, name, parameters, fortran_parameters, arguments, strings)

MAKES_APART(Comm_spawn, comm_spawn,
            (const char *command, void *words, int count, mpi_handle info, int root,
             mpi_handle comm, void *made, int *errors),
            (const char *command, void *words, int *count, int *info, int *root, int *comm,
             int *made, int *errors),
            (command, words, count, info, root, comm, made, errors), TWO_STRINGS)
MAKES_APART(Comm_spawn_multiple, comm_spawn_multiple,
            (int kinds, void *commands, void *words, const int *counts, const void *infos, int root,
             mpi_handle comm, void *made, int *errors),
            (int *kinds, void *commands, void *words, int *counts, int *infos, int *root, int *comm,
             int *made, int *errors),
            (kinds, commands, words, counts, infos, root, comm, made, errors), TWO_STRINGS)
MAKES_APART(Comm_accept, comm_accept,
            (const char *port, mpi_handle info, int root, mpi_handle comm, void *made),
            (const char *port, int *info, int *root, int *comm, int *made),
            (port, info, root, comm, made), ONE_STRING)
MAKES_APART(Comm_connect, comm_connect,
            (const char *port, mpi_handle info, int root, mpi_handle comm, void *made),
            (const char *port, int *info, int *root, int *comm, int *made),
            (port, info, root, comm, made), ONE_STRING)
MAKES_APART(Comm_join, comm_join, (int socket, void *made), (int *socket, int *made),
            (socket, made), NO_STRING)
MAKES_APART(Comm_create_from_group, comm_create_from_group,
            (mpi_handle group, const char *tag, mpi_handle info, mpi_handle handler, void *made),
            (int *group, const char *tag, int *info, int *handler, int *made),
            (group, tag, info, handler, made), ONE_STRING)
MAKES_APART(Intercomm_create_from_groups, intercomm_create_from_groups,
            (mpi_handle group, int leader, mpi_handle peers, int remote_leader, const char *tag,
             mpi_handle info, mpi_handle handler, void *made),
            (int *group, int *leader, int *peers, int *remote_leader, const char *tag, int *info,
             int *handler, int *made),
            (group, leader, peers, remote_leader, tag, info, handler, made), ONE_STRING)

DEFINE(Comm_disconnect, (void *comm), ((forget(handle_at(comm, 0)), comm)), )
DEFINE_FORTRAN(Comm_disconnect, comm_disconnect, (int *comm, int *error),
               ((forget(comm_of(comm)), comm), error), )

DEFINE_BOTH(Session_init, session_init, (mpi_handle info, mpi_handle handler, void *made),
            (int *info, int *handler, int *made), (info, handler, made), )
DEFINE_BOTH(Session_finalize, session_finalize, (void *session), (int *session), (session), )
