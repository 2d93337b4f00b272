/* Patterns of names, with commas between them, as ASCRIBE_CENTRES has them. Signal-safe: the
 * runtime chooses by them, and the recorder says which chose nothing. */
#ifndef ASCRIBE_BASE_NAME_PATTERN_H
#define ASCRIBE_BASE_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text is one of the pattern, which ends with a comma or a zero: `*` is any text and
 * `?` any byte. Where it fails behind a `*`, that takes one byte more. */
static inline bool name_fits(const char *pattern, const char *text) {
  const char *star = NULL, *resumed = text;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      resumed = text;
    } else if (*pattern != ',' && (*pattern == *text || *pattern == '?')) {
      pattern++, text++;
    } else if (star) {
      pattern = star + 1;
      text = ++resumed;
    } else {
      return false;
    }
  }
  while (*pattern == '*')
    pattern++;
  return !*pattern || *pattern == ',';
}

/* Behind the pattern's comma; null: it is the last. */
static inline const char *name_pattern_next(const char *pattern) {
  while (*pattern && *pattern != ',')
    pattern++;
  return *pattern ? pattern + 1 : NULL;
}

#endif
