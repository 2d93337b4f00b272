/* The functions of one object by address: collected in any order, then cut into ranges of which
 * no two overlap, so that an address has one answer. */
#ifndef ASCRIBE_SYMBOLS_SYMBOL_TABLE_H
#define ASCRIBE_SYMBOLS_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

struct table_symbol {
  uint64_t address, size; /* size 0 until symbol_table_finish: up to the next symbol */
  const char *linkage;    /* not owned */
  const char *name;       /* cache of symbols.c: null until asked for */
  const char *file;       /* likewise, where it is defined; null when not known */
  uint32_t line, located; /* located: 1 when file and line have been looked for */
  uint32_t preference;    /* of several symbols at one address the highest wins; the two lowest
                           * bits: 0 if it is local */
  uint32_t first_alias;   /* table.aliases from there on: all names of this preference */
  uint32_t alias_count;   /* 0: there is but one */
};

/* Whether other objects, or other files of its own, may name it. */
static inline bool symbol_is_global(const struct table_symbol *symbol) {
  return symbol->preference & 3;
}

/* A piece of the object that holds code. */
struct code_section {
  uint64_t start, end;
};

struct symbol_range {
  uint64_t start, end;
  uint32_t symbol;
};

/* All zeros: an empty table. */
struct symbol_table {
  struct table_symbol *symbols;
  size_t count;
  const char **aliases;
  size_t alias_count;
  struct symbol_range *ranges; /* sorted, disjoint */
  size_t range_count;
  struct hash_index by_name;  /* symbols by linkage name; made when first asked */
  struct hash_index of_clone; /* clones by linkage name without suffixes; likewise */
  bool clones_known;
};

void symbol_table_add(struct symbol_table *table, uint64_t address, uint64_t size,
                      const char *linkage, uint32_t preference);

/* Choose among symbols at one address (then: fewer leading underscores, shorter, first in the
 * alphabet), give symbols of size 0 the room up to the next symbol or the end of their section
 * (unless they lie inside another), and cut the ranges; inner symbols win over outer ones.
 * `sections` are sorted. */
void symbol_table_finish(struct symbol_table *table, const struct code_section *sections,
                         size_t section_count);

/* The symbol whose code holds the address, or null. After symbol_table_finish. */
struct table_symbol *symbol_table_find(const struct symbol_table *table, uint64_t address);

/* Name `i` of those that are as good as the chosen one; null behind the last. */
const char *symbol_table_name(const struct symbol_table *table, const struct table_symbol *symbol,
                              size_t i);

/* The symbol that has this linkage name, perhaps as an alias, or null. After symbol_table_finish.
 */
struct table_symbol *symbol_table_named(struct symbol_table *table, const char *linkage);

/* Whether there is a symbol of this linkage name with suffixes of clones (".constprop.0"). After
 * symbol_table_finish. */
bool symbol_table_has_clone(struct symbol_table *table, const char *linkage);

void symbol_table_free(struct symbol_table *table);

#endif
