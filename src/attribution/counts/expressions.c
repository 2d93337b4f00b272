#include "attribution/counts/expressions.h"

#include <stdlib.h>
#include <string.h>

#include "base/count_before.h"

bool expression_is_branch(const struct profile_expression *expression) {
  return expression->kind == EXPRESSION_BRANCH ||
         (expression->kind == EXPRESSION_CASE && expression->label);
}

static uint32_t condition_of(const struct profile_expression *way) {
  if (way->kind == EXPRESSION_CASE) return way->way;
  return way->column ? way->way / 2 : 0;
}

/* By kind, place and condition. */
static int compare_conditions(const struct profile_expression *a,
                              const struct profile_expression *b) {
  const uint32_t pairs[][2] = {{a->line, b->line},
                               {a->kind, b->kind},
                               {a->column, b->column},
                               {a->end_line, b->end_line},
                               {a->end_column, b->end_column},
                               {a->function, b->function},
                               {condition_of(a), condition_of(b)}};
  if (a->file != b->file) return a->file < b->file ? -1 : 1;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] != pairs[i][1]) return pairs[i][0] < pairs[i][1] ? -1 : 1;
  return 0;
}

bool expressions_are_one_condition(const struct profile_expression *a,
                                   const struct profile_expression *b) {
  return compare_conditions(a, b) == 0;
}

static int compare_ways(const void *left, const void *right) {
  const struct profile_expression *a = *(const struct profile_expression *const *)left,
                                  *b = *(const struct profile_expression *const *)right;
  int order = compare_conditions(a, b);
  if (!order && a->kind != EXPRESSION_CASE && a->way != b->way) order = a->way < b->way ? -1 : 1;
  return order ? order : (a > b) - (a < b);
}

void expressions_sort_ways(const struct profile_expression **ways, size_t count) {
  if (count) qsort(ways, count, sizeof *ways, compare_ways);
}

/* ---- in the order of the text ---- */

/* File by file, function by function, each range before those that lie in it. */
struct sorted_ranges {
  const struct profile_expression **ranges;
  size_t count;
};

static int compare_places(const struct profile_expression *a, const struct profile_expression *b) {
  if (a->file != b->file) return a->file < b->file ? -1 : 1;
  if (a->function != b->function) return a->function < b->function ? -1 : 1;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  return 0;
}

static int compare_ranges(const void *left, const void *right) {
  const struct profile_expression *a = *(const struct profile_expression *const *)left,
                                  *b = *(const struct profile_expression *const *)right;
  int places = compare_places(a, b);
  if (places) return places;
  if (a->end_line != b->end_line) return a->end_line > b->end_line ? -1 : 1;
  if (a->end_column != b->end_column) return a->end_column > b->end_column ? -1 : 1;
  return a < b ? -1 : a > b;
}

static struct sorted_ranges sort_ranges(const struct profile *profile) {
  struct sorted_ranges sorted = {
      .ranges = memory_zeroed(profile->expression_count, sizeof *sorted.ranges)};
  for (size_t i = 0; i < profile->expression_count; i++)
    if (profile->expressions[i].kind == EXPRESSION_CODE)
      sorted.ranges[sorted.count++] = &profile->expressions[i];
  if (sorted.count) qsort(sorted.ranges, sorted.count, sizeof *sorted.ranges, compare_ranges);
  return sorted;
}

/* ---- cost ---- */

/* How many ranges do not begin behind the place. */
static size_t count_up_to(const struct sorted_ranges *sorted,
                          const struct profile_expression *place) {
  return COUNT_BEFORE(sorted->count, i, compare_places(sorted->ranges[i], place) <= 0);
}

static bool holds(const struct profile_expression *range, const struct profile_expression *place) {
  if (!range->end_line) return range->line == place->line;
  if (place->line != range->end_line) return place->line < range->end_line;
  return place->column == UINT32_MAX || !range->end_column || place->column < range->end_column;
}

static const struct profile_expression *innermost(const struct sorted_ranges *sorted,
                                                  const struct profile_expression *place) {
  for (size_t i = count_up_to(sorted, place); i-- > 0;) {
    const struct profile_expression *range = sorted->ranges[i];
    if (range->function != place->function || range->file != place->file) break;
    if (holds(range, place)) return range;
  }
  return NULL;
}

uint32_t *expressions_of_instructions(const struct profile *profile) {
  const struct profile_metric *metric = profile_metric(profile);
  uint32_t *found = memory_zeroed(metric->instruction_count, sizeof *found);
  struct sorted_ranges sorted = sort_ranges(profile);
  for (size_t i = 0; i < metric->instruction_count; i++) {
    const struct profile_instruction *instruction = &metric->instructions[i];
    const struct profile_line *line = &profile->lines[instruction->line];
    struct profile_expression place = {.function = line->function,
                                       .file = line->file,
                                       .line = line->line,
                                       .column =
                                           instruction->column ? instruction->column : UINT32_MAX};
    const struct profile_expression *range = line->file ? innermost(&sorted, &place) : NULL;
    found[i] = range ? (uint32_t)(range - profile->expressions) : NOTHING;
  }
  free(sorted.ranges);
  return found;
}

struct amount *expressions_self(const struct profile *profile) {
  const struct profile_metric *metric = profile_metric(profile);
  struct amount *self = memory_zeroed(profile->expression_count, sizeof *self);
  uint32_t *expressions = profile->expression_count ? expressions_of_instructions(profile) : NULL;
  for (size_t i = 0; expressions && i < metric->instruction_count; i++) {
    struct amount *of = expressions[i] == NOTHING ? NULL : &self[expressions[i]];
    if (of) *of = amount_sum(*of, metric->instructions[i].self);
  }
  free(expressions);
  return self;
}

/* ---- all files ---- */

static int compare_texts(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char **expressions_files(const struct profile *profile, size_t *count) {
  const char **files = memory_zeroed(profile->expression_count, sizeof *files);
  size_t found = 0, kept = 0;
  for (size_t i = 0; i < profile->expression_count; i++)
    if (profile->expressions[i].kind <= EXPRESSION_GAP ||
        profile->expressions[i].kind == EXPRESSION_LINE)
      files[found++] = profile->expressions[i].file;
  if (found) qsort(files, found, sizeof *files, compare_texts);
  for (size_t i = 0; i < found; i++)
    if (!kept || strcmp(files[kept - 1], files[i]) != 0) files[kept++] = files[i];
  *count = kept;
  return files;
}
