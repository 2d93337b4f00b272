#include "base/array.h"

#include <stdlib.h>

#include "check.h"

int main(void) {
  uint32_t *array = NULL;
  size_t capacity = 0;
  for (uint32_t i = 0; i < 100000; i++) {
    array = array_reserve(array, &capacity, i + 1, sizeof *array);
    CHECK(capacity > i);
    array[i] = i * 3;
  }
  for (uint32_t i = 0; i < 100000; i++)
    if (array[i] != i * 3) CHECK_EQUAL(array[i], i * 3);
  size_t before = capacity;
  CHECK(array_reserve(array, &capacity, SIZE_MAX / 2, sizeof *array) == NULL);
  CHECK(array_reserve(array, &capacity, SIZE_MAX, 1) == NULL);
  CHECK_EQUAL(capacity, before);
  CHECK_EQUAL(array[99999], 299997);
  free(array);
  return check_result();
}
