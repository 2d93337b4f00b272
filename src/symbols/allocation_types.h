/* The types of allocated blocks by where they are allocated, as the compiler plugins tell
 * (ascribe/allocation_strings.h). Trusts nothing in what they wrote. */
#ifndef ASCRIBE_SYMBOLS_ALLOCATION_TYPES_H
#define ASCRIBE_SYMBOLS_ALLOCATION_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of the blocks of one call. */
struct allocation_place {
  uint32_t line, column;
  const char *file;     /* without directories */
  const char *function; /* linkage name */
  bool by_allocator;    /* ALLOCATION_BY_ALLOCATOR */
  const char *type;     /* as in the section; "": the function returns the block */
};

struct allocation_types {
  char *text;
  struct allocation_place *places; /* by line and column */
  size_t count;
};

/* All of an object; none where no plugin wrote any. To be freed with allocation_types_free. */
struct symbol_file;
void symbol_file_allocations(struct symbol_file *file, struct allocation_types *types);

/* The same of such a section's bytes. */
void allocation_types_read(const void *bytes, size_t count, struct allocation_types *types);
void allocation_types_free(struct allocation_types *types);

/* Where control is in a function, as its symbol and the debug information say. */
struct allocation_asked {
  const char *function, *linkage; /* linkage may be null */
  const char *file;
  uint32_t line, column;
};

/* What all calls say that stand there; null: there is none, or they disagree. */
const struct allocation_place *allocation_types_find(const struct allocation_types *types,
                                                     const struct allocation_asked *asked);

/* The type's name for people. To be freed with free(); null: that is not known. */
char *allocation_type_name(const struct allocation_place *place);

#endif
