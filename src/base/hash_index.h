/* A hash map from keys that the caller keeps in an array of its own to their index in it. */
#ifndef ASCRIBE_BASE_HASH_INDEX_H
#define ASCRIBE_BASE_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define HASH_INDEX_NONE UINT32_MAX

struct hash_index_cell {
  uint32_t hash;
  uint32_t index; /* HASH_INDEX_NONE: empty */
};

/* All zeros: an empty map. */
struct hash_index {
  struct hash_index_cell *cells;
  size_t cell_count; /* a power of two, or 0 */
  size_t used;
};

/* Whether element `index` of the caller's array has `key`. */
typedef int (*hash_index_equal)(const void *array, uint32_t index, const void *key);

/* The index of the element whose key equals `key`, or HASH_INDEX_NONE. */
uint32_t hash_index_find(const struct hash_index *map, uint64_t hash, hash_index_equal equal,
                         const void *array, const void *key);

/* Enter an index whose key is not in the map yet. */
void hash_index_add(struct hash_index *map, uint64_t hash, uint32_t index);

void hash_index_free(struct hash_index *map);

/* Every bit of the result depends on every bit of `value` (the finaliser of splitmix64). */
static inline uint64_t hash_mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

/* The hash of a zero-terminated text (FNV-1a, mixed). */
uint64_t hash_text(const char *text);

#endif
