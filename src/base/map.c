#include "base/map.h"

#include <stdlib.h>

#include "base/memory.h"

static size_t key_hash(uint64_t first, uint64_t second) {
  uint64_t hash = (first ^ second * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

static struct map_entry *place(const struct map *map, uint64_t first, uint64_t second) {
  size_t i = key_hash(first, second) & (map->room - 1);
  while (map->entries[i].used &&
         (map->entries[i].first != first || map->entries[i].second != second))
    i = (i + 1) & (map->room - 1);
  return &map->entries[i];
}

static void grow(struct map *map) {
  struct map larger = {.count = map->count, .room = map->room ? 2 * map->room : 64};
  larger.entries = memory_zeroed(larger.room, sizeof *larger.entries);
  for (size_t i = 0; i < map->room; i++)
    if (map->entries[i].used)
      *place(&larger, map->entries[i].first, map->entries[i].second) = map->entries[i];
  free(map->entries);
  *map = larger;
}

uint32_t map_find_or_add(struct map *map, uint64_t first, uint64_t second, uint32_t fresh) {
  if (2 * map->count >= map->room) grow(map);
  struct map_entry *entry = place(map, first, second);
  if (!entry->used) {
    *entry = (struct map_entry){first, second, fresh, 1};
    map->count++;
  }
  return entry->value;
}

uint32_t map_find(const struct map *map, uint64_t first, uint64_t second) {
  if (!map->room) return UINT32_MAX;
  const struct map_entry *entry = place(map, first, second);
  return entry->used ? entry->value : UINT32_MAX;
}

void map_free(struct map *map) {
  free(map->entries);
  *map = (struct map){0};
}
