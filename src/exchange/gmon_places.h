/* What a gmon.out is charged to: the functions of an executable, or its source lines. */
#ifndef ASCRIBE_EXCHANGE_GMON_PLACES_H
#define ASCRIBE_EXCHANGE_GMON_PLACES_H

#include <stdbool.h>

#include "base/arena.h"
#include "symbols/symbols.h"
#include "symbols/text_symbols.h"

/* Strings are the places', the symbols' or the symbol file's. */
struct gmon_place {
  uint64_t address, end; /* up to the next one */
  const char *function;  /* as it is shown */
  const char *linkage;   /* as in the symbol table */
  const char *file;      /* or null */
  uint32_t line;         /* 0: not known, or not asked for */
  uint32_t whole; /* the place of the function that this is a piece of ("f.cold"); else itself */
  bool local;
  bool entry; /* a function begins here: always so, but for lines */
};

/* All zeros: none. */
struct gmon_places {
  struct gmon_place *list; /* by address */
  size_t count;
  struct arena arena;
};

/* One for each function.  `demangled`: names as in the source. */
void gmon_places_of_functions(const struct text_symbols *symbols, bool demangled,
                              struct gmon_places *places);

/* One for each piece of code that comes from one line; code without lines is one piece for each
 * function. */
void gmon_places_of_lines(const struct text_symbols *symbols, struct symbol_file *file,
                          bool demangled, struct gmon_places *places);

/* Whether a user means this place by `name`: a function as it is shown, that without its
 * parameters, or its linkage name; a file or the end of a path; file:function or file:line. */
bool gmon_place_is(const struct gmon_place *place, const char *name);

/* The colon between a file and what is in it; null: the name has no file. */
const char *gmon_name_file_end(const char *name);

/* Where functions are defined, from the debug information. */
void gmon_places_locate(struct gmon_places *places, struct symbol_file *file);

void gmon_places_free(struct gmon_places *places);

/* The place that holds an address; SIZE_MAX if none does. */
size_t gmon_place_at(const struct gmon_places *places, uint64_t address);

#endif
