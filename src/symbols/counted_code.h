/* What the counters in an object count: the compiler's descriptions, in the object or in its
 * separate debug file (ascribe/counter_points.h). Trusts nothing in them. */
#ifndef ASCRIBE_SYMBOLS_COUNTED_CODE_H
#define ASCRIBE_SYMBOLS_COUNTED_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "ascribe/counter_points.h"

#define NO_CODE UINT32_MAX

/* A function that a unit calls by its name. */
struct counted_callee {
  uint32_t name;
  uint32_t code; /* the unit's own function, as index in the list, or NO_CODE */
};

/* Where an inlined function or a macro is defined. */
struct counted_definition {
  uint32_t kind; /* enum origin_kind */
  uint32_t name, file, line;
};

/* What the functions of a unit share. */
struct counted_unit {
  uint64_t counters; /* link-time address of its counter 0 */
  uint64_t checksum; /* where it ran, counter 0 holds it */
  uint32_t counter_count;
  uint32_t name_count, callee_count, definition_count;
  const char **names; /* 0: the empty one */
  struct counted_callee *callees;
  struct counted_definition *definitions;
  const char *directory; /* where relative paths begin */
};

/* Something that is executed, from one node of a function's flow graph to another. */
struct counted_flow {
  uint32_t from, to; /* below node_count */
  uint32_t counter;  /* of the unit, or NO_COUNTER, or COUNTED_AT_SITES */
};

struct counted_point {
  uint32_t kind;   /* enum point_kind */
  uint32_t flow;   /* of the function, or NO_FLOW */
  uint32_t callee; /* POINT_CALL: of the unit */
  uint32_t cell; /* POINT_INDIRECT: its first counter, of the unit's; there is another behind it */
  uint32_t file; /* name of the call's; 0: not known */
  uint32_t line, column;
  uint32_t origin; /* what the call stands in: 0, the function itself, or number of another */
};

/* A function with counters. Names are the unit's. */
struct counted_code {
  const struct counted_unit *unit;
  uint64_t address; /* link-time; 0 only with from_source */
  const char *name; /* linkage name */
  bool is_public;
  bool from_source;    /* COUNTED_SOURCE: the address may be 0 */
  uint32_t file, line; /* of its definition: a name; 0: not known */
  const struct counted_point *points;
  const struct counted_flow *flows;
  uint32_t point_count, flow_count, node_count;
  const uint8_t *source, *source_end; /* what source_ranges_open reads */
  uint32_t order;                     /* among the section's, for the reader alone */
};

struct counted_code_list {
  struct counted_code *code; /* sorted by address; several may have one, if the linker kept one of
                                several copies */
  size_t count;
  struct counted_flow *flows; /* of all */
  struct counted_point *points;
  struct counted_unit *units;
  size_t unit_count;
};

enum counted_code_error {
  COUNTED_CODE_NONE = -1,    /* there are no descriptions */
  COUNTED_CODE_DAMAGED = -2, /* they make no sense */
  COUNTED_CODE_VERSION = -3, /* they are another version's */
  COUNTED_CODE_PACKED = -4   /* they are compressed in a way that libelf does not read */
};

/* All of an object. Returns 0, and the list is to be freed with counted_code_free; or an error. */
struct symbol_file;
int symbol_file_counted_code(struct symbol_file *file, struct counted_code_list *list);

/* The same of such a section's bytes, which must live as long as the list. */
int counted_code_read(const void *data, size_t bytes, struct counted_code_list *list);
void counted_code_free(struct counted_code_list *list);

/* A name of a unit; "" if it has no such one. */
const char *counted_unit_text(const struct counted_unit *unit, uint32_t name);
const char *counted_code_text(const struct counted_code *code, uint32_t name);

/* The path of the source file that has this name of a unit, as people write it. False: there is no
 * such name. */
bool counted_unit_path(const struct counted_unit *unit, uint32_t name, char *path, size_t bytes);

#endif
