/* Ids in ascending order, as rows of a profile have them. */
#ifndef ASCRIBE_COMPARE_IDS_H
#define ASCRIBE_COMPARE_IDS_H

#include <stddef.h>
#include <stdint.h>

/* The place of `id`, or `count`.  Where no id is left out it is found at once. */
static inline size_t ids_find(const int64_t *ids, size_t count, int64_t id) {
  if (!count || id < ids[0]) return count;
  uint64_t ahead = (uint64_t)id - (uint64_t)ids[0];
  if (ahead < count && ids[ahead] == id) return ahead;
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && ids[low] == id ? low : count;
}

#endif
