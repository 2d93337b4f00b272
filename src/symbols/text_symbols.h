/* The names of an executable's code as its symbol table has them, one per address: what gprof
 * counts and charges by.  Unlike symbols.h, a symbol reaches to the next one, and 32-bit and
 * big-endian files are read too. */
#ifndef ASCRIBE_SYMBOLS_TEXT_SYMBOLS_H
#define ASCRIBE_SYMBOLS_TEXT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct text_symbol {
  uint64_t address;
  uint64_t section_end; /* of the section that holds it: it reaches no further */
  const char *linkage;
  uint32_t place;   /* in the symbol table, among those that are wanted */
  const char *file; /* where a local one is defined, without its directory; or null */
  bool local;       /* not known outside its file */
  bool function;    /* marked as one, not just a label */
};

/* All zeros: empty. */
struct text_symbols {
  struct text_symbol *list; /* by address */
  size_t count;
  unsigned pointer_bytes; /* 4 or 8 */
  bool big_endian;
  uint16_t machine; /* EM_* of <elf.h> */
  struct arena arena;
};

struct text_symbols_options {
  bool without_locals;
  bool functions_only;
};

/* Fails if the file is no ELF object, or has no symbol table.  *symbols is to be freed. */
int text_symbols_read(const char *path, const struct text_symbols_options *options,
                      struct text_symbols *symbols, struct error *error);
void text_symbols_free(struct text_symbols *symbols);

/* For a part that the compiler split from a function ("f.cold"): the length of the function's
 * name at the beginning of the linkage name. Otherwise 0. */
size_t text_symbol_whole(const struct text_symbol *symbol);

/* The symbol that holds the address; SIZE_MAX if none does. */
size_t text_symbols_find(const struct text_symbols *symbols, uint64_t address);

#endif
