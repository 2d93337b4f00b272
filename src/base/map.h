/* A hash map from two 64-bit words to an id. */
#ifndef ASCRIBE_BASE_MAP_H
#define ASCRIBE_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry {
  uint64_t first, second;
  uint32_t value;
  uint32_t used;
};

/* All zeros: an empty map. */
struct map {
  struct map_entry *entries;
  size_t count, room;
};

/* The value under the key.  Where there is none, `fresh` is put there: the result is `fresh` just
 * then, if the caller passes a value that the map does not hold yet. */
uint32_t map_find_or_add(struct map *map, uint64_t first, uint64_t second, uint32_t fresh);

/* The value under the key, or UINT32_MAX. */
uint32_t map_find(const struct map *map, uint64_t first, uint64_t second);

/* The map is empty afterwards. */
void map_free(struct map *map);

#endif
