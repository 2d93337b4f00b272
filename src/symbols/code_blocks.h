/* The functions of a unit of debug information, and the calls that were inlined into them, by
 * address. */
#ifndef ASCRIBE_SYMBOLS_CODE_BLOCKS_H
#define ASCRIBE_SYMBOLS_CODE_BLOCKS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

#define NO_BLOCK UINT32_MAX

struct code_block {
  Dwarf_Die die;
  const void *origin; /* of a function: its abstract entry (Dwarf_Die.addr); null: none */
  uint32_t outer;     /* an inlined call: the block that it is in; NO_BLOCK: a function */
};

struct code_range {
  uint64_t start, end;
  uint32_t block;
};

/* All zeros: nothing has been read. */
struct code_blocks {
  struct code_block *blocks; /* an outer one before those that it holds */
  size_t count;
  struct code_range *ranges; /* sorted, disjoint: of nested blocks the innermost */
  size_t range_count;
  struct hash_index by_origin; /* functions */
};

/* Read the functions of the unit whose entry is `unit`. */
void code_blocks_read(struct code_blocks *blocks, Dwarf_Die *unit);
void code_blocks_free(struct code_blocks *blocks);

/* The innermost block at an address of the debug file, or NO_BLOCK. */
uint32_t code_blocks_find(const struct code_blocks *blocks, uint64_t address);

/* The function whose abstract entry is at `origin`, or NO_BLOCK. */
uint32_t code_blocks_instance(const struct code_blocks *blocks, const void *origin);

#endif
