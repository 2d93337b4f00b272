/* Files: what was read counts as received, what was written as sent, by the statuses of the calls;
 * where a call only begins that, by its arguments.
 *
 * Source: MPI: A Message-Passing Interface Standard, version 4.0, chapter 14. */
#define WRAPPERS_ARE_SMALL
#include "runtime/guise/mpi_wrappers.h"

static void moved(struct answered_call *call, bool reads, uint64_t bytes) {
  gave(call, reads ? 0 : bytes, reads ? bytes : 0);
}

/* A call at the file's position, `name` or `name`_at ones with a place before the data. */
#define BLOCKING(Name, name, reads)                                                                \
  DEFINE_BOTH_STATUS_COUNTED(                                                                      \
      Name, name, (mpi_handle file, void *data, mpi_count count, mpi_handle type, void *state),    \
      (int *file, void *data, int *count, int *type, void *state),                                 \
      (file, data, count, type, told), moved(&call, reads, status_received(told)))
#define BLOCKING_AT(Name, name, reads)                                                             \
  DEFINE_BOTH_STATUS_COUNTED(                                                                      \
      Name, name,                                                                                  \
      (mpi_handle file, int64_t place, void *data, mpi_count count, mpi_handle type, void *state), \
      (int *file, void *place, void *data, int *count, int *type, void *state),                    \
      (file, place, data, count, type, told), moved(&call, reads, status_received(told)))
#define NONBLOCKING(Name, name, reads)                                                             \
  DEFINE_BOTH_COUNTED(                                                                             \
      Name, name, (mpi_handle file, void *data, mpi_count count, mpi_handle type, void *request),  \
      (int *file, void *data, int *count, int *type, int *request),                                \
      (file, data, count, type, request), moved(&call, reads, bytes_of(COUNT(count), TYPE(type))))
#define NONBLOCKING_AT(Name, name, reads)                                                          \
  DEFINE_BOTH_COUNTED(Name, name,                                                                  \
                      (mpi_handle file, int64_t place, void *data, mpi_count count,                \
                       mpi_handle type, void *request),                                            \
                      (int *file, void *place, void *data, int *count, int *type, int *request),   \
                      (file, place, data, count, type, request),                                   \
                      moved(&call, reads, bytes_of(COUNT(count), TYPE(type))))
/* In two parts. */
#define SPLIT(Name, name, reads)                                                                   \
  DEFINE_BOTH_COUNTED(Name##_begin, name##_begin,                                                  \
                      (mpi_handle file, void *data, mpi_count count, mpi_handle type),             \
                      (int *file, void *data, int *count, int *type), (file, data, count, type),   \
                      moved(&call, reads, bytes_of(COUNT(count), TYPE(type))))                     \
  SPLIT_END(Name, name)
#define SPLIT_AT(Name, name, reads)                                                                \
  DEFINE_BOTH_COUNTED(                                                                             \
      Name##_begin, name##_begin,                                                                  \
      (mpi_handle file, int64_t place, void *data, mpi_count count, mpi_handle type),              \
      (int *file, void *place, void *data, int *count, int *type),                                 \
      (file, place, data, count, type), moved(&call, reads, bytes_of(COUNT(count), TYPE(type))))   \
  SPLIT_END(Name, name)
#define SPLIT_END(Name, name)                                                                      \
  DEFINE_BOTH(Name##_end, name##_end, (mpi_handle file, void *data, void *state),                  \
              (int *file, void *data, void *state), (file, data, state), )

#define READ_AND_WRITE(FORM, read, write)                                                          \
  FORM(File_##read, file_##read, true)                                                             \
  FORM(File_##write, file_##write, false)

READ_AND_WRITE(BLOCKING, read, write)
READ_AND_WRITE(BLOCKING, read_all, write_all)
READ_AND_WRITE(BLOCKING, read_shared, write_shared)
READ_AND_WRITE(BLOCKING, read_ordered, write_ordered)
READ_AND_WRITE(BLOCKING_AT, read_at, write_at)
READ_AND_WRITE(BLOCKING_AT, read_at_all, write_at_all)
READ_AND_WRITE(NONBLOCKING, iread, iwrite)
READ_AND_WRITE(NONBLOCKING, iread_all, iwrite_all)
READ_AND_WRITE(NONBLOCKING, iread_shared, iwrite_shared)
READ_AND_WRITE(NONBLOCKING_AT, iread_at, iwrite_at)
READ_AND_WRITE(NONBLOCKING_AT, iread_at_all, iwrite_at_all)
READ_AND_WRITE(SPLIT, read_all, write_all)
READ_AND_WRITE(SPLIT, read_ordered, write_ordered)
READ_AND_WRITE(SPLIT_AT, read_at_all, write_at_all)

/* Fortran passes the lengths of texts behind all arguments. */
#define DEFINE_WITH_TEXT(Name, name, parameters, fortran_parameters, arguments)                    \
  DEFINE(Name, parameters, arguments, )                                                            \
  DEFINE_FORTRAN(Name, name, (UNWRAP fortran_parameters, int *error, size_t length),               \
                 (UNWRAP arguments, error, length), )
DEFINE_WITH_TEXT(File_open, file_open,
                 (mpi_handle comm, const char *name, int mode, mpi_handle info, void *file),
                 (int *comm, char *name, int *mode, int *info, int *file),
                 (comm, name, mode, info, file))
DEFINE_WITH_TEXT(File_delete, file_delete, (const char *name, mpi_handle info),
                 (char *name, int *info), (name, info))
DEFINE_WITH_TEXT(File_set_view, file_set_view,
                 (mpi_handle file, int64_t place, mpi_handle type, mpi_handle file_type,
                  const char *form, mpi_handle info),
                 (int *file, void *place, int *type, int *file_type, char *form, int *info),
                 (file, place, type, file_type, form, info))
DEFINE_BOTH(File_close, file_close, (void *file), (int *file), (file), )
DEFINE_BOTH(File_sync, file_sync, (mpi_handle file), (int *file), (file), )
DEFINE_BOTH(File_set_size, file_set_size, (mpi_handle file, int64_t size), (int *file, void *size),
            (file, size), )
DEFINE_BOTH(File_preallocate, file_preallocate, (mpi_handle file, int64_t size),
            (int *file, void *size), (file, size), )
