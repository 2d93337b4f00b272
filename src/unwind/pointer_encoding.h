/* Pointers as .eh_frame and .eh_frame_hdr encode them (DW_EH_PE_*, LSB 5.0, 10.5.1). */
#ifndef ASCRIBE_UNWIND_POINTER_ENCODING_H
#define ASCRIBE_UNWIND_POINTER_ENCODING_H

#include "unwind/byte_cursor.h"

#define POINTER_OMITTED 0xff
#define POINTER_INDIRECT 0x80
#define POINTER_BASE 0x70
#define POINTER_BASE_HERE 0x10 /* relative to where it stands */
#define POINTER_BASE_DATA 0x30 /* in .eh_frame_hdr: relative to its begin */
#define POINTER_FORMAT 0x0f
#define POINTER_WORD 0x00 /* 8 bytes */
#define POINTER_ULEB 0x01
#define POINTER_U2 0x02
#define POINTER_U4 0x03
#define POINTER_U8 0x04
#define POINTER_SLEB 0x09
#define POINTER_S2 0x0a
#define POINTER_S4 0x0b
#define POINTER_S8 0x0c

/* The number itself, relative to nothing. An unknown format marks the cursor as failed. */
static inline uint64_t pointer_number(struct byte_cursor *cursor, uint8_t encoding) {
  switch (encoding & POINTER_FORMAT) {
  case POINTER_ULEB:
    return byte_cursor_uleb(cursor);
  case POINTER_SLEB:
    return (uint64_t)byte_cursor_sleb(cursor);
  case POINTER_U2:
    return byte_cursor_number(cursor, 2);
  case POINTER_S2:
    return (uint64_t)byte_cursor_signed(cursor, 2);
  case POINTER_U4:
    return byte_cursor_number(cursor, 4);
  case POINTER_S4:
    return (uint64_t)byte_cursor_signed(cursor, 4);
  case POINTER_WORD:
  case POINTER_U8:
  case POINTER_S8:
    return byte_cursor_number(cursor, 8);
  }
  cursor->failed = true;
  return 0;
}

/* The address. `here` is the link-time address of where it stands. Pointers to pointers mark the
 * cursor as failed: the loader fills them in, not in the file. */
static inline uint64_t pointer_address(struct byte_cursor *cursor, uint8_t encoding,
                                       uint64_t here) {
  uint64_t number = pointer_number(cursor, encoding);
  if (encoding & POINTER_INDIRECT) cursor->failed = true;
  switch (encoding & POINTER_BASE) {
  case 0:
    return number;
  case POINTER_BASE_HERE:
    return here + number;
  }
  cursor->failed = true;
  return 0;
}

#endif
