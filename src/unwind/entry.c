#include "unwind/entry.h"

#include "unwind/pointer_encoding.h"

#define LETTERS_MOST 8         /* of an augmentation */
#define LONG_LENGTH 0xffffffff /* the length follows, in 8 bytes */

/* What is common to CIEs and FDEs. */
struct record {
  struct byte_cursor rest; /* after the id, up to the end of the record */
  uint64_t id, id_offset;  /* 0: a CIE; else the distance back to the FDE's CIE */
  uint64_t next;
};

static bool record_read(const struct unwind_tables *tables, uint64_t offset,
                        struct record *record) {
  if (offset < tables->frames || offset >= tables->frames_end) return false;
  struct byte_cursor cursor = {tables->image + offset, tables->image + tables->frames_end};
  uint64_t length = byte_cursor_number(&cursor, 4);
  bool is_long = length == LONG_LENGTH;
  if (is_long) length = byte_cursor_number(&cursor, 8);
  if (cursor.failed || !length || length > (uint64_t)(cursor.end - cursor.at)) return false;
  cursor.end = cursor.at + length;
  record->next = (uint64_t)(cursor.end - tables->image);
  record->id_offset = (uint64_t)(cursor.at - tables->image);
  record->id = byte_cursor_number(&cursor, is_long ? 8 : 4);
  record->rest = cursor;
  return !cursor.failed;
}

static uint64_t address_of(const struct unwind_tables *tables, const struct byte_cursor *cursor) {
  return tables->frames_base + (uint64_t)(cursor->at - tables->image);
}

/* After the 'z', each letter says what stands in the augmentation data. */
static bool read_augmentation(struct byte_cursor letters, struct byte_cursor data,
                              struct unwind_entry *entry) {
  for (;;) {
    switch (byte_cursor_number(&letters, 1)) {
    case 0:
      return !data.failed;
    case 'L':
      byte_cursor_skip(&data, 1);
      break;
    case 'P':
      pointer_number(&data, (uint8_t)byte_cursor_number(&data, 1));
      break;
    case 'R':
      entry->pointer_encoding = (uint8_t)byte_cursor_number(&data, 1);
      break;
    case 'S':
      entry->signal_frame = true;
      break;
    case 'B':
    case 'G':
      break; /* AArch64's */
    default:
      return false;
    }
  }
}

static bool cie_read(const struct unwind_tables *tables, uint64_t offset,
                     struct unwind_entry *entry, bool *has_augmentation) {
  struct record record;
  if (!record_read(tables, offset, &record) || record.id != 0) return false;
  struct byte_cursor *cursor = &record.rest;
  uint64_t version = byte_cursor_number(cursor, 1);
  if (version != 1 && version != 3) return false;
  struct byte_cursor letters = *cursor;
  for (int i = 0; byte_cursor_number(cursor, 1); i++)
    if (i == LETTERS_MOST) return false;
  entry->code_alignment = byte_cursor_uleb(cursor);
  entry->data_alignment = byte_cursor_sleb(cursor);
  entry->return_register = byte_cursor_uleb(cursor); /* one byte in version 1: the same */
  entry->pointer_encoding = POINTER_WORD;
  entry->signal_frame = false;
  letters.end = cursor->at;
  *has_augmentation = *letters.at == 'z';
  if (*has_augmentation) {
    byte_cursor_skip(&letters, 1);
    struct byte_cursor data = *cursor;
    uint64_t bytes = byte_cursor_uleb(cursor);
    byte_cursor_uleb(&data);
    byte_cursor_skip(cursor, bytes);
    data.end = cursor->at;
    if (!read_augmentation(letters, data, entry)) return false;
  } else if (*letters.at) {
    return false;
  }
  entry->initial = *cursor;
  return !cursor->failed;
}

static bool fde_read(const struct unwind_tables *tables, const struct record *record,
                     struct unwind_entry *entry) {
  bool has_augmentation;
  struct byte_cursor cursor = record->rest;
  if (!cie_read(tables, record->id_offset - record->id, entry, &has_augmentation)) return false;
  entry->begin = pointer_address(&cursor, entry->pointer_encoding, address_of(tables, &cursor));
  /* A length is relative to nothing. */
  entry->end = entry->begin + pointer_number(&cursor, entry->pointer_encoding & POINTER_FORMAT);
  if (has_augmentation) byte_cursor_skip(&cursor, byte_cursor_uleb(&cursor));
  entry->program = cursor;
  return !cursor.failed;
}

uint64_t unwind_entry_read(const struct unwind_tables *tables, uint64_t offset,
                           struct unwind_entry *entry, bool *is_code) {
  struct record record;
  *is_code = false;
  if (!record_read(tables, offset, &record)) return 0;
  *is_code = record.id != 0 && fde_read(tables, &record, entry);
  return record.next;
}
