/* Reading bytes that may be anything: past the end every read gives 0 and marks the cursor. */
#ifndef ASCRIBE_UNWIND_BYTE_CURSOR_H
#define ASCRIBE_UNWIND_BYTE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct byte_cursor {
  const uint8_t *at, *end;
  bool failed;
};

static inline void byte_cursor_skip(struct byte_cursor *cursor, uint64_t bytes) {
  if (bytes > (uint64_t)(cursor->end - cursor->at)) {
    cursor->failed = true;
    cursor->at = cursor->end;
  } else {
    cursor->at += bytes;
  }
}

/* A little-endian number of 1 to 8 bytes. */
static inline uint64_t byte_cursor_number(struct byte_cursor *cursor, uint32_t bytes) {
  const uint8_t *from = cursor->at;
  uint64_t value = 0;
  byte_cursor_skip(cursor, bytes);
  if (cursor->failed) return 0;
  for (uint32_t i = 0; i < bytes; i++)
    value |= (uint64_t)from[i] << 8 * i;
  return value;
}

static inline int64_t byte_cursor_signed(struct byte_cursor *cursor, uint32_t bytes) {
  uint32_t unused = 64 - 8 * bytes;
  return (int64_t)(byte_cursor_number(cursor, bytes) << unused) >> unused;
}

#define LEB_BITS_MOST 70 /* 64, in groups of 7 */

/* DWARF's numbers of variable length; *bits of them are there. */
static inline uint64_t byte_cursor_leb(struct byte_cursor *cursor, uint32_t *bits) {
  uint64_t value = 0, byte;
  *bits = 0;
  do {
    byte = byte_cursor_number(cursor, 1);
    if (*bits == LEB_BITS_MOST) cursor->failed = true;
    if (cursor->failed) return 0;
    if (*bits < 64) value |= (byte & 0x7f) << *bits;
    *bits += 7;
  } while (byte & 0x80);
  return value;
}

static inline uint64_t byte_cursor_uleb(struct byte_cursor *cursor) {
  uint32_t bits;
  return byte_cursor_leb(cursor, &bits);
}

static inline int64_t byte_cursor_sleb(struct byte_cursor *cursor) {
  uint32_t bits;
  uint64_t value = byte_cursor_leb(cursor, &bits);
  if (bits == 0 || bits >= 64) return (int64_t)value;
  return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

#endif
