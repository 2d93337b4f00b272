/* The costs of a profile as the lines of a callgrind file have them. */
#ifndef ASCRIBE_EXCHANGE_CALLGRIND_ROWS_H
#define ASCRIBE_EXCHANGE_CALLGRIND_ROWS_H

#include "exchange/calling_lines.h"

struct callgrind_row {
  uint32_t function; /* that runs or calls; NOTHING: what starts threads */
  uint32_t callee;   /* NOTHING: the function's own cost */
  struct source_line place;
  uint64_t calls; /* of a callee */
  uint64_t ns, ticks;
};

/* By function, spontaneous calls last; of each function its own costs first.
 *
 * The cost of a call is the time of contexts in which it is the callee's most recent activation
 * (in_self + in_child of struct arc_cost).  Where time and counts of an arc cannot be told line by
 * line, it stands as a whole in no line.  Where calls are not known, `calls` is 1: the format has
 * no word for it.  Calls that were counted at their sites (counters) stand there whether they took
 * time or not; an arc that only stacks have then has 0 calls if its callee was counted, so that the
 * calls of a function are those that were counted. The array is the caller's. */
struct callgrind_row *callgrind_rows(const struct export_data *data, size_t *count);

#endif
