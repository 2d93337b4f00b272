/* What an object's symbol tables and its dynamic section say of the names of functions: where they
 * are in it, which it takes from other objects, and which objects it needs. */
#ifndef ASCRIBE_SYMBOLS_LINKAGE_H
#define ASCRIBE_SYMBOLS_LINKAGE_H

#include "symbols/symbol_versions.h"
#include "symbols/symbols.h"

enum linkage_kind {
  LINKAGE_HERE,     /* a function of this name is in the object, for itself alone */
  LINKAGE_EXPORTED, /* and for others, too */
  LINKAGE_IMPORTED  /* the dynamic linker looks the name up; no address */
};

struct linkage_name {
  const char *name;
  uint64_t address; /* link-time */
  enum linkage_kind kind;
  struct symbol_version version; /* that it has, or that the object asks for */
};

/* Names may come several times; sorted by name. Strings belong to the symbol file. ifuncs are left
 * out: their address is their resolver's. */
struct linkage {
  struct linkage_name *names;
  size_t count;
  const char **needed; /* sonames, in order */
  size_t needed_count;
  const char *soname; /* or null */
};

/* What cannot be read is not there. The lists are the caller's, to be freed by linkage_free. */
void linkage_read(struct symbol_file *file, struct linkage *linkage);
void linkage_free(struct linkage *linkage);

/* The first of a name's entries, or `count`. */
size_t linkage_find(const struct linkage *linkage, const char *name);

#endif
