/* libFuzzer target: any bytes as a gmon.out.  What is read is charged to a few places, and written
 * and read again: it must be the same, and nothing may be lost or made on the way. */
#include <math.h>
#include <string.h>

#include "exchange/gmon_graph.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct gmon_place list[] = {
    {.address = 0x1000, .end = 0x1010, .whole = 0, .function = "a", .entry = true},
    {.address = 0x1010, .end = 0x1013, .whole = 1, .function = "b", .entry = true},
    {.address = 0x1013, .end = 0x2000, .whole = 0, .function = "c", .entry = true},
};
static const struct gmon_places places = {.list = list, .count = sizeof list / sizeof *list};

static void check_graph(const struct gmon *gmon) {
  static const struct gmon_graph_options options;
  struct gmon_graph made;
  gmon_graph_make(gmon, &places, &options, &made);
  call_graph_propagate(&made.graph, NULL);
  require(made.graph.node_count >= places.count);
  for (size_t i = 0; i < made.graph.node_count; i++)
    require(made.graph.nodes[i].self >= 0 && !isnan(made.graph.nodes[i].child));
  call_graph_free(&made.graph);
}

static int same(const struct gmon *a, const struct gmon *b) {
  if (a->histogram_count != b->histogram_count || a->arc_count != b->arc_count ||
      a->block_count != b->block_count)
    return 0;
  for (size_t i = 0; i < a->histogram_count; i++)
    if (a->histograms[i].low != b->histograms[i].low ||
        a->histograms[i].bins != b->histograms[i].bins ||
        memcmp(a->histograms[i].counts, b->histograms[i].counts, 8 * a->histograms[i].bins) != 0)
      return 0;
  return (!a->arc_count || memcmp(a->arcs, b->arcs, a->arc_count * sizeof *a->arcs) == 0) &&
         (!a->block_count || memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) == 0);
}

static void check_round_trip(const struct gmon *gmon, struct gmon_form form) {
  char *bytes = NULL;
  size_t count;
  FILE *out = open_memstream(&bytes, &count);
  struct gmon again = {0};
  if (!out) return;
  gmon_write(gmon, &form, out);
  fclose(out);
  require(gmon_add(&again, "again", (unsigned char *)bytes, count, &form, NULL) == 0);
  gmon_sum(&again);
  require(same(gmon, &again));
  gmon_free(&again);
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct gmon gmon = {0};
  struct gmon_form form = {.pointer_bytes = size ? data[size - 1] % 3 * 4u : 0};
  struct error error;
  if (gmon_add(&gmon, "fuzz", data, size, &form, &error) == 0) {
    gmon_sum(&gmon);
    check_graph(&gmon);
    check_round_trip(&gmon, form);
  }
  gmon_free(&gmon);
  return 0;
}
