#include "instrument/wrapper/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Takes ownership of `text`. */
static void add_owned(struct words *words, char *text) {
  ARRAY_ROOM(words->items, words->count + 2);
  words->items[words->count++] = text;
  words->items[words->count] = NULL;
}

void words_add(struct words *words, const char *text) {
  add_owned(words, memory_text(text));
}

void words_add_format(struct words *words, const char *format, ...) {
  char *text;
  va_list values;
  va_start(values, format);
  int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0) memory_exhausted();
  add_owned(words, text);
}

void words_add_split(struct words *words, const char *text) {
  static const char blanks[] = " \t\n";
  for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
    size_t length = strcspn(text, blanks);
    add_owned(words, memory_text_part(text, length));
    text += length;
  }
}

void words_free(struct words *words) {
  for (size_t i = 0; i < words->count; i++)
    free(words->items[i]);
  free(words->items);
  *words = (struct words){0};
}
