/* libFuzzer target: any bytes as descriptions of counters, and what follows of entries. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counter_values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct counted_code *list;
  size_t count;
  void *copy = malloc(size + 1); /* aligned, and no byte longer */
  if (!copy) return 0;
  memcpy(copy, data, size);
  if (counted_code_read(copy, size, &list, &count) == 0) {
    static const uint64_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct counter_memory memory = {count ? list[0].counters : 0, counts, 8};
    uint64_t *entries = counter_entries(list, count, &memory);
    for (size_t i = 0; i < count; i++)
      for (uint32_t k = 0; k < list[i].point_count; k++) {
        const struct unit_point *point = &list[i].points[k];
        counter_passes(&list[i], point, entries[i], &memory);
        assert(strlen(counted_code_text(&list[i], point->file)) <= size);
      }
    free(entries);
    free(list);
  }
  free(copy);
  return 0;
}
