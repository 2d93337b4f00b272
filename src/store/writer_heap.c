/* What the program allocates (attribution/heap_costs.h), for users. */
#include <stdlib.h>

#include "attribution/heap_costs.h"
#include "store/writer_rows.h"

/* A part of a run has no peak: null; nor other metrics that had nothing by time: 0, and of samples
 * nobody knows how much more. */
static void put_cost(struct writer *writer, enum heap_area area, enum heap_metric kind,
                     struct amount amount) {
  uint32_t metric = heap_metric_in(writer->profile, area, kind);
  bool sampled = area == HEAP_OF_MALLOC && heap_mean(writer->profile);
  struct estimate estimate = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0};
  if (metric != NOTHING)
    estimate = books_estimate(&writer->measured[metric].books, amount);
  else if (kind != HEAP_PEAK)
    estimate = (struct estimate){.high_ns = sampled ? UINT64_MAX : 0};
  put_optional_number(&writer->row, estimate.ns);
  put_optional_number(&writer->row, estimate.low_ns);
  put_optional_number(&writer->row, estimate.high_ns);
}

static int write_cost(struct writer *writer, enum heap_area area, uint32_t i,
                      const struct heap_cost *cost) {
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_id(out, cost->of);
  for (int kind = 0; kind < HEAP_METRIC_COUNT; kind++)
    put_cost(writer, area, kind, cost->cost[kind]);
  put_number(out, cost->cost[HEAP_LIVE].ticks);
  put_optional_number(out, cost->least);
  put_optional_number(out, cost->most);
  return writer_write(writer);
}

/* Behind `first` rows of others. */
static int write_rows(struct writer *writer, enum heap_owner by, size_t *first) {
  size_t count;
  struct heap_cost *costs = heap_costs_make(writer->profile, writer->selection, by, &count);
  int result = 0;
  for (size_t i = 0; result == 0 && i < count; i++)
    result = write_cost(writer, heap_area_of(by), (uint32_t)(*first + i), &costs[i]);
  free(costs);
  *first += count;
  return result;
}

static int write_costs(struct writer *writer, const char *table, enum heap_owner by) {
  size_t rows = 0;
  int result = writer_begin(writer, table);
  if (result == 0) result = write_rows(writer, by, &rows);
  return writer_end(writer, result);
}

static int write_pools(struct writer *writer) {
  size_t rows = 0;
  int result = writer_begin(writer, "raw_pools");
  if (result == 0) result = write_rows(writer, HEAP_BY_POOL, &rows);
  if (result == 0) result = write_rows(writer, HEAP_BY_MAPPING, &rows);
  return writer_end(writer, result);
}

int writer_heap(struct writer *writer) {
  if (write_costs(writer, "raw_allocation_sites", HEAP_BY_SITE) != 0 ||
      write_costs(writer, "raw_heap_kinds", HEAP_BY_KIND) != 0 || write_pools(writer) != 0)
    return -1;
  return write_costs(writer, "raw_heap_sizes", HEAP_BY_SIZE);
}
