/* The index: where in the call graph profile each function stands. */
#include <stdlib.h>
#include <string.h>

#include "attribution/pool.h"
#include "report/gprof.h"

enum { COLUMNS = 3 };

static const struct gprof_listing *sorted_listing; /* qsort has no argument for it */

static int alphabetical(const void *left, const void *right) {
  uint32_t a_index = *(const uint32_t *)left, b_index = *(const uint32_t *)right;
  const struct graph_node *a = &sorted_listing->graph->nodes[a_index];
  const struct graph_node *b = &sorted_listing->graph->nodes[b_index];
  int order = strcmp(a->name, b->name);
  if (order) return order;
  return a->address < b->address ? -1 : a->address > b->address;
}

static void print_item(const struct gprof_listing *listing, uint32_t node, FILE *out) {
  const struct graph_node *shown = &listing->graph->nodes[node];
  char number[16];
  snprintf(number, sizeof number, shown->listed ? "[%u]" : "(%u)", listing->number[node]);
  fprintf(out, "%6s ", number);
  if (!shown->name) {
    fprintf(out, "<cycle %u>", shown->cycle);
    return;
  }
  gprof_print_name(listing, node, out);
  if (shown->local && shown->file && !listing->lines)
    fprintf(out, " (%s)", gprof_file(listing, shown->file));
}

static char *item_text(const struct gprof_listing *listing, uint32_t node) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  if (!stream) memory_exhausted();
  print_item(listing, node, stream);
  if (fclose(stream) != 0) memory_exhausted();
  return text;
}

/* As a phone book: down the first column, then the next. */
static void print_columns(char *const *items, size_t count, unsigned width, FILE *out) {
  size_t rows = (count + COLUMNS - 1) / COLUMNS;
  for (size_t row = 0; row < rows; row++) {
    for (size_t at = row; at < count; at += rows) {
      bool last = at + rows >= count;
      if (last)
        fprintf(out, "%s\n", items[at]);
      else
        fprintf(out, "%-*s ", (int)(width / COLUMNS), items[at]);
    }
  }
}

void gprof_print_index(const struct gprof_listing *listing, FILE *out) {
  const struct call_graph *graph = listing->graph;
  uint32_t *order = memory_zeroed(graph->node_count, sizeof *order);
  size_t count = 0;
  for (size_t i = 0; i < graph->function_count; i++)
    if (listing->unused || graph->nodes[i].calls || graph->nodes[i].self > 0) order[count++] = i;
  sorted_listing = listing;
  if (count) qsort(order, count, sizeof *order, alphabetical);
  for (size_t i = graph->function_count; i < graph->node_count; i++)
    order[count++] = i;
  char **items = memory_zeroed(count, sizeof *items);
  for (size_t i = 0; i < count; i++)
    items[i] = item_text(listing, order[i]);
  fputs("\nIndex by function name\n\n", out);
  print_columns(items, count, listing->width, out);
  for (size_t i = 0; i < count; i++)
    free(items[i]);
  free(items);
  free(order);
}
