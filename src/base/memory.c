#include "base/memory.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ELEMENTS = 16 };

void memory_exhausted(void) {
  fputs("ascribe: out of memory\n", stderr);
  exit(1);
}

void *memory_resized(void *memory, size_t count, size_t size) {
  size_t bytes;
  void *result = NULL;
  if (!__builtin_mul_overflow(count ? count : 1, size, &bytes)) result = realloc(memory, bytes);
  if (!result) memory_exhausted();
  return result;
}

void *memory_zeroed(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) memory_exhausted();
  return memory;
}

char *memory_text(const char *text) {
  return memory_text_part(text, strlen(text));
}

char *memory_text_part(const char *text, size_t most) {
  char *copy = strndup(text, most);
  if (!copy) memory_exhausted();
  return copy;
}

char *memory_printed(const char *format, ...) {
  char *text;
  va_list values;
  va_start(values, format);
  int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0) memory_exhausted();
  return text;
}

void *array_grown(void *array, size_t wanted, size_t size) {
  size_t room = malloc_usable_size(array) / size, grown = 2 * room;
  if (array && wanted <= room) return array;
  if (grown < wanted) grown = wanted;
  return memory_resized(array, grown < FIRST_ELEMENTS ? FIRST_ELEMENTS : grown, size);
}
