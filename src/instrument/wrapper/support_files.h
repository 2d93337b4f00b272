/* Where Ascribe keeps what the wrapper and `record` need: plugin, runtime object, hook header. */
#ifndef ASCRIBE_INSTRUMENT_SUPPORT_FILES_H
#define ASCRIBE_INSTRUMENT_SUPPORT_FILES_H

#include <stddef.h>

#define SUPPORT_RUNTIME "ascribe-runtime.o"
#define SUPPORT_RUNTIME_STATIC                                                                     \
  "ascribe-runtime-static.o"                  /* for programs without dynamic linker               \
                                               */
#define SUPPORT_HEAP_LINKED "ascribe-heap.o"  /* of executables whose allocations are recorded */
#define SUPPORT_PRELOAD "libascribe.so"       /* the runtime, for programs built without it */
#define SUPPORT_HEAP "libascribe-heap.so"     /* beside it, to record allocations */
#define SUPPORT_MPI "libascribe-mpi-calls.so" /* beside it, to record calls of MPI */
/* The same as the dynamic linker itself names it; in 32-bit programs a library that does nothing.
 */
#define SUPPORT_PRELOAD_PLATFORM "libascribe-$PLATFORM.so"
#define SUPPORT_PRELOAD_32 "libascribe-i686.so"
#define SUPPORT_HEAP_PLATFORM "libascribe-heap-$PLATFORM.so"
#define SUPPORT_MPI_PLATFORM "libascribe-mpi-calls-$PLATFORM.so"
#define SUPPORT_CHICKEN "ascribe-chicken.scm" /* an extension of CHICKEN's compiler */
#define SUPPORT_CHEZ "ascribe-chez.ss"        /* what runs before a Chez Scheme program */
#define SUPPORT_HOOKS "hooks_inline.h"
#define SUPPORT_CALLED_HOOKS "hooks_called.h"

/* The path of the support file `name`, in `path` of `size` bytes.  Looked for, in this order: in
 * the directory that the environment's ASCRIBE_SUPPORT_DIR names (and then only there); beside
 * the running program, as installed or in its build tree; where it was to be installed.
 * Returns 0, or -1 when it is in none of them. */
int support_file_find(const char *name, char *path, size_t size);

/* The directory, in `path` of `size` bytes, that <ascribe/ascribe.h> is to be included from: beside
 * the running program, as installed or in its build tree. Returns 0, or -1 when compilers look
 * there without being told, or the header is in neither. */
int support_include_find(char *path, size_t size);

#endif
