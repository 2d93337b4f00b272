/* Numbers of the section `.debug.ascribe` (docs/FORMATS.md), all of 32 bits. Past the end, and of
 * what is larger, they are 0 and the cursor is marked. */
#ifndef ASCRIBE_SYMBOLS_DESCRIPTION_NUMBERS_H
#define ASCRIBE_SYMBOLS_DESCRIPTION_NUMBERS_H

#include "unwind/byte_cursor.h"

static inline uint32_t read_number(struct byte_cursor *cursor) {
  uint64_t value = byte_cursor_uleb(cursor);
  if (value > UINT32_MAX) cursor->failed = true;
  return cursor->failed ? 0 : (uint32_t)value;
}

/* How many things follow, of at least `least` bytes each: no more than there is room for. */
static inline uint32_t read_count(struct byte_cursor *cursor, uint32_t least) {
  uint32_t count = read_number(cursor);
  if (count > (uint64_t)(cursor->end - cursor->at) / least) cursor->failed = true;
  return cursor->failed ? 0 : count;
}

/* What was written as its difference from the one before, modulo 2^32; that becomes this one. */
static inline uint32_t read_difference(struct byte_cursor *cursor, uint32_t *before) {
  *before += (uint32_t)byte_cursor_sleb(cursor);
  return *before;
}

#endif
