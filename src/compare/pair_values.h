/* The value of an expression for a pair of entries, and how sure it is. */
#ifndef ASCRIBE_COMPARE_PAIR_VALUES_H
#define ASCRIBE_COMPARE_PAIR_VALUES_H

#include "compare/compared.h"
#include "compare/entries.h"
#include "compare/pair_statement.h"

struct pair_side {
  struct entry_figures figures;
  double whole, unseen;      /* NaN: not known */
  sqlite3_stmt *texts;       /* of an entry; null: not needed */
  bool counts, counts_calls; /* calls of functions; what `calls` are of these entries */
  bool present;
  double of[ENTRY_FIGURES]; /* of the pair's entry */
};

struct pair_values {
  struct workspace *workspace;
  struct error *error;
  sqlite3_stmt *statement;
  struct pair_used used;
  struct pair_side sides[2];
  /* What doubling everything did to values that are not 0, which tells nothing. */
  bool kept, changed;
};

/* Zero but for workspace and error. To be closed, also after a failure. 0, or -1 with the reason;
 * so below. */
int pair_values_prepare(struct pair_values *values, const char *expression, const char *condition);
/* Read the figures of both profiles' entries, once they are prepared. */
int pair_values_open(struct pair_values *values, size_t first, size_t second,
                     enum compared_kind kind);
void pair_values_close(struct pair_values *values);

/* All but stands_out, which the neutral value decides.  `values` notes what doubling did. */
int pair_values_of(struct pair_values *values, const struct entry_pair *pair,
                   struct compared_value *value);

#endif
