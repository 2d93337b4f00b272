/* Growing arrays of any element type: the caller keeps its typed pointer. */
#ifndef ASCRIBE_BASE_ARRAY_H
#define ASCRIBE_BASE_ARRAY_H

#include <stddef.h>

/* Room for at least `wanted` elements of `size` bytes each (size > 0). Returns the array, which
 * may have moved, and updates *capacity; the room beyond the old capacity is uninitialised.
 * Null when memory or the address space does not suffice: then the old array is still valid.
 * Grows by doubling, so that adding one at a time is cheap. `array` may be null with *capacity 0;
 * the result is freed with free(). */
void *array_reserve(void *array, size_t *capacity, size_t wanted, size_t size);

#endif
