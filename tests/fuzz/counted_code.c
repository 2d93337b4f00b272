/* libFuzzer target: any bytes as descriptions of counters, and what follows of entries. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/counter_values.h"
#include "attribution/counts/line_executions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_lines(struct source_ranges *ranges, const struct counter_values *values,
                       size_t function) {
  const struct counted_code *code = &values->code[function];
  struct counted_line line;
  uint64_t count;
  while (source_ranges_line(ranges, &line) == 1) {
    for (uint32_t i = 0; i < line.place_count; i++)
      assert(line.places[i] < code->flow_count);
    line_executions(&line, values->flows + values->first[function], &count);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct counted_code_list list;
  void *copy = malloc(size); /* no byte longer */
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  if (counted_code_read(copy, size, &list) == 0) {
    static const uint64_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct counter_memory memory = {list.count ? list.code[0].unit->counters : 0, counts, 8};
    struct counter_values values;
    counter_values_make(list.code, list.count, &memory, &values);
    for (size_t i = 0; i < list.count; i++)
      for (uint32_t k = 0; k < list.code[i].point_count; k++) {
        const struct counted_point *point = &list.code[i].points[k];
        uint64_t address, calls;
        counter_passes(&values, &list.code[i], point);
        counter_callee(&list.code[i], point, &memory, &address, &calls);
        assert(strlen(counted_code_text(&list.code[i], point->file)) <= size);
      }
    for (size_t i = 0; i < list.count; i++) {
      struct source_ranges ranges;
      struct counted_range range;
      if (source_ranges_open(&list.code[i], &ranges) == 0)
        while (source_ranges_next(&ranges, &range) == 1)
          for (uint32_t flow; source_ranges_flow(&ranges, &flow);)
            assert(flow < list.code[i].flow_count);
      read_lines(&ranges, &values, i);
      source_ranges_close(&ranges);
    }
    counter_values_free(&values);
    counted_code_free(&list);
  }
  free(copy);
  return 0;
}
