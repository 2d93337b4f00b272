#include "attribution/equations/place_counts.h"

#include <stdlib.h>

#include "attribution/equations/code_names.h"

void place_counts_open(struct place_counts *counts, const struct profile *profile,
                       const struct profile_expression *uses, size_t use_count) {
  *counts = (struct place_counts){.profile = profile, .uses = uses, .use_count = use_count};
  counts->first = memory_zeroed(profile->function_count + 2, sizeof *counts->first);
  counts->by_function = memory_zeroed(profile->expression_count, sizeof *counts->by_function);
  uint32_t *next = counts->first + 1; /* where each function's begin, one too late until filled */
  for (size_t i = 0; i < profile->expression_count; i++) {
    next[profile->expressions[i].function + 1]++;
    counts->has_columns |= profile->expressions[i].column != 0;
  }
  for (size_t i = 0; i < profile->function_count; i++)
    next[i + 1] += next[i];
  for (uint32_t i = 0; i < profile->expression_count; i++)
    counts->by_function[next[profile->expressions[i].function]++] = i;
}

void place_counts_close(struct place_counts *counts) {
  free(counts->first);
  free(counts->by_function);
}

/* ---- lines ---- */

static bool on_line(const struct profile_expression *expression,
                    const struct counted_place *place) {
  return expression->kind == EXPRESSION_CODE && expression->line == place->line &&
         same_file_name(expression->file, place->file);
}

static uint64_t most_of_line(const struct place_counts *counts, const struct counted_place *place) {
  const struct profile *profile = counts->profile;
  uint64_t most = 0;
  bool found = false;
  uint32_t begin = counts->first[place->function], end = counts->first[place->function + 1];
  if (place->inlined) begin = 0, end = (uint32_t)profile->expression_count;
  for (uint32_t i = begin; i < end; i++) {
    const struct profile_expression *at = &profile->expressions[counts->by_function[i]];
    if (!on_line(at, place)) continue;
    most += at->count;
    found = true;
  }
  return found ? most : UINT64_MAX;
}

/* ---- regions ---- */

/* Positions as one number. */
static uint64_t position(uint32_t line, uint32_t column) {
  return (uint64_t)line << 32 | column;
}

static bool holds(const struct profile_expression *range, const struct counted_place *place) {
  uint64_t at = position(place->line, place->column);
  return same_file_name(range->file, place->file) && position(range->line, range->column) <= at &&
         at < position(range->end_line, range->end_column);
}

static bool ends_at(const struct profile_expression *range, const struct counted_place *place) {
  return position(range->end_line, range->end_column) == position(place->line, place->column + 1);
}

static bool is_inside(const struct profile_expression *inner,
                      const struct profile_expression *outer) {
  return position(inner->line, inner->column) >= position(outer->line, outer->column) &&
         position(inner->end_line, inner->end_column) <=
             position(outer->end_line, outer->end_column);
}

static bool is_in_use(const struct place_counts *counts, const struct counted_place *place) {
  for (size_t i = 0; i < counts->use_count; i++)
    if (counts->uses[i].function == place->function && holds(&counts->uses[i], place)) return true;
  return false;
}

static uint64_t most_of_regions(const struct place_counts *counts,
                                const struct counted_place *place) {
  const struct profile_expression *innermost = NULL;
  uint64_t most = UINT64_MAX; /* of all the function's */
  bool ends = false;
  for (uint32_t i = counts->first[place->function]; i < counts->first[place->function + 1]; i++) {
    const struct profile_expression *at = &counts->profile->expressions[counts->by_function[i]];
    if (at->kind != EXPRESSION_CODE) continue;
    if (most == UINT64_MAX || at->count > most) most = at->count;
    if (!holds(at, place)) continue;
    ends |= ends_at(at, place);
    if (!innermost || is_inside(at, innermost)) innermost = at;
  }
  return innermost && !ends && place->column && !is_in_use(counts, place) ? innermost->count : most;
}

uint64_t place_counts_most(const struct place_counts *counts, const struct counted_place *place) {
  return counts->has_columns ? most_of_regions(counts, place) : most_of_line(counts, place);
}
