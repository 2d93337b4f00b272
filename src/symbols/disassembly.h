/* Machine code in words, with the names of what it calls (by capstone). */
#ifndef ASCRIBE_SYMBOLS_DISASSEMBLY_H
#define ASCRIBE_SYMBOLS_DISASSEMBLY_H

#include "base/arena.h"
#include "symbols/symbols.h"

struct instruction {
  uint64_t address; /* link-time */
  uint32_t bytes;
  bool jumps;       /* a jump or branch; calls do not */
  uint64_t target;  /* of a jump to a fixed address; else 0 */
  const char *text; /* in AT&T's syntax, as binutils and gdb have it; belongs to the disassembly */
};

/* All zeros: empty. */
struct disassembly {
  struct instruction *list; /* by address, without gaps; what is no code is "(bad)", byte by byte */
  size_t count;
  struct arena arena;
};

/* The code from `start` on, `bytes` bytes of it. Returns 0, or -1 where the file has no such code;
 * the disassembly is to be freed in any case. */
int symbol_file_disassemble(struct symbol_file *file, uint64_t start, uint64_t bytes,
                            struct disassembly *disassembly);
void disassembly_free(struct disassembly *disassembly);

/* The next function that the symbol table names so, or a clone or a piece of it ("f.cold"): begin
 * with *at = 0. Returns 0, or -1 when there is no more. */
int symbol_file_named(struct symbol_file *file, const char *linkage, size_t *at,
                      struct symbol *symbol);

#endif
