/* Whether a text begins with another, or with one of a list, and what follows. */
#ifndef ASCRIBE_BASE_BEGINS_H
#define ASCRIBE_BASE_BEGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static inline bool begins_with_any(const char *text, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (begins(text, list[i])) return true;
  return false;
}

/* The rest of the text behind `begin`; null if it does not begin so. */
static inline const char *text_after(const char *text, const char *begin) {
  size_t length = strlen(begin);
  return strncmp(text, begin, length) == 0 ? text + length : NULL;
}

/* Of an array. */
#define BEGINS_WITH_ANY(text, list) begins_with_any(text, list, sizeof(list) / sizeof *(list))

#endif
