/* Columns of large tables as numbers in memory: a million rows are searched and sorted in
 * milliseconds there, and SQLite steps through them once only. */
#ifndef ASCRIBE_VIEW_STORED_COLUMNS_H
#define ASCRIBE_VIEW_STORED_COLUMNS_H

#include <stdint.h>

#include "compare/workspace.h"

/* Columns that were used last stay, up to that many and about so many bytes. */
enum { COLUMNS_MOST = 24, COLUMNS_BYTES = 48 << 20 };

struct stored_columns {
  struct column {
    size_t profile;
    const char *table; /* a literal */
    char name[32];
    double *values;
    size_t count;
    uint64_t used; /* when */
  } items[COLUMNS_MOST];
  size_t count;
  uint64_t uses;
};

/* COLUMNS_ASKED at most at once. */
enum { COLUMNS_ASKED = 8 };

/* The columns `names`, `asked` of them, of the rows of `sql`, a SELECT of the table `table` in
 * profile number `profile`; what is not known (NULL) is NaN. They stay until
 * columns_release, and are COLUMNS_MOST at most until then.
 * 0, or -1 with the reason. */
int columns_take(struct stored_columns *columns, struct workspace *workspace, size_t profile,
                 const char *table, const char *sql, const char *const *names, size_t asked,
                 const double **values, size_t *count, struct error *error);

/* Columns that were taken may be dropped for others from now on. */
void columns_release(struct stored_columns *columns);

void columns_free(struct stored_columns *columns);

#endif
