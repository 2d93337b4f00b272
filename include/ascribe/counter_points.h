/* What the compiler says of the counters in an object: the layout of the section `.debug_ascribe`,
 * which the GCC plugin writes.  docs/FORMATS.md describes it for readers; this header is its
 * source. Little-endian; the section is the units' parts one after the other, each at a multiple
 * of 8. */
#ifndef ASCRIBE_COUNTER_POINTS_H
#define ASCRIBE_COUNTER_POINTS_H

#include <assert.h>
#include <stdint.h>

#define COUNTER_POINTS_SECTION ".debug_ascribe"
#define COUNTER_POINTS_MAGIC 0x35435341u /* "ASC5" */
/* As counter of a flow: it follows from the others, as at each node as much comes in as goes out.
 * Of an entry: the function was entered as often as the calls of the unit's functions say. */
#define NO_COUNTER UINT32_MAX
#define COUNTED_AT_SITES (UINT32_MAX - 1)
#define NO_FLOW UINT32_MAX /* of a point: how often it was passed is not known */

/* What is counted at a point of a function. */
enum point_kind {
  POINT_ENTRY = 1,
  POINT_CALL = 2,    /* a call of a function that is named */
  POINT_INDIRECT = 3 /* a call through a pointer: counter `cell` holds the address of the callee
                        that was called first, the next one counts its calls; others are in the
                        table */
};

/* A unit: this header, its functions, each with its points and flows, then its strings. */
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

enum counted_function_flag {
  COUNTED_PUBLIC = 1,         /* other objects may call it by its name */
  COUNTED_WITHOUT_SOURCE = 2, /* all its code was counted, but compiled without -g */
  COUNTED_SOURCE = 4          /* counted before optimization: what the source executes. The function
                                 may have no address. */
};

struct unit_function {
  uint64_t address; /* link-time; 0: the linker left it out */
  uint32_t name;    /* linkage name */
  uint32_t flags;   /* enum counted_function_flag */
  uint32_t point_count;
  uint32_t flow_count, node_count;
  uint32_t flow_bytes; /* multiple of 8 */
  uint64_t checksum;   /* of the function as it was compiled: its flow graph and what is counted */
};
static_assert(sizeof(struct unit_function) == 40, "layout of a function");

/* The checksum of a unit, which follows from those of its functions, in order: begin with
 * COUNTER_CHECKSUM_START, add each, and mark the result.  The same stands in the unit's entry of
 * the running object (ascribe/hook.h).  No address and no number of calls has the mark. */
#define COUNTER_CHECKSUM_START 0xcbf29ce484222325u
#define COUNTER_CHECKSUM_MARK (1ull << 63)
static inline uint64_t counter_checksum_add(uint64_t checksum, uint64_t number) {
  checksum = (checksum ^ number) * 0x9e3779b97f4a7c15u;
  return checksum ^ checksum >> 32;
}

struct unit_point {
  uint64_t callee; /* link-time address of a function of this unit, or 0 */
  uint32_t kind;   /* enum point_kind */
  uint32_t flow;   /* index in the function's, or NO_FLOW */
  uint32_t cell;   /* POINT_INDIRECT: index in the unit's counters. POINT_CALL: number of the
                      callee among the unit's functions, from 1; 0: another unit's */
  uint32_t name;   /* linkage name of the callee; 0: none */
  uint32_t file;   /* name; 0: not known */
  uint32_t line, column;
  uint32_t origin; /* the function that the call stands in, see below */
};
static_assert(sizeof(struct unit_point) == 40, "layout of a point");

/* Behind the points, all numbers as ULEB128: the flows, three numbers each: the nodes that it goes
 * from and to, and its counter + 2 in 32 bits (so NO_COUNTER is 1, COUNTED_AT_SITES 0). Then how
 * many origins there are, and eight numbers for each: its kind, which one it stands in (0: the
 * function itself, n: the n-th of these), name, file (names) and line of the definition, file, line
 * and column of the call or the expansion. Then how many ranges of source, and for each: kind,
 * origin (as before), file, line, column, last line, column behind its last character (0: not
 * known), how many flows add up to its count, and these. Then file and line of the function's
 * definition, how many lines there are, and for each: file, line, how many places of it and steps
 * from one of these to another, then the flow of each place, then of each step the places (indices)
 * that it leads from and to, and its flow. A line was executed whenever control came to one of its
 * places but by such a step, or around a circle of them. */
enum origin_kind {
  ORIGIN_INLINED = 0, /* a function that was inlined */
  ORIGIN_MACRO = 1,   /* a macro that was expanded */
  ORIGIN_GONE = 2     /* a function without code of its own, of ranges that are gone */
};

enum range_kind {
  RANGE_CODE = 0,
  RANGE_BRANCH = 1, /* the way out of a condition to what comes first in the text; + 1: the other */
  RANGE_LOOP = 3,   /* how often a loop was entered; + 1: its trips. The range is its condition */
  RANGE_MACRO = 5,  /* text of a macro or of its arguments; the expansion has a RANGE_CODE */
  RANGE_GONE = 6    /* the source had code here, of which optimisation left nothing; no flows */
};

#endif
