#include "attribution/counts/region_lines.h"

#include <stdlib.h>

bool region_lines_apply(const struct profile *profile) {
  for (size_t i = 0; i < profile->expression_count; i++)
    if (profile->expressions[i].kind == EXPRESSION_GAP ||
        profile->expressions[i].kind == EXPRESSION_SKIPPED)
      return true;
  return false;
}

/* Each region before those that lie in it, equal ones side by side. */
static int compare_regions(const void *left, const void *right) {
  const struct profile_expression *a = *(const struct profile_expression *const *)left,
                                  *b = *(const struct profile_expression *const *)right;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  if (a->end_line != b->end_line) return a->end_line > b->end_line ? -1 : 1;
  if (a->end_column != b->end_column) return a->end_column > b->end_column ? -1 : 1;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  return 0;
}

/* The lines behind the first one begin in the region. */
static void paint_inside(struct line_counts *inside, const struct profile_expression *region,
                         uint64_t times) {
  bool skipped = region->kind == EXPRESSION_SKIPPED;
  /* Skipped text begins with its line: nothing of that is before it. */
  uint32_t last = region->end_line > region->line ? region->end_line : region->line;
  if (last > inside->count) last = inside->count;
  for (uint32_t line = region->line + !skipped; line <= last; line++)
    inside->lines[line - 1] = (struct line_count){!skipped, skipped ? 0 : times};
}

void region_lines_paint(const struct profile_expression **ranges, size_t count,
                        struct line_counts *counts) {
  struct line_counts inside = {.lines = memory_zeroed(counts->count, sizeof *inside.lines),
                               .count = counts->count};
  if (count) qsort(ranges, count, sizeof *ranges, compare_regions);
  for (size_t i = 0, next; i < count; i = next) {
    const struct profile_expression *region = ranges[i];
    uint64_t times = 0;
    for (next = i; next < count && compare_regions(&ranges[i], &ranges[next]) == 0; next++)
      times += ranges[next]->count;
    if (!region->line || region->line > counts->count) continue;
    paint_inside(&inside, region, times);
    struct line_count *begins = &counts->lines[region->line - 1];
    if (region->kind == EXPRESSION_CODE && (!begins->known || begins->count < times))
      *begins = (struct line_count){true, times};
  }
  for (uint32_t i = 0; i < counts->count; i++) {
    struct line_count *line = &counts->lines[i];
    line->known |= inside.lines[i].known;
    if (inside.lines[i].count > line->count) line->count = inside.lines[i].count;
  }
  free(inside.lines);
}
