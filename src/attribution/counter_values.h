/* How often each point of an object's functions was passed: its counters, and what follows from
 * them (ascribe/counter_points.h, NO_COUNTER). */
#ifndef ASCRIBE_ATTRIBUTION_COUNTER_VALUES_H
#define ASCRIBE_ATTRIBUTION_COUNTER_VALUES_H

#include "symbols/counted_code.h"

/* The counters of an object: `count` of them from link-time address `start` on; others are 0. */
struct counter_memory {
  uint64_t start;
  const uint64_t *counts;
  size_t count;
};

/* By function: how often it was entered. `code` is as symbol_file_counted_code gives it. Functions
 * that call each other without end, and tell so of each other only, are 0. The array is the
 * caller's. */
uint64_t *counter_entries(const struct counted_code *code, size_t count,
                          const struct counter_memory *memory);

/* How often a point of a function that was entered `entries` times was passed. */
uint64_t counter_passes(const struct counted_code *code, const struct unit_point *point,
                        uint64_t entries, const struct counter_memory *memory);

/* Of a call through a pointer: the address of the callee that has the site's cell, and its calls.
 * False: there were none. */
bool counter_callee(const struct counted_code *code, const struct unit_point *point,
                    const struct counter_memory *memory, uint64_t *address, uint64_t *calls);

#endif
