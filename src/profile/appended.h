/* To append to an array of a profile. */
#ifndef ASCRIBE_PROFILE_APPENDED_H
#define ASCRIBE_PROFILE_APPENDED_H

#include <stdint.h>

#include "base/memory.h"

/* The element is its array's last; the value is its id. */
#define APPENDED(array, count, element)                                                            \
  (ARRAY_GROW(array, count), (array)[count] = (element), (uint32_t)(count)++)

#endif
