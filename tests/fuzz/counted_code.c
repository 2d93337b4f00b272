/* libFuzzer target: any bytes as descriptions of counters and as the counters' values. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/counter_values.h"
#include "attribution/counts/line_executions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_calls(const struct counter_values *values, const struct counted_code *code,
                       const struct counter_memory *memory, size_t size) {
  for (uint32_t i = 0; i < code->point_count; i++) {
    const struct counted_point *point = &code->points[i];
    uint64_t address, calls;
    assert(counter_passes(values, code, point) <= INT64_MAX);
    counter_callee(code, point, memory, &address, &calls);
    if (point->kind == POINT_CALL)
      assert(strlen(counted_code_text(code, code->unit->callees[point->callee].name)) <= size);
    assert(strlen(counted_code_text(code, point->file)) <= size);
  }
  assert(counter_entries(values, code) <= INT64_MAX);
}

static void read_source(const struct counter_values *values, const struct counted_code *code) {
  struct source_ranges ranges;
  struct counted_range range;
  struct counted_line line;
  uint64_t count;
  if (source_ranges_open(code, &ranges) == 0) {
    while (source_ranges_next(&ranges, &range) == 1)
      for (uint32_t flow; source_ranges_flow(&ranges, &flow);)
        assert(flow < code->flow_count);
    while (source_ranges_line(&ranges, &line) == 1) {
      for (uint32_t i = 0; i < line.place_count; i++)
        assert(line.places[i] < code->flow_count);
      line_executions(&line, values->flows + values->first[code - values->code], &count);
    }
  }
  source_ranges_close(&ranges);
}

static void read_all(const struct counted_code_list *list, const uint64_t *counts, size_t size) {
  struct counter_memory memory = {list->count ? list->code[0].unit->counters : 0, counts,
                                  size / sizeof *counts};
  struct counter_values values;
  counter_values_make(list->code, list->count, &memory, &values);
  for (size_t i = 0; i < list->count; i++) {
    read_calls(&values, &list->code[i], &memory, size);
    read_source(&values, &list->code[i]);
  }
  counter_values_free(&values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct counted_code_list list;
  void *copy = malloc(size + !size); /* aligned, and no byte longer */
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  if (counted_code_read(copy, size, &list) == 0) {
    read_all(&list, copy, size);
    counted_code_free(&list);
  }
  free(copy);
  return 0;
}
