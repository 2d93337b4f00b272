/* Where an object's data holds addresses of functions: slots that the dynamic linker fills, tables,
 * lists of constructors. */
#ifndef ASCRIBE_SYMBOLS_CODE_POINTERS_H
#define ASCRIBE_SYMBOLS_CODE_POINTERS_H

#include "symbols/symbols.h"

enum pointer_use {
  POINTER_SLOT,   /* of the global offset table: what code calls or loads through it */
  POINTER_DATA,   /* initialised data: anybody may call it */
  POINTER_LISTED, /* called from outside: constructors, destructors, what is exported */
};

struct code_pointer {
  enum pointer_use use;
  uint64_t place;      /* where it stands; 0 of what is exported */
  uint64_t address;    /* of a function of this object, or 0 */
  const char *outside; /* name of a function of another object, or null; belongs to the ELF file */
};

/* All zeros: none. */
struct code_pointers {
  struct code_pointer *list;
  size_t count;
  bool foreign; /* the object needs libraries other than those of C */
};

/* For x86-64. Addresses need not be those of functions. Free *pointers in any case. */
void code_pointers_find(struct symbol_file *file, struct code_pointers *pointers);
void code_pointers_free(struct code_pointers *pointers);

#endif
