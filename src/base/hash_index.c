#include "base/hash_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_CELLS = 64 };

uint32_t hash_index_find(const struct hash_index *map, uint64_t hash, hash_index_equal equal,
                         const void *array, const void *key) {
  if (map->cell_count == 0) return HASH_INDEX_NONE;
  size_t mask = map->cell_count - 1;
  for (size_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
    const struct hash_index_cell *cell = &map->cells[at];
    if (cell->index == HASH_INDEX_NONE) return HASH_INDEX_NONE;
    if (cell->hash == (uint32_t)hash && equal(array, cell->index, key)) return cell->index;
  }
}

static void enter(struct hash_index *map, struct hash_index_cell cell) {
  size_t mask = map->cell_count - 1, at = cell.hash & mask;
  while (map->cells[at].index != HASH_INDEX_NONE)
    at = (at + 1) & mask;
  map->cells[at] = cell;
}

static void grow(struct hash_index *map) {
  size_t count = map->cell_count ? map->cell_count * 2 : FIRST_CELLS;
  struct hash_index larger = {.cell_count = count, .used = map->used};
  larger.cells = memory_resized(NULL, count, sizeof *larger.cells);
  memset(larger.cells, 0xff, count * sizeof *larger.cells);
  for (size_t i = 0; i < map->cell_count; i++)
    if (map->cells[i].index != HASH_INDEX_NONE) enter(&larger, map->cells[i]);
  free(map->cells);
  *map = larger;
}

void hash_index_add(struct hash_index *map, uint64_t hash, uint32_t index) {
  assert(index != HASH_INDEX_NONE);
  if (map->used >= map->cell_count / 2) grow(map);
  enter(map, (struct hash_index_cell){.hash = (uint32_t)hash, .index = index});
  map->used++;
}

void hash_index_free(struct hash_index *map) {
  free(map->cells);
  *map = (struct hash_index){0};
}

uint64_t hash_text(const char *text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
  return hash_mix(hash);
}
