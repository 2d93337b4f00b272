/* What the compiler says of the counters in an object: the section `.debug.ascribe`, which the GCC
 * plugin writes. docs/FORMATS.md has its layout; here is what its writer and its reader share.
 * Little-endian; the section is the units' parts one after the other, each at a multiple of 8. */
#ifndef ASCRIBE_COUNTER_POINTS_H
#define ASCRIBE_COUNTER_POINTS_H

#include <assert.h>
#include <stdint.h>

/* Tools take what begins with ".debug" for debug information; dwz refuses objects with sections
 * that it does not know and that begin with ".debug_". */
#define COUNTER_POINTS_SECTION ".debug.ascribe"
#define COUNTER_POINTS_MAGIC 0x39435341u /* "ASC9"; other versions end with another digit */

/* A unit: this header, then numbers of variable length (LEB128), names and addresses. */
struct counter_unit {
  uint32_t magic;
  uint32_t bytes;    /* of the unit, multiple of 8 */
  uint64_t counters; /* link-time address of its first counter */
  uint64_t checksum; /* of the unit as it was compiled: where it ran, its first counter holds it */
};
static_assert(sizeof(struct counter_unit) == 24, "layout of a unit");

/* As counter of a flow: it follows from the others, as at each node as much comes in as goes out.
 * As counter of an entry: its unit's calls say how often the function was entered. */
#define NO_COUNTER UINT32_MAX
#define COUNTED_AT_SITES (UINT32_MAX - 1)
#define NO_FLOW UINT32_MAX /* of a point: how often it was passed is not known */

/* How counters are written: one that is not the next is itself plus WRITTEN_COUNTER. */
enum written_counter {
  WRITTEN_AT_SITES,
  WRITTEN_NONE,
  WRITTEN_NEXT, /* the one behind the last that was named in the function; at first 0 */
  WRITTEN_COUNTER
};

/* What is counted at a point of a function. */
enum point_kind {
  POINT_ENTRY = 1,
  POINT_CALL = 2,    /* a call of a function that is named */
  POINT_INDIRECT = 3 /* a call through a pointer: its first counter holds the address of the callee
                        that was called first, the next one counts its calls; others are in the
                        table */
};
/* Added to the kind of a point where this follows; else it is as in the point before. */
enum { POINT_KINDS = 3, POINT_HAS_FILE = 4, POINT_HAS_ORIGIN = 8, POINT_BITS = 15 };

enum counted_function_flag {
  COUNTED_PUBLIC = 1, /* other objects may call it by its name */
  COUNTED_SOURCE = 2  /* counted before optimization: what the source executes. The function
                         may have no address. */
};

/* Mixes a unit's checksum: begin with COUNTER_CHECKSUM_START, and mark the result. The same stands
 * in the unit's entry of the running object (ascribe/hook.h). No address and no number of calls has
 * the mark. */
#define COUNTER_CHECKSUM_START 0xcbf29ce484222325u
#define COUNTER_CHECKSUM_MARK (1ull << 63)
static inline uint64_t counter_checksum_add(uint64_t checksum, uint64_t number) {
  checksum = (checksum ^ number) * 0x9e3779b97f4a7c15u;
  return checksum ^ checksum >> 32;
}

/* What code may come from. */
enum origin_kind {
  ORIGIN_INLINED = 0, /* a function that was inlined */
  ORIGIN_MACRO = 1    /* a macro that was expanded */
};

/* A range of source. */
enum range_kind {
  RANGE_CODE = 0,
  RANGE_BRANCH = 1, /* the way out of a condition if it holds; + 1: the other */
  RANGE_LOOP = 3,   /* how often a loop was entered; + 1: its trips. The range is its condition */
  RANGE_MACRO = 5,  /* text of a macro or of its arguments; the expansion has a RANGE_CODE */
  RANGE_CASE = 6    /* a way out of a `switch`, which the range is; with a label */
};
/* Added to the kind of a range where this follows; else file and origin are as in the range before,
 * it ends on its first line, and has one flow. */
enum {
  RANGE_KINDS = 7,
  RANGE_HAS_FILE = 8,
  RANGE_HAS_ORIGIN = 16,
  RANGE_HAS_LINES = 32,
  RANGE_HAS_FLOWS = 64,
  RANGE_BITS = 127
};

#endif
