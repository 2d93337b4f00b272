/* The index: where in the call graph profile each function stands. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/gprof.h"
#include "report/text.h"

enum { COLUMNS = 3, FIRST_NAME = 7 };

static const struct gprof_listing *sorted_listing; /* qsort has no argument for it */

static int alphabetical(const void *left, const void *right) {
  uint32_t a_index = *(const uint32_t *)left, b_index = *(const uint32_t *)right;
  const struct graph_node *a = &sorted_listing->graph->nodes[a_index];
  const struct graph_node *b = &sorted_listing->graph->nodes[b_index];
  int order = strcmp(a->linkage, b->linkage);
  if (order) return order;
  return a->address < b->address ? -1 : a->address > b->address;
}

/* Names of files come out of the executable, and may hold anything. */
static void print_file(const char *file, FILE *out) {
  fputs(" (", out);
  text_name(out, file, 0);
  fputc(')', out);
}

/* How many columns it takes. */
static size_t print_name(const struct gprof_listing *listing, uint32_t node, FILE *out) {
  const struct graph_node *shown = &listing->graph->nodes[node];
  char *text = NULL;
  size_t bytes;
  FILE *name = open_memstream(&text, &bytes);
  if (!name) memory_exhausted();
  if (shown->name)
    gprof_print_name(listing, node, name);
  else
    fprintf(name, "<cycle %u>", shown->cycle);
  if (shown->name && shown->local && shown->file && !listing->lines)
    print_file(gprof_file(listing, shown->file), name);
  fclose(name);
  fputs(text, out);
  free(text);
  return bytes;
}

/* The number ends before the column's names begin; where what is left of it is too long, a space
 * behind that. */
static size_t print_item(const struct gprof_listing *listing, uint32_t node, size_t used,
                         size_t start, FILE *out) {
  char number[16];
  size_t length =
      snprintf(number, sizeof number, listing->graph->nodes[node].listed ? "[%u]" : "(%u)",
               listing->number[node]);
  size_t from = start - 1 > length + used ? start - 1 - length : used + (used > 0);
  fprintf(out, "%*s%s ", (int)(from - used), "", number);
  return from + length + 1 + print_name(listing, node, out);
}

/* As a phone book: down the first column, then the next. */
static void print_columns(const struct gprof_listing *listing, const uint32_t *nodes, size_t count,
                          FILE *out) {
  size_t rows = (count + COLUMNS - 1) / COLUMNS;
  size_t width = (listing->width ? listing->width - 1 : 0) / COLUMNS + 2;
  for (size_t row = 0; row < rows; row++) {
    size_t used = 0, start = FIRST_NAME;
    for (size_t at = row; at < count; at += rows, start += width)
      used = print_item(listing, nodes[at], used, start, out);
    fputc('\n', out);
  }
}

void gprof_print_index(const struct gprof_listing *listing, FILE *out) {
  const struct call_graph *graph = listing->graph;
  uint32_t *order = memory_zeroed(graph->node_count, sizeof *order);
  size_t count = 0;
  for (size_t i = 0; i < graph->function_count; i++)
    if ((listing->unused && !graph->nodes[i].piece) || graph->nodes[i].calls ||
        graph->nodes[i].self > 0)
      order[count++] = i;
  sorted_listing = listing;
  if (count) qsort(order, count, sizeof *order, alphabetical);
  for (size_t i = graph->function_count; i < graph->node_count; i++)
    order[count++] = i;
  fputs("Index by function name\n\n", out);
  print_columns(listing, order, count, out);
  free(order);
}
