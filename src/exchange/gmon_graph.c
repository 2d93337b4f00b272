#include "exchange/gmon_graph.h"

#include <string.h>

#include "base/map.h"

struct charging {
  const struct gmon_places *places;
  const struct gmon_graph_options *options;
  struct gmon_graph *result;
  struct map arcs; /* by caller and callee */
};

/* ---- time ---- */

/* GNU gprof divides code into units of two bytes, and bins begin and end at whole ones. */
enum { UNIT_BYTES = 2 };

struct bin {
  uint64_t low, high; /* in units */
  double ticks_per_unit, ticks;
};

static uint64_t overlap(const struct bin *bin, const struct gmon_place *place) {
  uint64_t low = place->address / UNIT_BYTES, high = place->end / UNIT_BYTES;
  if (low < bin->low) low = bin->low;
  if (high > bin->high) high = bin->high;
  return high > low ? high - low : 0;
}

/* A bin's ticks are shared among the places in it, by their parts of its code. `*first` is where
 * the search begins, and goes on from bin to bin. */
static void charge_bin(struct charging *charging, const struct bin *bin, size_t *first) {
  const struct gmon_places *places = charging->places;
  struct gmon_graph *result = charging->result;
  double placed = 0;
  result->ticks += bin->ticks;
  result->sampled += bin->ticks;
  while (*first < places->count && places->list[*first].end / UNIT_BYTES <= bin->low)
    ++*first;
  for (size_t i = *first; i < places->count; i++) {
    if (places->list[i].address / UNIT_BYTES >= bin->high) break;
    double credit = (double)overlap(bin, &places->list[i]) * bin->ticks_per_unit;
    uint32_t whole = places->list[i].whole;
    placed += credit;
    if (!charging->options->timed || graph_chosen(charging->options->timed, whole))
      result->graph.nodes[whole].self += credit;
    else
      result->ticks -= credit;
  }
  if (placed == 0) result->outside += bin->ticks;
}

static void charge_histogram(struct charging *charging, const struct gmon_histogram *histogram) {
  double step = (double)(histogram->high - histogram->low) / UNIT_BYTES / histogram->bins;
  uint64_t low = histogram->low / UNIT_BYTES;
  size_t first = 0;
  charging->result->bytes = (double)(uint64_t)step * UNIT_BYTES;
  for (uint32_t i = 0; i < histogram->bins; i++) {
    double ticks = (double)histogram->counts[i];
    struct bin bin = {.low = low + (uint64_t)(step * i),
                      .high = low + (uint64_t)(step * (i + 1)),
                      .ticks_per_unit = ticks / step,
                      .ticks = ticks};
    if (histogram->counts[i]) charge_bin(charging, &bin, &first);
  }
}

/* ---- calls ---- */

static bool is_left_out(const struct gmon_graph_options *options, const struct gmon_place *caller,
                        const struct gmon_place *callee) {
  for (size_t i = 0; i < options->left_out_count; i++) {
    const struct gmon_arc_name *name = &options->left_out[i];
    if ((!name->caller || gmon_place_is(caller, name->caller)) &&
        (!name->callee || gmon_place_is(callee, name->callee)))
      return true;
  }
  return false;
}

/* The call stands before its return address.  But in sums that GNU gprof writes, the beginning of
 * the calling function stands in its place. */
static size_t caller_at(const struct gmon_places *places, uint64_t from) {
  size_t found = from ? gmon_place_at(places, from) : SIZE_MAX;
  if (found != SIZE_MAX && places->list[found].address == from && places->list[found].entry)
    return found;
  return from ? gmon_place_at(places, from - 1) : SIZE_MAX;
}

static size_t entry_at(const struct gmon_places *places, uint64_t to) {
  size_t found = gmon_place_at(places, to);
  while (found != SIZE_MAX && !places->list[found].entry)
    found = found ? found - 1 : SIZE_MAX;
  return found;
}

static void charge_arc(struct charging *charging, const struct gmon_arc *arc) {
  const struct gmon_places *places = charging->places;
  struct call_graph *graph = &charging->result->graph;
  size_t caller = caller_at(places, arc->from), callee = entry_at(places, arc->to);
  if (caller == SIZE_MAX || callee == SIZE_MAX) {
    charging->result->unplaced += arc->calls;
    return;
  }
  caller = places->list[caller].whole;
  callee = places->list[callee].whole;
  if (is_left_out(charging->options, &places->list[caller], &places->list[callee])) return;
  graph->nodes[callee].calls += arc->calls;
  uint32_t known = map_find_or_add(&charging->arcs, caller, callee, graph->arc_count);
  if (known == graph->arc_count)
    call_graph_call(graph, caller, callee, arc->calls);
  else
    graph->arcs[known].calls += arc->calls;
}

static void add_node(struct call_graph *graph, const struct gmon_place *place) {
  call_graph_add(graph, (struct graph_node){.name = place->function,
                                            .linkage = place->linkage,
                                            .file = place->file,
                                            .line = place->line,
                                            .local = place->local,
                                            .piece = place->whole != graph->node_count,
                                            .address = place->address});
}

void gmon_graph_make(const struct gmon *gmon, const struct gmon_places *places,
                     const struct gmon_graph_options *options, struct gmon_graph *graph) {
  *graph = (struct gmon_graph){0};
  struct charging charging = {.places = places, .options = options, .result = graph};
  for (size_t i = 0; i < places->count; i++)
    add_node(&graph->graph, &places->list[i]);
  for (size_t i = 0; i < gmon->histogram_count; i++)
    charge_histogram(&charging, &gmon->histograms[i]);
  for (size_t i = 0; i < gmon->arc_count; i++)
    charge_arc(&charging, &gmon->arcs[i]);
  map_free(&charging.arcs);
}

void gmon_graph_add_static(struct gmon_graph *graph, const struct gmon_places *places,
                           const struct gmon_graph_options *options,
                           const struct gmon_static_arc *arcs, size_t count) {
  struct charging charging = {.places = places, .options = options, .result = graph};
  for (size_t i = 0; i < graph->graph.arc_count; i++)
    map_find_or_add(&charging.arcs, graph->graph.arcs[i].caller, graph->graph.arcs[i].callee, i);
  for (size_t i = 0; i < count; i++) {
    struct gmon_arc arc = {.from = arcs[i].from, .to = arcs[i].to};
    charge_arc(&charging, &arc);
  }
  map_free(&charging.arcs);
}
