/* Functions of a profile by the names that an executable's symbols have. */
#ifndef ASCRIBE_ATTRIBUTION_CODE_NAMES_H
#define ASCRIBE_ATTRIBUTION_CODE_NAMES_H

#include "base/map.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

/* All zeros: empty. */
struct code_names {
  const struct profile *profile;
  struct map functions; /* (base name of the pool, n) -> the nth function that has it */
};

void code_names_open(struct code_names *names, const struct profile *profile);
void code_names_close(struct code_names *names);

/* The function of a symbol, or of a clone or piece of it; where several have the name, the one that
 * is defined in the same file, and on the same line.  Where no function has the name, the one of
 * the other variant of a constructor or destructor: counts may have "C2" where the symbols of the
 * same code have "C1", too.  NOTHING if none, or if it cannot be told. */
uint32_t code_names_find(const struct code_names *names, const struct symbol *symbol);

/* Whether two linkage names are of variants of one constructor or destructor (demangle.h). */
bool code_names_are_variants(const char *a, const char *b);

/* A linkage name without the suffix of clones and pieces, of the pool; null if it is too long. */
const char *code_base_name(struct pool *pool, const char *linkage);

/* True if two paths end in the same file name: the same file may be known by several paths. */
bool same_file_name(const char *a, const char *b);

#endif
