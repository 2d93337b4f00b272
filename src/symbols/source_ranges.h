/* Which source the flows of a function execute, as far as that was counted: what its code came
 * from, ranges of source, lines. Trusts nothing in the descriptions. */
#ifndef ASCRIBE_SYMBOLS_SOURCE_RANGES_H
#define ASCRIBE_SYMBOLS_SOURCE_RANGES_H

#include "symbols/counted_code.h"
#include "unwind/byte_cursor.h"

/* A function that was inlined, or a macro that was expanded. */
struct counted_origin {
  uint32_t kind;             /* enum origin_kind */
  uint32_t parent;           /* what it stands in: 0, the function itself, or number of another */
  uint32_t name, file, line; /* of the definition */
  uint32_t call_file, call_line, call_column;
};

/* A range of source, which was executed as often as its flows together. */
struct counted_range {
  uint32_t kind; /* enum range_kind */
  uint32_t origin;
  uint32_t file, line, column, end_line, end_column; /* the end: 0, not known */
  uint32_t flow_count;
  /* For a RANGE_CASE: the switch, counted from 0, where several have the range; its text; the line
   * of its label (0: unknown). */
  uint32_t which, label, label_line;
};

/* From one place of a line to another, by their indices. */
struct counted_step {
  uint32_t from, to, flow;
};

/* A line, executed whenever control comes to one of its places but by a step, or around a circle of
 * steps. */
struct counted_line {
  uint32_t file, line;
  uint32_t place_count, step_count;
  const uint32_t *places; /* flows */
  const struct counted_step *steps;
};

/* Reads the ranges of a function, one after the other, then its lines. */
struct source_ranges {
  const struct counted_code *code;
  struct counted_origin *origins; /* [0] is that of number 1 */
  uint32_t origin_count;
  uint32_t flows_left; /* of the last range */
  /* For the reader alone. */
  struct byte_cursor cursor;
  uint32_t ranges_left, lines_left;
  bool in_lines;
  struct {
    uint32_t file, origin, line, flow;
  } before;
  uint32_t *places;
  struct counted_step *steps;
};

/* Close it whatever the result. Returns -1 if it makes no sense. */
int source_ranges_open(const struct counted_code *code, struct source_ranges *source);
/* Returns 1, or 0: there are no more, or -1. */
int source_ranges_next(struct source_ranges *source, struct counted_range *range);
/* The next flow of the last range, as index in code->flows. False: it has no more, or, with
 * flows_left, they make no sense. */
bool source_ranges_flow(struct source_ranges *source, uint32_t *flow);
/* The next line, which is valid until the one after it; ranges that were not read are skipped.
 * Returns 1, or 0: there are no more, or -1. */
int source_ranges_line(struct source_ranges *source, struct counted_line *line);
void source_ranges_close(struct source_ranges *source);

#endif
