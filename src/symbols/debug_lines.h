/* Lines and places of definition out of DWARF, read unit by unit when first asked for. */
#ifndef ASCRIBE_SYMBOLS_DEBUG_LINES_H
#define ASCRIBE_SYMBOLS_DEBUG_LINES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "symbols/symbols.h"

struct debug_unit;
struct unit_range;

/* All zeros: no debug information. Addresses are those of the debug file plus `bias`. */
struct debug_lines {
  Dwarf *dwarf; /* not owned */
  uint64_t bias;
  struct debug_unit *units;
  size_t unit_count, unit_capacity;
  struct unit_range *ranges; /* sorted by start */
  size_t range_count, range_capacity;
  struct hash_index path_map; /* raw path -> path */
  struct source_path *paths;
  size_t path_count, path_capacity;
  struct arena arena;
};

/* Find the units of `dwarf` and the addresses that each covers. Returns 0, or -1 when there is no
 * memory. A unit_count of 0 says that there is no debug information. */
int debug_lines_open(struct debug_lines *lines, Dwarf *dwarf, uint64_t bias);
void debug_lines_close(struct debug_lines *lines);

/* The line of an address. Returns 0 or -1; *position stays untouched then. */
int debug_lines_find(struct debug_lines *lines, uint64_t address, struct source_position *position);

/* Where the function that holds the address is declared in its definition; inlined functions are
 * not looked at. Returns 0 or -1. */
int debug_lines_definition(struct debug_lines *lines, uint64_t address,
                           struct source_position *position);

/* The entry of the function that holds the address, as debug_lines_definition finds it.
 * Returns 0 or -1. */
int debug_lines_function(struct debug_lines *lines, uint64_t address, Dwarf_Die *die);

#endif
