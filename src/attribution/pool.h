/* Memory of one profile: zero-ended strings, each stored once, and arrays that never move.
 * Everything is freed at once.  When memory runs out the process says so and exits with status 1:
 * a report cannot go on, and nothing of the profiled program is at stake. */
#ifndef ASCRIBE_ATTRIBUTION_POOL_H
#define ASCRIBE_ATTRIBUTION_POOL_H

#include <stddef.h>
#include <stdint.h>

struct pool;

struct pool *pool_create(void);
void pool_free(struct pool *pool);

/* `bytes` bytes of uninitialised memory, aligned to 8. */
void *pool_allocate(struct pool *pool, size_t bytes);

/* The pool's only copy of `text`: equal texts give equal pointers. Null gives null. */
const char *pool_string(struct pool *pool, const char *text);

/* What every function here does when there is no memory. */
_Noreturn void memory_exhausted(void);

/* calloc and realloc that do not return null (for sizes above 0). */
void *memory_zeroed(size_t count, size_t size);
void *memory_resized(void *memory, size_t count, size_t size);

/* Room for one more element in an array that grows by doubling; `*room` counts elements. */
#define MEMORY_GROW(array, count, room)                                                            \
  do {                                                                                             \
    if ((count) == (room)) {                                                                       \
      (room) = (room) ? 2 * (room) : 64;                                                           \
      (array) = memory_resized((array), (room), sizeof *(array));                                  \
    }                                                                                              \
  } while (0)

#endif
