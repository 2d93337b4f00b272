/* Memory of one profile: zero-ended strings, each stored once, and arrays that never move.
 * Everything is freed at once. */
#ifndef ASCRIBE_BASE_POOL_H
#define ASCRIBE_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct pool;

struct pool *pool_create(void);
void pool_free(struct pool *pool);

/* `bytes` bytes of uninitialised memory, aligned to 8. */
void *pool_allocate(struct pool *pool, size_t bytes);

/* The pool's only copy of `text`: equal texts give equal pointers. Null gives null. */
const char *pool_string(struct pool *pool, const char *text);

#endif
