#include "recording/mapped_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The list has a gap, which stays where it was changed last: most changes are near the one before.
 */
static struct mapped_range *range_at(const struct mapped_ranges *ranges, size_t index) {
  return &ranges->list[index < ranges->gap ? index : index + ranges->gap_count];
}

/* The first one that ends behind the address. */
static size_t first_behind(const struct mapped_ranges *ranges, uint64_t address) {
  size_t low = 0, high = ranges->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (range_at(ranges, middle)->end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void move_gap(struct mapped_ranges *ranges, size_t to) {
  struct mapped_range *list = ranges->list;
  size_t from = ranges->gap, wide = ranges->gap_count;
  if (to < from) memmove(list + to + wide, list + to, (from - to) * sizeof *list);
  if (to > from) memmove(list + from, list + from + wide, (to - from) * sizeof *list);
  ranges->gap = to;
}

static void widen_gap(struct mapped_ranges *ranges) {
  size_t more = ranges->count + 16;
  move_gap(ranges, ranges->count);
  ARRAY_ROOM(ranges->list, ranges->count + more);
  ranges->gap_count = more;
}

static void insert(struct mapped_ranges *ranges, size_t at, struct mapped_range range) {
  if (!ranges->gap_count) widen_gap(ranges);
  move_gap(ranges, at);
  ranges->list[ranges->gap++] = range;
  ranges->gap_count--;
  ranges->count++;
}

static struct mapped_range take_out(struct mapped_ranges *ranges, size_t at) {
  move_gap(ranges, at);
  ranges->count--;
  return ranges->list[at + ranges->gap_count++];
}

/* Puts back what is left of it. */
static void keep(struct mapped_ranges *ranges, size_t at, struct mapped_range range) {
  if (range.address >= range.end) return;
  insert(ranges, at, range);
  ranges->pieces[range.mapping]++;
}

void mapped_ranges_remove(struct mapped_ranges *ranges, uint64_t address, uint64_t end,
                          void (*gone)(void *context, size_t mapping, uint64_t bytes, bool last),
                          void *context) {
  size_t first = first_behind(ranges, address);
  while (first < ranges->count && range_at(ranges, first)->address < end) {
    struct mapped_range range = take_out(ranges, first);
    uint64_t from = range.address < address ? address : range.address;
    uint64_t to = range.end > end ? end : range.end;
    ranges->pieces[range.mapping]--;
    keep(ranges, first, (struct mapped_range){to, range.end, range.mapping});
    keep(ranges, first, (struct mapped_range){range.address, from, range.mapping});
    first += range.address < from;
    gone(context, range.mapping, to - from, !ranges->pieces[range.mapping]);
  }
}

void mapped_ranges_add(struct mapped_ranges *ranges, uint64_t address, uint64_t end,
                       size_t mapping) {
  while (ranges->mapping_count <= mapping) {
    ARRAY_GROW(ranges->pieces, ranges->mapping_count);
    ranges->pieces[ranges->mapping_count++] = 0;
  }
  keep(ranges, first_behind(ranges, address), (struct mapped_range){address, end, mapping});
}

void mapped_ranges_free(struct mapped_ranges *ranges) {
  free(ranges->list);
  free(ranges->pieces);
}
