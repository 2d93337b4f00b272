/* Variants of constructors and destructors. */
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/symbol_file.h"

enum { MOST_PLACES = 8 };

/* The places of digits of variants in the name: "4" there leaves the name for the user as it is,
 * while the end of a type "C2" does not. */
static size_t find_places(char *linkage, size_t places[MOST_PLACES]) {
  size_t count = 0;
  char *name = demangle_in_full(linkage);
  for (size_t at = 0; count < MOST_PLACES && (at = demangle_variant(linkage, at)) != 0;) {
    char digit = linkage[at];
    linkage[at] = '4';
    char *other = demangle_in_full(linkage);
    linkage[at] = digit;
    if (strcmp(name, other) == 0) places[count++] = at;
    free(other);
  }
  free(name);
  return count;
}

const char *symbol_file_variant(struct symbol_file *file, const char *linkage,
                                char text[SYMBOL_NAME_BYTES]) {
  size_t places[MOST_PLACES];
  size_t whole = strlen(linkage), length = demangle_base_length(linkage);
  if (!demangle_variant(linkage, 0) || whole >= SYMBOL_NAME_BYTES) return linkage;
  memcpy(text, linkage, length);
  text[length] = '\0';
  size_t count = find_places(text, places);
  if (!count) return linkage;
  /* The first that has a symbol, or else of which there are clones. */
  static const char variants[] = "12124";
  for (int next = 0; variants[next]; next++) {
    for (size_t i = 0; i < count; i++)
      text[places[i]] = variants[next];
    if (next < 2 ? symbol_table_named(&file->table, text) != NULL
                 : next < 4 && symbol_table_has_clone(&file->table, text))
      break;
  }
  memcpy(text + length, linkage + length, whole - length + 1);
  return text;
}

const char *symbol_file_kept_variant(struct symbol_file *file, const char *linkage) {
  char text[SYMBOL_NAME_BYTES];
  const char *variant = symbol_file_variant(file, linkage, text);
  return variant == text ? arena_text(&file->arena, text, strlen(text)) : linkage;
}
