/* How often each point of an object's functions was passed: its counters, and what follows from
 * them (ascribe/counter_points.h).  Knuth; Ball and Larus: at each node of a function's flow graph
 * as much comes in as goes out, so a flow that is the only one without a counter there is known. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTER_VALUES_H
#define ASCRIBE_ATTRIBUTION_COUNTER_VALUES_H

#include "symbols/counted_code.h"

/* The counters of an object: `count` of them from link-time address `start` on; others are 0. */
struct counter_memory {
  uint64_t start;
  const uint64_t *counts;
  size_t count;
};

struct counter_flow {
  bool known;
  uint64_t times;
};

/* The checksum of the unit that counted where `unit` has its counters: unit->checksum if it is what
 * ran. */
uint64_t counter_checksum(const struct counted_unit *unit, const struct counter_memory *memory);

/* The flows of all functions of an object. */
struct counter_values {
  const struct counted_code *code;
  size_t *first; /* by function: its first flow in `flows` */
  struct counter_flow *flows;
  uint64_t increments; /* that the counters took, those of calls through pointers too */
};

/* `code` is as symbol_file_counted_code gives it, and lives as long. Where control was lost in the
 * middle of a piece (a thread that was killed, a signal handler that jumps away), what follows may
 * be one too many or too few; it is never below 0. */
void counter_values_make(const struct counted_code *code, size_t count,
                         const struct counter_memory *memory, struct counter_values *values);
void counter_values_free(struct counter_values *values);

/* How often a function was entered; 0 where that is not known. */
uint64_t counter_entries(const struct counter_values *values, const struct counted_code *code);

/* How often a point of a function was passed; not known: 0. */
uint64_t counter_passes(const struct counter_values *values, const struct counted_code *code,
                        const struct counted_point *point);

/* For a call through a pointer: the address of the callee that owns the site's cell, and its
 * calls. False: there were none. */
bool counter_callee(const struct counted_code *code, const struct counted_point *point,
                    const struct counter_memory *memory, uint64_t *address, uint64_t *calls);

#endif
