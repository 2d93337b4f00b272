#include "unwind/entry.h"

/* Entries looked at where there is no sorted table: a fifth of a millisecond. */
#define SCAN_MOST 4096

/* Of .eh_frame_hdr; sorted by code. Both are relative to the begin of .eh_frame_hdr. */
struct __attribute__((packed, may_alias)) table_entry {
  int32_t code, entry;
};

static bool holds(const struct unwind_entry *entry, uint64_t address) {
  return address >= entry->begin && address < entry->end;
}

static int search_table(const struct unwind_tables *tables, uint64_t address,
                        struct unwind_entry *entry) {
  const struct table_entry *table = (const struct table_entry *)(tables->image + tables->entries);
  int64_t code = (int64_t)(address - tables->entries_base);
  uint32_t low = 0, high = tables->entry_count; /* the last that begins at or before `code` */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (table[middle].code <= code)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low) return -1;
  uint64_t begin = tables->entries_base + (uint64_t)(int64_t)table[low - 1].code;
  uint64_t at = tables->entries_base + (uint64_t)(int64_t)table[low - 1].entry;
  bool is_code;
  unwind_entry_read(tables, at - tables->frames_base, entry, &is_code);
  if (!is_code) return -1;
  /* In large code models the FDE's own address is filled in by the loader, not in the file. */
  entry->end += begin - entry->begin;
  entry->begin = begin;
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
