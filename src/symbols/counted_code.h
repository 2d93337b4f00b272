/* What the counters in an object count: the compiler's descriptions, in the object or in its
 * separate debug file (ascribe/counter_points.h). Trusts nothing in them. */
#ifndef ASCRIBE_SYMBOLS_COUNTED_CODE_H
#define ASCRIBE_SYMBOLS_COUNTED_CODE_H

#include "ascribe/counter_points.h"
#include "symbols/symbols.h"

/* Something that is executed, from one node of a function's flow graph to another. */
struct counted_flow {
  uint32_t from, to; /* below node_count */
  uint32_t counter;  /* of the unit, or NO_COUNTER, or COUNTED_AT_SITES */
};

/* A function with counters. The flows are the list's, everything else belongs to the symbol file.
 */
struct counted_code {
  uint64_t address;  /* link-time; 0 only with from_source */
  uint64_t counters; /* link-time address of counter 0 of its unit */
  uint64_t checksum; /* of its unit: where the unit ran, counter 0 holds it */
  const char *name;  /* linkage name */
  bool is_public;
  bool lacks_source;               /* COUNTED_WITHOUT_SOURCE */
  bool from_source;                /* COUNTED_SOURCE: the address may be 0 */
  uint32_t number;                 /* among its unit's functions, from 1 */
  const struct unit_point *points; /* their cells are of the unit, their flows are there */
  uint32_t point_count;
  const struct counted_flow *flows;
  uint32_t flow_count, node_count;
  const uint8_t *source, *source_end; /* what source_ranges_open reads */
  const char *directory;              /* where relative paths begin */
  const char *strings;
  uint32_t string_bytes;
};

struct counted_code_list {
  struct counted_code *code; /* sorted by address; several may have one, if the linker kept one of
                                several copies */
  size_t count;
  struct counted_flow *flows; /* of all */
};

/* All of an object. Returns 0, and the list is to be freed with counted_code_free; or -1: there are
 * none, or (*damaged) they make no sense. */
int symbol_file_counted_code(struct symbol_file *file, struct counted_code_list *list,
                             bool *damaged);

/* The same of such a section's bytes, aligned to 8, which must live as long as the list. -1: they
 * make no sense. */
int counted_code_read(const void *data, size_t bytes, struct counted_code_list *list);
void counted_code_free(struct counted_code_list *list);

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
  uint32_t file, line, column, end_line, end_column;
  uint32_t flow_count;
};

/* From one place of a line to another, by their indices. */
struct counted_step {
  uint32_t from, to, flow;
};

/* Reads the ranges of a function, one after the other. Trusts nothing in them. */
struct source_ranges {
  const struct counted_code *code;
  struct counted_origin *origins; /* [0] is that of number 1 */
  uint32_t origin_count;
  uint32_t ranges_left, flows_left; /* of the last range: those that were not taken */
  uint32_t lines_left;
  uint32_t *places; /* of the line at hand */
  struct counted_step *steps;
  size_t place_room, step_room;
  const uint8_t *at;
};

/* Close it whatever the result. Returns -1 if it makes no sense. */
int source_ranges_open(const struct counted_code *code, struct source_ranges *source);
/* Returns 1, or 0: there are no more, or -1. */
int source_ranges_next(struct source_ranges *source, struct counted_range *range);
/* The next flow of the last range, as index in code->flows. False: it has no more. */
bool source_ranges_flow(struct source_ranges *source, uint32_t *flow);

/* Behind the last range: where the function is defined. Returns 1, or 0: not known, or -1. */
int source_ranges_definition(struct source_ranges *source, uint32_t *file, uint32_t *line);

/* A line, executed whenever control comes to one of its places but by a step. */
struct counted_line {
  uint32_t file, line;
  uint32_t place_count, step_count;
  const uint32_t *places; /* flows */
  const struct counted_step *steps;
};

/* Behind that: the next line, which is valid until the one after it. Returns 1, or 0: there are no
 * more, or -1. */
int source_ranges_line(struct source_ranges *source, struct counted_line *line);
void source_ranges_close(struct source_ranges *source);

/* A name of a point: never null. */
const char *counted_code_text(const struct counted_code *code, uint32_t name);

#endif
