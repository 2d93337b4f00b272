#include "attribution/counts/range_sweep.h"

#include <stdlib.h>

#include "base/memory.h"

#define NONE SIZE_MAX

void range_sweep_open(struct range_sweep *sweep, const struct swept_range *ranges, size_t count,
                      uint64_t *budget) {
  *sweep = (struct range_sweep){.ranges = ranges, .count = count, .budget = budget};
}

void range_sweep_close(struct range_sweep *sweep) {
  free(sweep->open);
}

/* The last range of those that the line begins in, or NONE. */
static size_t innermost(struct range_sweep *sweep) {
  while (sweep->depth && sweep->ranges[sweep->open[sweep->depth - 1]].last < sweep->line)
    sweep->depth--;
  return sweep->depth ? sweep->open[sweep->depth - 1] : NONE;
}

/* To the next line in which a range begins, or that begins in one. */
static bool move_on(struct range_sweep *sweep) {
  bool more = sweep->next < sweep->count;
  sweep->line++;
  bool begins = more && sweep->ranges[sweep->next].line == sweep->line;
  if (!begins && *sweep->budget && innermost(sweep) != NONE) {
    --*sweep->budget;
    return true;
  }
  if (more) sweep->line = sweep->ranges[sweep->next].line;
  return more;
}

/* Take the ranges that begin in the line: the most executed, or NONE. */
static size_t take_those_that_begin(struct range_sweep *sweep, size_t *inside) {
  size_t most = NONE;
  while (sweep->next < sweep->count && sweep->ranges[sweep->next].line == sweep->line) {
    const struct swept_range *range = &sweep->ranges[sweep->next];
    if (range->skipped) *inside = NONE;
    if (range->tells && (most == NONE || sweep->ranges[most].count < range->count))
      most = sweep->next;
    ARRAY_GROW(sweep->open, sweep->depth);
    sweep->open[sweep->depth++] = sweep->next++;
  }
  return most;
}

bool range_sweep_next(struct range_sweep *sweep, uint32_t *line, size_t *range) {
  while (move_on(sweep)) {
    size_t inside = innermost(sweep);
    if (inside != NONE && sweep->ranges[inside].skipped) inside = NONE;
    size_t told = take_those_that_begin(sweep, &inside);
    if (inside != NONE && (told == NONE || sweep->ranges[told].count < sweep->ranges[inside].count))
      told = inside;
    if (told == NONE) continue;
    *line = sweep->line;
    *range = told;
    return true;
  }
  return false;
}
