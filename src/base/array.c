#include "base/array.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

void *array_reserve(void *array, size_t *capacity, size_t wanted, size_t size) {
  assert(size > 0);
  if (array && wanted <= *capacity) return array;
  size_t grown = *capacity < SIZE_MAX / 2 ? *capacity * 2 : wanted;
  if (grown < wanted) grown = wanted;
  if (grown < 16) grown = 16;
  size_t bytes;
  if (__builtin_mul_overflow(grown, size, &bytes) || bytes > PTRDIFF_MAX) return NULL;
  void *moved = realloc(array, bytes);
  if (moved) *capacity = grown;
  return moved;
}
