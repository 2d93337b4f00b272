/* Source files, as they are copied into a profile. */
#ifndef ASCRIBE_STORE_SOURCE_TEXT_H
#define ASCRIBE_STORE_SOURCE_TEXT_H

#include <stddef.h>

/* What may still be copied. */
struct source_budget {
  size_t file_bytes;  /* of one file */
  size_t total_bytes; /* of all */
};
#define SOURCE_BUDGET ((struct source_budget){8u << 20, 64u << 20})

/* The text of a regular file, malloc'ed, with a zero after its end; null if it cannot be read,
 * is no text, or exceeds the budget, from which it is taken. */
char *source_text_read(const char *path, struct source_budget *budget, size_t *bytes);

#endif
