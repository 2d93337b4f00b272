#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/memory.h"

struct pool {
  struct arena arena;
  const char **strings;
  size_t string_count;
  struct hash_index index;
};

struct pool *pool_create(void) {
  return memory_zeroed(1, sizeof(struct pool));
}

void pool_free(struct pool *pool) {
  if (!pool) return;
  arena_free(&pool->arena);
  hash_index_free(&pool->index);
  free(pool->strings);
  free(pool);
}

void *pool_allocate(struct pool *pool, size_t bytes) {
  return arena_take(&pool->arena, bytes);
}

static int is_string(const void *strings, uint32_t index, const void *text) {
  return strcmp(((const char *const *)strings)[index], text) == 0;
}

const char *pool_string(struct pool *pool, const char *text) {
  if (!text) return NULL;
  uint64_t hash = hash_text(text);
  uint32_t known = hash_index_find(&pool->index, hash, is_string, pool->strings, text);
  if (known != HASH_INDEX_NONE) return pool->strings[known];
  char *copy = arena_text(&pool->arena, text, strlen(text));
  ARRAY_GROW(pool->strings, pool->string_count);
  hash_index_add(&pool->index, hash, pool->string_count);
  return pool->strings[pool->string_count++] = copy;
}
