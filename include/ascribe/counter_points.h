/* What the compiler says of the counters in an object: the layout of the section `.debug_ascribe`,
 * which the GCC plugin writes.  docs/FORMATS.md describes it for readers; this header is its
 * source. Little-endian; the section is the units' parts one after the other, each at a multiple
 * of 8. */
#ifndef ASCRIBE_COUNTER_POINTS_H
#define ASCRIBE_COUNTER_POINTS_H

#include <assert.h>
#include <stdint.h>

#define COUNTER_POINTS_SECTION ".debug_ascribe"
#define COUNTER_POINTS_MAGIC 0x31435341u /* "ASC1" */
/* As counter of an entry: the function was entered as often as the points of the unit say that call
 * it.  Of a call: made as often as the function was entered. Points may share a counter. */
#define NO_COUNTER UINT32_MAX

/* What is counted at a point of a function. */
enum point_kind {
  POINT_ENTRY = 1,
  POINT_CALL = 2,    /* a call of a function that is named */
  POINT_INDIRECT = 3 /* a call through a pointer: `counter` holds the address of the callee that was
                        called first, the next one counts its calls; others are in the table */
};

/* A unit: this header, its functions, each with its points, then its strings. */
struct counter_unit {
  uint32_t magic;
  uint32_t bytes;    /* of the unit, multiple of 8 */
  uint64_t counters; /* link-time address of its first counter */
  uint32_t counter_count;
  uint32_t function_count;
  uint32_t strings;   /* offset in the unit of its strings; names are offsets in these */
  uint32_t directory; /* name: where relative paths begin */
};
static_assert(sizeof(struct counter_unit) == 32, "layout of a unit");

enum counted_function_flag { COUNTED_PUBLIC = 1 /* other objects may call it by its name */ };

struct unit_function {
  uint64_t address; /* link-time; 0: the linker left it out */
  uint32_t name;    /* linkage name */
  uint32_t flags;   /* enum counted_function_flag */
  uint32_t point_count;
  uint32_t reserved;
};
static_assert(sizeof(struct unit_function) == 24, "layout of a function");

struct unit_point {
  uint64_t callee;  /* link-time address of a function of this unit, or 0 */
  uint32_t kind;    /* enum point_kind */
  uint32_t counter; /* index in the unit's */
  uint32_t name;    /* linkage name of the callee; 0: none */
  uint32_t file;    /* name; 0: not known */
  uint32_t line, column;
};
static_assert(sizeof(struct unit_point) == 32, "layout of a point");

#endif
