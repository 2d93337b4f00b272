/* The index: where in the call graph profile each function stands. */
#include <stdlib.h>
#include <string.h>

#include "attribution/pool.h"
#include "report/gprof.h"
#include "report/text.h"

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

/* Names of files come out of the executable, and may hold anything. */
static void print_file(const char *file, FILE *out) {
  fputs(" (", out);
  text_name(out, file, 0);
  fputc(')', out);
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
    print_file(gprof_file(listing, shown->file), out);
}

/* Columns of what print_item prints. */
static size_t item_width(const struct gprof_listing *listing, uint32_t node) {
  const struct graph_node *shown = &listing->graph->nodes[node];
  size_t width = sizeof "[12345]";
  if (!shown->name) return width + snprintf(NULL, 0, "<cycle %u>", shown->cycle);
  width += strlen(shown->name);
  if (listing->lines && shown->line)
    width += snprintf(NULL, 0, " (%s:%u @ %llx)", gprof_file(listing, shown->file), shown->line,
                      (unsigned long long)shown->address);
  else if (shown->local && shown->file && !listing->lines)
    width += strlen(gprof_file(listing, shown->file)) + strlen(" ()");
  return width;
}

/* As a phone book: down the first column, then the next. */
static void print_columns(const struct gprof_listing *listing, const uint32_t *nodes, size_t count,
                          FILE *out) {
  size_t rows = (count + COLUMNS - 1) / COLUMNS, width = listing->width / COLUMNS;
  for (size_t row = 0; row < rows; row++) {
    for (size_t at = row; at < count; at += rows) {
      print_item(listing, nodes[at], out);
      size_t used = item_width(listing, nodes[at]);
      if (at + rows >= count)
        fputc('\n', out);
      else
        fprintf(out, "%*s", (int)(used < width ? width - used + 1 : 1), "");
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
  fputs("\nIndex by function name\n\n", out);
  print_columns(listing, order, count, out);
  free(order);
}
