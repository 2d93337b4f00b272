#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 4 << 20 };

struct arena_chunk {
  struct arena_chunk *older;
  size_t bytes;
  _Alignas(8) char data[];
};

static void add_chunk(struct arena *arena, size_t least) {
  size_t bytes = arena->newest ? arena->newest->bytes * 2 : FIRST_CHUNK;
  if (bytes > LARGEST_CHUNK) bytes = LARGEST_CHUNK;
  if (bytes < least) bytes = least;
  struct arena_chunk *chunk = memory_resized(NULL, 1, sizeof *chunk + bytes);
  *chunk = (struct arena_chunk){.older = arena->newest, .bytes = bytes};
  arena->newest = chunk;
  arena->used = 0;
}

void *arena_take(struct arena *arena, size_t bytes) {
  if (bytes > PTRDIFF_MAX / 2) memory_exhausted();
  bytes = (bytes + 7) & ~(size_t)7;
  if (!arena->newest || bytes > arena->newest->bytes - arena->used) add_chunk(arena, bytes);
  void *taken = arena->newest->data + arena->used;
  arena->used += bytes;
  return taken;
}

char *arena_text(struct arena *arena, const char *text, size_t length) {
  char *copy = arena_take(arena, length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

void arena_free(struct arena *arena) {
  while (arena->newest) {
    struct arena_chunk *chunk = arena->newest;
    arena->newest = chunk->older;
    free(chunk);
  }
  arena->used = 0;
}
