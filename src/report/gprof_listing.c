#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/memory.h"
#include "report/gprof.h"
#include "report/text.h"

const char *gprof_file(const struct gprof_listing *listing, const char *path) {
  return listing->paths ? path : base_name(path);
}

void gprof_print_name(const struct gprof_listing *listing, uint32_t node, FILE *out) {
  const struct graph_node *shown = &listing->graph->nodes[node];
  if (!shown->name) {
    fprintf(out, "<cycle %u as a whole>", shown->cycle);
    return;
  }
  text_name(out, shown->name, 0);
  if (!shown->line || !(listing->lines || listing->definitions)) return;
  fputs(" (", out);
  text_name(out, gprof_file(listing, shown->file), 0);
  fprintf(out, ":%u", shown->line);
  if (listing->lines) fprintf(out, " @ %llx", (unsigned long long)shown->address);
  fputc(')', out);
}

void gprof_print_numbered(const struct gprof_listing *listing, uint32_t node, FILE *out) {
  const struct graph_node *shown = &listing->graph->nodes[node];
  gprof_print_name(listing, node, out);
  if (shown->name && shown->cycle) fprintf(out, " <cycle %u>", shown->cycle);
  fprintf(out, shown->listed ? " [%u]" : " (%u)", listing->number[node]);
}

/* ---- the order of the call graph ---- */

static const struct call_graph *sorted_graph; /* qsort has no argument for it */

static double shown_time(const struct graph_node *node) {
  return node->shown_self + node->shown_child;
}

static int by_name(const struct graph_node *a, const struct graph_node *b) {
  bool a_reserved = a->linkage[0] == '_', b_reserved = b->linkage[0] == '_';
  if (a_reserved != b_reserved) return a_reserved ? 1 : -1;
  if (a->calls != b->calls) return a->calls > b->calls ? -1 : 1;
  return strcmp(a->linkage, b->linkage);
}

/* Most time first; then cycles; then by calls and names. */
static int by_time(const void *left, const void *right) {
  uint32_t a_index = *(const uint32_t *)left, b_index = *(const uint32_t *)right;
  const struct graph_node *a = &sorted_graph->nodes[a_index], *b = &sorted_graph->nodes[b_index];
  if (shown_time(a) != shown_time(b)) return shown_time(a) > shown_time(b) ? -1 : 1;
  if (!a->name != !b->name) return a->name ? 1 : -1;
  int order = a->name ? by_name(a, b) : 0;
  return order ? order : a_index < b_index ? -1 : 1;
}

void gprof_listing_sort(struct gprof_listing *listing) {
  size_t count = listing->graph->node_count;
  listing->order = memory_zeroed(count, sizeof *listing->order);
  listing->number = memory_zeroed(count, sizeof *listing->number);
  for (size_t i = 0; i < count; i++)
    listing->order[i] = i;
  sorted_graph = listing->graph;
  if (count) qsort(listing->order, count, sizeof *listing->order, by_time);
  for (size_t i = 0; i < count; i++)
    listing->number[listing->order[i]] = i + 1;
}

void gprof_listing_release(struct gprof_listing *listing) {
  free(listing->order);
  free(listing->number);
}
