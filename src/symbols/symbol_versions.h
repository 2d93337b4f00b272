/* The versions of an object's dynamic symbols (SHT_GNU_versym, _verdef, _verneed; the LSB's "Symbol
 * Versioning"). */
#ifndef ASCRIBE_SYMBOLS_SYMBOL_VERSIONS_H
#define ASCRIBE_SYMBOLS_SYMBOL_VERSIONS_H

#include <gelf.h>
#include <stdbool.h>

/* Whom a definition answers. In order: who asks for no version gets the last of these. */
enum version_answers {
  VERSION_HIDDEN,  /* only who asks for this version: name@V */
  VERSION_DEFAULT, /* others, too: name@@V */
  VERSION_FIRST /* it has none, or the first that the object defines: what was linked before there
                   were versions */
};

struct symbol_version {
  const char *name; /* or null: none */
  enum version_answers answers;
};

struct symbol_versions {
  const char **names; /* by version index; the strings are the file's */
  size_t count;
  Elf_Data *of_symbols;
};

/* What cannot be read is not there. To be closed by symbol_versions_close, before `elf` is. */
void symbol_versions_open(Elf *elf, struct symbol_versions *versions);
void symbol_versions_close(struct symbol_versions *versions);

/* The version of the `index`-th symbol of the dynamic symbol table. */
struct symbol_version symbol_version(const struct symbol_versions *versions, size_t index);

#endif
