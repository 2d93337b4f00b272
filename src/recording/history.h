/* Rules A1 to A5: the history after a call.
 *
 * A history is a sequence of entries (function id << 1 | mark), outermost first; it stands for
 * the context { s[i-1] [s[i]] s[i+1] : s[i] is marked }.
 * Source: Spivey, "Fast, accurate call graph profiling", "Data structures for fast profiling".
 *
 * Sampled stacks are kept whole instead, as far as there is room (below).
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

static inline bool history_has(const uint32_t *history, uint32_t length, uint32_t function) {
  for (uint32_t i = 0; i < length; i++)
    if (history_function(history[i]) == function) return true;
  return false;
}

/* Rules A3 to A5, applied in place to a sequence of calls that they were not applied to yet.
 * Returns the new length. */
static inline uint32_t history_settle(uint32_t *history, uint32_t length) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < length; i++) {
    uint32_t entry = history[i];
    bool again = history_marked(entry) &&
                 history_has(history + i + 1, length - i - 1, history_function(entry));
    if (again) entry = history_entry(history_function(entry), false); /* A3 */
    if (history_marked(entry))
      history[n++] = entry;
    else
      n = history_append_unmarked(history, n, entry);
  }
  return n;
}

/* ---- sampled stacks ----
 *
 * A stack is whole: all entries are marked, and a call that has not returned twice stands twice.
 * Only what repeats is shortened: of a cycle of calls that stands three times or more in
 * succession, two remain. A stack that recurs and is still too long, or one too many, loses entries
 * by the rules above. It has unmarked entries then: frames may be missing behind the first one of
 * each run. */
#define STACK_ENTRIES_MOST 512u
#define STACK_CYCLE_MOST 64u

static inline bool stack_is_whole(const uint32_t *history, uint32_t length) {
  for (uint32_t i = 0; i < length; i++)
    if (!history_marked(history[i])) return false;
  return true;
}

/* Whether the stack after a call is to be kept whole. `recurs`: it has an entry more than once, or
 * has lost some. `room`: it may. Nothing is lost where nothing recurs. */
static inline bool stack_stays_whole(const uint32_t *from, uint32_t length, bool recurs,
                                     bool room) {
  return !recurs || (room && length < STACK_ENTRIES_MOST && stack_is_whole(from, length));
}

/* Whether frames may be missing between the entry before this one and it. */
static inline bool history_has_hole(const uint32_t *history, uint32_t at) {
  return at > 0 && !history_marked(history[at - 1]) && (at == 1 || history_marked(history[at - 2]));
}

static inline bool stack_ends_with_cycles(const uint32_t *history, uint32_t length,
                                          uint32_t entries) {
  if (length < 3 * entries) return false;
  for (uint32_t i = length - 2 * entries; i < length; i++)
    if (history[i] != history[i - entries]) return false;
  return true;
}

/* The stack after a call, to be kept whole or not. `to` has room for length + 1 entries and does
 * not overlap `from`. Returns its length. */
static inline uint32_t stack_step(const uint32_t *from, uint32_t length, uint32_t call, bool whole,
                                  uint32_t *to) {
  for (uint32_t i = 0; i < length; i++)
    to[i] = from[i];
  to[length++] = history_entry(call, true);
  if (!whole) return history_settle(to, length);
  for (uint32_t entries = 1; entries <= STACK_CYCLE_MOST; entries++)
    if (stack_ends_with_cycles(to, length, entries)) return length - entries;
  return length;
}

#endif
