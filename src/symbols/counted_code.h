/* What the counters in an object count: the compiler's descriptions, in the object or in its
 * separate debug file (ascribe/counter_points.h). Trusts nothing in them. */
#ifndef ASCRIBE_SYMBOLS_COUNTED_CODE_H
#define ASCRIBE_SYMBOLS_COUNTED_CODE_H

#include "ascribe/counter_points.h"
#include "symbols/symbols.h"

/* A function with counters. Everything belongs to the symbol file. */
struct counted_code {
  uint64_t address;  /* link-time, not 0 */
  uint64_t counters; /* link-time address of counter 0 of its unit */
  const char *name;  /* linkage name */
  bool is_public;
  const struct unit_point *points; /* their counters are the unit's, or NO_COUNTER */
  uint32_t point_count;
  const char *directory; /* where relative paths begin */
  const char *strings;
  uint32_t string_bytes;
};

/* All of them, sorted by address; several may have one address, if the linker kept one of several
 * copies. Returns 0, and the list is the caller's to be freed; or -1: there are none, or (*damaged)
 * they make no sense. */
int symbol_file_counted_code(struct symbol_file *file, struct counted_code **list, size_t *count,
                             bool *damaged);

/* The same of such a section's bytes, aligned to 8, which must live as long as the list. -1: they
 * make no sense. */
int counted_code_read(const void *data, size_t bytes, struct counted_code **list, size_t *count);

/* A name of a point: never null. */
const char *counted_code_text(const struct counted_code *code, uint32_t name);

#endif
