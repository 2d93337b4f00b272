/* The tables that can be asked for: their SQL. */
#ifndef ASCRIBE_VIEW_LISTED_TABLE_H
#define ASCRIBE_VIEW_LISTED_TABLE_H

#include "view/large_table.h"

struct listed_table {
  const char *name;
  const char *sql;                 /* with the profile's number for each %1$d */
  const char *sort;                /* its own order */
  const char *texts;               /* the SQL text that filters look into */
  int compared;                    /* its enum compared_kind, or -1 */
  const struct large_table *large; /* or null */
  const char *prepare;             /* SQL that makes what its own SQL needs, once a view; or null */
};

/* Null: there is none of that name, or the name is null. */
const struct listed_table *listed_table_named(const char *name);

#endif
