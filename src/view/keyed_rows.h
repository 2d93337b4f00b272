/* Rows by a number that they are sorted by: which of them a page has, without sorting all. */
#ifndef ASCRIBE_VIEW_KEYED_ROWS_H
#define ASCRIBE_VIEW_KEYED_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyed_row {
  double key; /* smallest first, then by row */
  uint32_t row;
};

/* The key of a value; NaN, which is not known, comes last. */
double keyed_row_key(double value, bool up);

/* Bring the rows from place `from` to `to` (not included) to where they would be if all were
 * sorted, in their order. */
void keyed_rows_select(struct keyed_row *rows, size_t count, size_t from, size_t to);

#endif
