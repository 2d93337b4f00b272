/* The statement that a comparison evaluates for each pair of entries. */
#ifndef ASCRIBE_COMPARE_PAIR_STATEMENT_H
#define ASCRIBE_COMPARE_PAIR_STATEMENT_H

#include <stdbool.h>

#include "compare/entries.h"

/* What is bound of each side, a from parameter 1 on and b behind it: figures first, in the order of
 * enum entry_figure. */
enum pair_part {
  PAIR_PART_WHOLE = ENTRY_FIGURES,
  PAIR_PART_PRESENT,
  PAIR_PART_TEXTS,
  PAIR_PART_NAME = PAIR_PART_TEXTS,
  PAIR_PART_CALLER_NAME,
  PAIR_PART_OBJECT,
  PAIR_PART_FILE,
  PAIR_PART_LINE,
  PAIR_PART_COLUMN,
  PAIR_PART_WAY,
  PAIR_PARTS
};

/* Its row has the values of expression and condition. 0, or -1 with a line that names the one that
 * is wrong. */
int pair_statement_prepare(struct workspace *workspace, const char *expression,
                           const char *condition, sqlite3_stmt **statement, struct error *error);

/* What they look at: nothing else needs to be bound. */
struct pair_used {
  bool figures[ENTRY_FIGURES];
  bool texts;
};

struct pair_used pair_used_by(const char *expression, const char *condition);

#endif
