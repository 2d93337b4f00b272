#include "exchange/gmon_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct list {
  struct gprof_line *lines;
  size_t count;
};

static void add(struct list *list, struct gprof_line line) {
  ARRAY_GROW(list->lines, list->count);
  list->lines[list->count++] = line;
}

static void add_functions(const struct gmon_lines *from, struct list *list) {
  for (size_t i = 0; i < from->places->count; i++) {
    const struct gmon_place *place = &from->places->list[i];
    const struct graph_node *node = &from->graph->nodes[i];
    if (!place->line || !place->entry || place->whole != i || !graph_chosen(from->chosen, i))
      continue;
    add(list, (struct gprof_line){.file = place->file,
                                  .line = place->line,
                                  .function = place->function,
                                  .address = place->address,
                                  .count = node->calls + node->recursive});
  }
}

static void add_blocks(const struct gmon_lines *from, struct list *list) {
  for (size_t i = 0; i < from->gmon->block_count; i++) {
    const struct gmon_block *block = &from->gmon->blocks[i];
    struct source_position position;
    size_t at = gmon_place_at(from->places, block->address);
    if (block->count < from->block_minimum || at == SIZE_MAX || !graph_chosen(from->chosen, at) ||
        symbol_file_line(from->file, block->address, &position) != 0 || !position.line)
      continue;
    add(list, (struct gprof_line){.file = position.file,
                                  .line = position.line,
                                  .function = from->places->list[at].function,
                                  .address = block->address,
                                  .count = block->count});
  }
}

static int by_address(const void *left, const void *right) {
  const struct gprof_line *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  return a->count < b->count ? -1 : a->count > b->count;
}

/* Code was executed as often as what was counted last before it, in the same function. */
static void add_repeated(const struct gmon_lines *from, struct list *list) {
  struct gmon_places pieces = {0};
  size_t counted = list->count, next = 0;
  const struct gprof_line *last = NULL;
  uint64_t start = 0; /* of the function */
  struct gprof_line *sorted = memory_zeroed(counted, sizeof *sorted);
  memcpy(sorted, list->lines, counted * sizeof *sorted);
  if (counted) qsort(sorted, counted, sizeof *sorted, by_address);
  gmon_places_of_lines(from->symbols, from->file, false, &pieces);
  for (size_t i = 0; i < pieces.count; i++) {
    const struct gmon_place *piece = &pieces.list[i];
    if (piece->entry) {
      start = piece->address;
      last = NULL;
    }
    for (; next < counted && sorted[next].address <= piece->address; next++)
      if (sorted[next].address >= start) last = &sorted[next];
    if (!last || !piece->line) continue;
    struct gprof_line line = {.file = piece->file,
                              .line = piece->line,
                              .function = last->function,
                              .address = piece->address,
                              .count = last->count,
                              .repeated = true};
    add(list, line);
  }
  gmon_places_free(&pieces);
  free(sorted);
}

static int by_place(const void *left, const void *right) {
  const struct gprof_line *a = left, *b = right;
  int order = strcmp(a->file, b->file);
  if (order) return order;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  return a->address < b->address ? -1 : a->address > b->address;
}

struct gprof_line *gmon_lines_make(const struct gmon_lines *from, size_t *count) {
  struct list list = {0};
  add_functions(from, &list);
  add_blocks(from, &list);
  if (from->repeated && list.count) add_repeated(from, &list);
  if (list.count) qsort(list.lines, list.count, sizeof *list.lines, by_place);
  *count = list.count;
  return list.lines;
}
