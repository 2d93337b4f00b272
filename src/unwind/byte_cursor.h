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

/* DWARF's numbers of variable length. */
static inline uint64_t byte_cursor_uleb(struct byte_cursor *cursor) {
  uint64_t value = 0;
  for (uint32_t shift = 0;; shift += 7) {
    uint64_t byte = byte_cursor_number(cursor, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
}

static inline int64_t byte_cursor_sleb(struct byte_cursor *cursor) {
  uint64_t value = 0;
  for (uint32_t shift = 0;;) {
    uint64_t byte = byte_cursor_number(cursor, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if (shift < 64 && byte & 0x40) value |= ~0ull << shift;
    return (int64_t)value;
  }
}

#endif
