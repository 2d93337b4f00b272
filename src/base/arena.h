/* Memory that is given out piece by piece and freed at once: strings and histories by the
 * million, without an allocation each. */
#ifndef ASCRIBE_BASE_ARENA_H
#define ASCRIBE_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* All zeros: an empty arena. */
struct arena {
  struct arena_chunk *newest;
  size_t used; /* bytes of the newest chunk */
};

/* `bytes` of uninitialised memory, aligned to 8, valid until arena_free; never null, also for 0
 * bytes (memory.h). */
void *arena_take(struct arena *arena, size_t bytes);

/* A zero-terminated copy of `length` bytes of `text`. */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* Free everything. The arena is empty afterwards and may be used again. */
void arena_free(struct arena *arena);

#endif
