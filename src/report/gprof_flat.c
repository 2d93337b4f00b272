/* The flat profile (Graham, Kessler, McKusick, section 5.1). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/gprof.h"

static const char explanation[] =
    "\n"
    " %time          of the whole time, in this function\n"
    " cumulative     seconds in this function and those above it\n"
    " self seconds   in this function alone; the list is sorted by them\n"
    " calls          of this function, its calls of itself left out; blank: not known\n"
    " self/call      mean time of a call in the function alone\n"
    " total/call     and with all that it calls, as far as gprof's sharing can tell\n";

/* Steps of a thousand, up to the one in which the slowest function's time per call is at least 1.
 */
struct scale {
  const char *prefix;
  double factor;
};
static const struct scale scales[] = {{"T", 1e-12}, {"G", 1e-9}, {"M", 1e-6}, {"K", 1e-3},
                                      {"", 1},      {"m", 1e3},  {"u", 1e6},  {"n", 1e9},
                                      {"p", 1e12},  {"f", 1e15}, {"a", 1e18}};
enum { SCALES = sizeof scales / sizeof *scales };

static const struct scale *choose_scale(const struct gprof_listing *listing) {
  const struct call_graph *graph = listing->graph;
  double most = 0;
  for (size_t i = 0; i < graph->function_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    double each = node->calls ? (node->self + node->child) / (double)node->calls : 0;
    if (each > most) most = each;
  }
  if (!listing->rate) most = 0;
  for (int i = 0; most > 0 && i < SCALES; i++) {
    double scaled = scales[i].factor * most / listing->rate;
    if (scaled >= 1 && scaled < 1000) return &scales[i];
  }
  return &scales[0];
}

static void print_head(const struct gprof_listing *listing, const struct scale *scale, FILE *out) {
  char unit[16];
  snprintf(unit, sizeof unit, "%s%c/call", scale->prefix,
           listing->rate ? listing->abbreviation : 's');
  const char *dimension = listing->rate ? listing->dimension : "seconds";
  fprintf(out, "  %%   cumulative   self              self     total           \n");
  fprintf(out, " time %9.9s %9.9s    calls %8s %8s  name    \n", dimension, dimension, unit, unit);
}

struct flat_order {
  const struct graph_node *node;
  uint32_t index;
};

static int by_self(const void *left, const void *right) {
  const struct flat_order *a = left, *b = right;
  if (a->node->self != b->node->self) return a->node->self > b->node->self ? -1 : 1;
  if (a->node->calls != b->node->calls) return a->node->calls > b->node->calls ? -1 : 1;
  int order = strcmp(a->node->linkage, b->node->linkage);
  return order ? order : a->index < b->index ? -1 : 1;
}

static void print_function(const struct gprof_listing *listing, const struct flat_order *function,
                           const struct scale *scale, double *sum, FILE *out) {
  const struct graph_node *node = function->node;
  double whole = listing->ticks > 0 ? listing->ticks : 1, rate = listing->rate ? listing->rate : 1;
  *sum += node->self;
  fprintf(out, "%6.2f %9.2f %8.2f", 100 * node->self / whole, *sum / rate, node->self / rate);
  if (node->calls)
    fprintf(out, " %8llu %8.2f %8.2f  ", (unsigned long long)node->calls,
            scale->factor * node->self / rate / (double)node->calls,
            scale->factor * (node->self + node->child) / rate / (double)node->calls);
  else
    fprintf(out, " %8s %8s %8s  ", "", "", "");
  gprof_print_name(listing, function->index, out);
  fputc('\n', out);
}

void gprof_print_flat(const struct gprof_listing *listing, FILE *out) {
  const struct call_graph *graph = listing->graph;
  const struct scale *scale = choose_scale(listing);
  struct flat_order *order = memory_zeroed(graph->function_count, sizeof *order);
  double sum = 0;
  for (size_t i = 0; i < graph->function_count; i++)
    order[i] = (struct flat_order){&graph->nodes[i], i};
  if (graph->function_count) qsort(order, graph->function_count, sizeof *order, by_self);
  fputs("Flat profile:\n\n", out);
  if (listing->rate)
    fprintf(out, "Each sample counts as %g %s.\n", 1.0 / listing->rate, listing->dimension);
  if (listing->ticks <= 0) fputs(" no time accumulated\n\n", out);
  print_head(listing, scale, out);
  for (size_t i = 0; i < graph->function_count; i++) {
    const struct graph_node *node = order[i].node;
    bool wanted = (listing->unused && !node->piece) || node->calls || node->self > 0;
    if (wanted && (!listing->flat || graph_chosen(listing->flat, order[i].index)))
      print_function(listing, &order[i], scale, &sum, out);
  }
  if (!listing->brief) fputs(explanation, out);
  free(order);
}
