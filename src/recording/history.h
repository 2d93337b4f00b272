/* Rules A1 to A5: the history after a call.
 *
 * A history is a sequence of entries (function id << 1 | mark), outermost first; it stands for
 * the context { s[i-1] [s[i]] s[i+1] : s[i] is marked }.
 * Source: Spivey, "Fast, accurate call graph profiling", "Data structures for fast profiling".
 *
 * Freestanding: the runtime includes it, and so does attribution, for stacks stepped later.
 */
#ifndef ASCRIBE_RECORDING_HISTORY_H
#define ASCRIBE_RECORDING_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_MARK 1u

static inline uint32_t history_entry(uint32_t function, bool mark) {
  return function << 1 | (mark ? HISTORY_MARK : 0);
}
static inline uint32_t history_function(uint32_t entry) {
  return entry >> 1;
}
static inline bool history_marked(uint32_t entry) {
  return entry & HISTORY_MARK;
}

/* Rule A1: a direct recursion stays in its context. */
static inline bool history_is_running(const uint32_t *history, uint32_t length, uint32_t function) {
  return length && history_function(history[length - 1]) == function;
}

/* Append an unmarked entry.  Rules A4 and A5: of a run of unmarked entries only the first and the
 * last give arcs to marked ones, and one is enough where they are the same function. */
static inline uint32_t history_append_unmarked(uint32_t *to, uint32_t length, uint32_t entry) {
  bool after_unmarked = length && !history_marked(to[length - 1]);
  if (after_unmarked && length > 1 && !history_marked(to[length - 2])) length--;
  if (after_unmarked && to[length - 1] == entry) return length;
  to[length] = entry;
  return length + 1;
}

/* The history after `function` was called from `from`. `to` has room for length + 1 entries and
 * does not overlap `from`. Returns its length. The caller has dealt with rule A1. */
static inline uint32_t history_step(const uint32_t *from, uint32_t length, uint32_t function,
                                    uint32_t *to) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < length; i++) {
    uint32_t entry = from[i];
    if (history_function(entry) == function) entry = history_entry(function, false); /* A3 */
    if (history_marked(entry))
      to[n++] = entry;
    else
      n = history_append_unmarked(to, n, entry);
  }
  to[n++] = history_entry(function, true); /* A2 */
  return n;
}

#endif
