/* The growth of every entry of a kind over runs of several sizes. */
#ifndef ASCRIBE_COMPARE_GROWTH_TABLE_H
#define ASCRIBE_COMPARE_GROWTH_TABLE_H

#include <stdint.h>

#include "compare/entries.h"
#include "compare/growth.h"

enum growth_figure { GROWTH_CALLS, GROWTH_SELF, GROWTH_TOTAL, GROWTH_FIGURES };

/* One entry, as the run of the largest n has it. */
struct growth_row {
  int64_t id;                           /* in that run */
  char *name, *file;                    /* file may be null */
  double last[GROWTH_FIGURES];          /* in that run; NaN: not known */
  struct growth growth[GROWTH_FIGURES]; /* points 0: there are no two points */
  size_t zeros[GROWTH_FIGURES]; /* runs where the figure is known to be 0, or the entry is not */
  /* Its exponent is above that of the whole's by more than both uncertainties: calls against all
   * calls, executions against those of all lines or expressions, times against all time. */
  bool faster[GROWTH_FIGURES];
};

struct growth_table {
  size_t largest;          /* the profile of the largest n */
  struct growth_row *rows; /* what grows faster than the whole first, then by total, self, calls */
  size_t count;
  double last[GROWTH_FIGURES];         /* of the whole: calls or executions, time, time */
  struct growth whole[GROWTH_FIGURES]; /* the same */
};

/* Makes the table of one kind of entries. `n` is the size of each of the workspace's profiles,
 * `count` of them. To be freed with growth_table_free, also after a failure. */
int growth_table_make(struct workspace *workspace, enum compared_kind kind, const double *n,
                      size_t count, struct growth_table *table, struct error *error);
void growth_table_free(struct growth_table *table);

#endif
