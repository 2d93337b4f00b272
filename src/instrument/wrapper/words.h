/* A growing, null-terminated list of strings: an argument vector in the making. */
#ifndef ASCRIBE_INSTRUMENT_WORDS_H
#define ASCRIBE_INSTRUMENT_WORDS_H

#include <stddef.h>

struct words {
  char **items; /* null-terminated once something was added */
  size_t count;
};

/* Append a copy of `text`. */
void words_add(struct words *words, const char *text);

/* The same with printf's rules. */
void words_add_format(struct words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Append what stands between blanks in `text`. */
void words_add_split(struct words *words, const char *text);

void words_free(struct words *words);

#endif
