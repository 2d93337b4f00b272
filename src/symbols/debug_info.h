/* Lines, functions and inlined calls out of DWARF, read unit by unit when first asked for. */
#ifndef ASCRIBE_SYMBOLS_DEBUG_INFO_H
#define ASCRIBE_SYMBOLS_DEBUG_INFO_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "symbols/symbols.h"

struct debug_unit;
struct unit_range;

/* All zeros: no debug information. Addresses are those of the debug file plus `bias`. */
struct debug_info {
  Dwarf *dwarf; /* not owned */
  uint64_t bias;
  struct debug_unit *units;
  size_t unit_count;
  size_t units_read;         /* whose functions have been read */
  const char *path;          /* of the object, for progress; not owned */
  struct unit_range *ranges; /* sorted by start */
  size_t range_count;
  struct hash_index path_map; /* raw path -> path */
  struct source_path *paths;
  size_t path_count;
  struct arena arena;
};

/* Find the units of `dwarf` and the addresses that each covers. `path` is the object's and must
 * live as long as `info`. A unit_count of 0 says that there is no debug information. */
void debug_info_open(struct debug_info *info, Dwarf *dwarf, uint64_t bias, const char *path);
void debug_info_close(struct debug_info *info);

/* The line of an address in the function whose code begins at `function` (0: not known). Returns 0
 * or -1; *position stays untouched then. */
int debug_info_line(struct debug_info *info, uint64_t address, uint64_t function,
                    struct source_position *position);

/* The entry of the function that holds the address, not one of those that are inlined there.
 * Returns 0 or -1. */
int debug_info_function(struct debug_info *info, uint64_t address, Dwarf_Die *function);

/* Where the function that holds the address is declared in its definition. Returns 0 or -1. */
int debug_info_definition(struct debug_info *info, uint64_t address,
                          struct source_position *position);

/* The calls inlined at an address (DW_TAG_inlined_subroutine), outermost first. Returns their
 * number; of more than `room` the innermost are left out. */
size_t debug_info_inlined(struct debug_info *info, uint64_t address, Dwarf_Die *calls, size_t room);

/* Where a function's entry, or the one it refers to, says that it is declared: for one that the
 * compiler made (a lambda's call operator) its type. Where an inlined call says that it is called.
 * Return 0 or -1. */
int debug_info_declared(struct debug_info *info, Dwarf_Die *function,
                        struct source_position *position);
int debug_info_called(struct debug_info *info, Dwarf_Die *call, struct source_position *position);

/* The address of the code of the function whose abstract entry is `origin`, in the unit that holds
 * `address`. Returns 0 or -1: it has no code of its own there. */
int debug_info_instance(struct debug_info *info, uint64_t address, const Dwarf_Die *origin,
                        uint64_t *instance);

/* debug_paths.c: the path to show for a file as unit `unit` names it, perhaps relative to where it
 * was compiled. It belongs to `info`. */
const char *debug_info_path(struct debug_info *info, Dwarf_Die *unit, const char *named);
void debug_info_free_paths(struct debug_info *info);

#endif
