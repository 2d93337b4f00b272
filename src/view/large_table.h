/* Tables of a million rows: which of them a page has, found without the names and paths that they
 * show. */
#ifndef ASCRIBE_VIEW_LARGE_TABLE_H
#define ASCRIBE_VIEW_LARGE_TABLE_H

#include <stdbool.h>

#include "view/compared_number.h"
#include "view/naming.h"
#include "view/view.h"

/* As it is in the profile. */
struct large_table {
  const char *name;
  const char *sql; /* its `id` and other numbers; with the profile's number for each %1$d */
  struct large_text {
    const char *name;   /* of a column that is not in `sql` */
    const char *number; /* the column there that has ids instead */
    enum naming naming;
  } texts[3]; /* what filters look into */
};

struct large_question {
  struct view *view;
  size_t profile;
  const struct large_table *table;
  const struct parameters *parameters; /* filter, is.COLUMN */
  const char *sort;
  const struct compared *compared;     /* the rows are `a` of its pairs; or null */
  enum compared_number_of compared_by; /* what they are sorted by instead, or COMPARED_END */
  bool up;
  size_t limit, offset;
};

struct large_page {
  double *ids; /* in order; to be freed with free() */
  size_t count;
  size_t all; /* rows that pass the filter and all conditions */
};

/* Whether all that is asked can be told from numbers. */
bool large_table_can(const struct large_question *question);

/* 0, or -1 with the reason. */
int large_table_find(const struct large_question *question, struct large_page *page,
                     struct error *error);

#endif
