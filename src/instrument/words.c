#include "instrument/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Takes ownership of `text`. */
static void add_owned(struct words *words, char *text) {
  char **items = NULL;
  if (text) items = array_reserve(words->items, &words->capacity, words->count + 2, sizeof(*items));
  if (!items) {
    free(text);
    words->failed = true;
    return;
  }
  words->items = items;
  items[words->count++] = text;
  items[words->count] = NULL;
}

void words_add(struct words *words, const char *text) {
  add_owned(words, strdup(text));
}

void words_add_format(struct words *words, const char *format, ...) {
  char *text = NULL;
  va_list values;
  va_start(values, format);
  if (vasprintf(&text, format, values) < 0) text = NULL;
  va_end(values);
  add_owned(words, text);
}

void words_add_split(struct words *words, const char *text) {
  static const char blanks[] = " \t\n";
  for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
    size_t length = strcspn(text, blanks);
    add_owned(words, strndup(text, length));
    text += length;
  }
}

void words_free(struct words *words) {
  for (size_t i = 0; i < words->count; i++)
    free(words->items[i]);
  free(words->items);
  *words = (struct words){0};
}
