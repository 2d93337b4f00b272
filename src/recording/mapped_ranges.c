#include "recording/mapped_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The first one that ends behind the address. */
static size_t first_behind(const struct mapped_ranges *ranges, uint64_t address) {
  size_t low = 0, high = ranges->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ranges->list[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Puts these in the place of `count` others. */
static void replace(struct mapped_ranges *ranges, size_t at, size_t count,
                    const struct mapped_range *with, size_t with_count) {
  ARRAY_ROOM(ranges->list, ranges->count + with_count);
  struct mapped_range *place = ranges->list + at;
  size_t behind = ranges->count - at - count;
  memmove(place + with_count, place + count, behind * sizeof *place);
  if (with_count) memcpy(place, with, with_count * sizeof *place);
  ranges->count += with_count - count;
}

void mapped_ranges_remove(struct mapped_ranges *ranges, uint64_t address, uint64_t bytes,
                          void (*gone)(void *context, size_t mapping, uint64_t bytes, bool last),
                          void *context) {
  uint64_t end = address + bytes;
  size_t first = first_behind(ranges, address), behind = first, left_count = 0;
  struct mapped_range left[2];
  for (; behind < ranges->count && ranges->list[behind].address < end; behind++) {
    struct mapped_range range = ranges->list[behind];
    uint64_t from = range.address, to = range.end;
    uint32_t *pieces = &ranges->pieces[range.mapping];
    --*pieces;
    if (from < address) {
      left[left_count++] = (struct mapped_range){from, address, range.mapping};
      ++*pieces;
      from = address;
    }
    if (to > end) {
      left[left_count++] = (struct mapped_range){end, to, range.mapping};
      ++*pieces;
      to = end;
    }
    gone(context, range.mapping, to - from, !*pieces);
  }
  if (behind > first) replace(ranges, first, behind - first, left, left_count);
}

void mapped_ranges_add(struct mapped_ranges *ranges, uint64_t address, uint64_t bytes,
                       size_t mapping) {
  while (ranges->mapping_count <= mapping) {
    ARRAY_GROW(ranges->pieces, ranges->mapping_count);
    ranges->pieces[ranges->mapping_count++] = 0;
  }
  ranges->pieces[mapping] = 1;
  struct mapped_range range = {address, address + bytes, mapping};
  replace(ranges, first_behind(ranges, address), 0, &range, 1);
}

void mapped_ranges_free(struct mapped_ranges *ranges) {
  free(ranges->list);
  free(ranges->pieces);
}
