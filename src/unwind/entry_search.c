#include "unwind/entry.h"

#include "unwind/segments.h"

#include <elf.h>
#include <stddef.h>

/* Entries looked at where there is no sorted table: a fifth of a millisecond. */
#define SCAN_MOST 4096
#define LONG_STRETCH 65536 /* bytes */

/* An entry of .eh_frame_hdr, sorted by code. Both are relative to its begin. */
struct __attribute__((packed, may_alias)) table_entry {
  int32_t code, entry;
};

static bool holds(const struct unwind_entry *entry, uint64_t address) {
  return address >= entry->begin && address < entry->end;
}

/* How many begin at or before the address. */
static uint32_t count_before(const struct unwind_tables *tables, uint64_t address) {
  const struct table_entry *table = (const struct table_entry *)(tables->image + tables->entries);
  int64_t code = (int64_t)(address - tables->entries_base);
  uint32_t low = 0, high = tables->entry_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (table[middle].code <= code)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int read_entry(const struct unwind_tables *tables, uint32_t number,
                      struct unwind_entry *entry) {
  const struct table_entry *table = (const struct table_entry *)(tables->image + tables->entries);
  uint64_t begin = tables->entries_base + (uint64_t)(int64_t)table[number].code;
  uint64_t at = tables->entries_base + (uint64_t)(int64_t)table[number].entry;
  bool is_code;
  unwind_entry_read(tables, at - tables->frames_base, entry, &is_code);
  if (!is_code) return -1;
  /* In large code models the FDE's own address is filled in by the loader, not in the file. */
  entry->end += begin - entry->begin;
  entry->begin = begin;
  return 0;
}

static int search_table(const struct unwind_tables *tables, uint64_t address,
                        struct unwind_entry *entry) {
  uint32_t before = count_before(tables, address);
  if (!before || read_entry(tables, before - 1, entry) != 0) return -1;
  return holds(entry, address) ? 0 : -1;
}

static int scan(const struct unwind_tables *tables, uint64_t address, struct unwind_entry *entry) {
  uint64_t at = tables->frames;
  for (uint32_t i = 0; i < SCAN_MOST; i++) {
    bool is_code;
    at = unwind_entry_read(tables, at, entry, &is_code);
    if (is_code && holds(entry, address)) return 0;
    if (!at) return -1;
  }
  return -1;
}

int unwind_entry_find(const struct unwind_tables *tables, uint64_t address,
                      struct unwind_entry *entry) {
  return tables->entry_count ? search_table(tables, address, entry) : scan(tables, address, entry);
}

/* The executable segment that holds the address. */
static const struct unwind_segment *code_segment(const struct unwind_tables *tables,
                                                 uint64_t address) {
  for (uint32_t i = 0; i < tables->segment_count; i++) {
    const struct unwind_segment *segment = unwind_segment(tables, i);
    if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
        address - segment->p_vaddr < segment->p_filesz)
      return segment;
  }
  return NULL;
}

bool unwind_entries_left_out(const struct unwind_tables *tables, uint64_t address) {
  const struct unwind_segment *segment = code_segment(tables, address);
  if (!tables->entry_count || !segment) return false;
  uint32_t before = count_before(tables, address);
  uint64_t begin = segment->p_vaddr, end = begin + segment->p_filesz;
  struct unwind_entry entry;
  if (before) {
    if (read_entry(tables, before - 1, &entry) != 0 || holds(&entry, address)) return false;
    if (entry.end > begin) begin = entry.end;
  }
  if (before < tables->entry_count) {
    if (read_entry(tables, before, &entry) != 0) return false;
    if (entry.begin < end) end = entry.begin;
  }
  return begin <= address && address < end && end - begin >= LONG_STRETCH;
}
