/* Ids in ascending order, as rows of a profile have them. */
#ifndef ASCRIBE_COMPARE_IDS_H
#define ASCRIBE_COMPARE_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/count_before.h"

/* The place of `id` among the `count` ids that `id_at` tells, or `count`.  Where no id is left out
 * it is found at once. */
static inline size_t ids_find_by(const void *ids, size_t count, int64_t id,
                                 int64_t (*id_at)(const void *ids, size_t place)) {
  if (!count || id < id_at(ids, 0)) return count;
  uint64_t ahead = (uint64_t)id - (uint64_t)id_at(ids, 0);
  if (ahead < count && id_at(ids, ahead) == id) return ahead;
  size_t low = COUNT_BEFORE(count, i, id_at(ids, i) < id);
  return low < count && id_at(ids, low) == id ? low : count;
}

static inline int64_t ids_at(const void *ids, size_t place) {
  return ((const int64_t *)ids)[place];
}

/* The same of plain numbers. */
static inline size_t ids_find(const int64_t *ids, size_t count, int64_t id) {
  return ids_find_by(ids, count, id, ids_at);
}

#endif
