#include "view/keyed_rows.h"

#include <math.h>
#include <stdlib.h>

double keyed_row_key(double value, bool up) {
  return isnan(value) ? INFINITY : up ? value : -value;
}

static int order(const void *x, const void *y) {
  const struct keyed_row *a = x, *b = y;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->row > b->row) - (a->row < b->row);
}

static bool before(struct keyed_row a, struct keyed_row b) {
  return a.key != b.key ? a.key < b.key : a.row < b.row;
}

/* The last place of the lower part. */
static size_t part(struct keyed_row *rows, size_t low, size_t high) {
  struct keyed_row pivot = rows[low + (high - low - 1) / 2];
  size_t i = low, k = high - 1;
  for (;; i++, k--) {
    while (before(rows[i], pivot))
      i++;
    while (before(pivot, rows[k]))
      k--;
    if (i >= k) return k;
    struct keyed_row kept = rows[i];
    rows[i] = rows[k];
    rows[k] = kept;
  }
}

/* Quicksort that leaves out what lies wholly outside of `from` to `to`. */
static void gather(struct keyed_row *rows, size_t count, size_t from, size_t to) {
  size_t low = 0, high = count;
  while (high - low > 1 && (low < from || high > to)) {
    size_t middle = part(rows, low, high) + 1; /* rows[low..middle) <= pivot <= the others */
    if (from >= middle)
      low = middle;
    else if (to <= middle)
      high = middle;
    else {
      gather(rows + low, middle - low, from > low ? from - low : 0, middle - low);
      gather(rows + middle, high - middle, 0, to < high ? to - middle : high - middle);
      return;
    }
  }
}

void keyed_rows_select(struct keyed_row *rows, size_t count, size_t from, size_t to) {
  gather(rows, count, from, to);
  if (to > from) qsort(rows + from, to - from, sizeof *rows, order);
}
