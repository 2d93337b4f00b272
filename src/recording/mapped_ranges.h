/* Which memory is mapped, and by which mapping: ranges of addresses, none over another. */
#ifndef ASCRIBE_RECORDING_MAPPED_RANGES_H
#define ASCRIBE_RECORDING_MAPPED_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of a mapping in one piece. */
struct mapped_range {
  uint64_t address, end;
  size_t mapping;
};

/* All zeros: none. */
struct mapped_ranges {
  struct mapped_range
      *list; /* by address; behind the first `gap` there are gap_count that are none */
  size_t count, gap, gap_count;
  uint32_t *pieces; /* by mapping: in how many it lies */
  size_t mapping_count;
};

/* Takes away what is mapped from there to `end`. `gone` is told, for each piece, the mapping,
 * how many bytes went, and whether they were the last of it. */
void mapped_ranges_remove(struct mapped_ranges *ranges, uint64_t address, uint64_t end,
                          void (*gone)(void *context, size_t mapping, uint64_t bytes, bool last),
                          void *context);

/* A new mapping, where nothing is mapped. */
void mapped_ranges_add(struct mapped_ranges *ranges, uint64_t address, uint64_t end,
                       size_t mapping);

void mapped_ranges_free(struct mapped_ranges *ranges);

#endif
