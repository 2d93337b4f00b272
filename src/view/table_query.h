/* A question about the rows of a table: which rows, and in which order. */
#ifndef ASCRIBE_VIEW_TABLE_QUERY_H
#define ASCRIBE_VIEW_TABLE_QUERY_H

#include "base/json.h"
#include "view/listed_table.h"

/* View, parameters, most and error are set by who asks; rows are to be freed with sqlite3_free().
 */
struct table_query {
  struct view *view;
  const struct parameters *parameters;
  int64_t most; /* rows, whatever is asked; 0: as asked */
  const struct listed_table *table;
  size_t profile;
  char *rows;                          /* the table's own SQL */
  const struct large_table *large;     /* finds rows, or null */
  bool compared;                       /* the rows have columns of the comparison */
  const char *sort, *texts;            /* defaults of the table */
  const char *values[MOST_PARAMETERS]; /* bound, from ?1 on */
  size_t value_count;
  struct error *error;
};

/* Take the table that is asked for: its SQL, with the columns of growth, comparison or choice. 0,
 * or -1 with the reason; so all below. */
int table_query_take(struct table_query *query);

/* The profile that is compared with. */
int table_query_other(const struct table_query *query, size_t *other);
/* Compare, unless this was compared last. */
int table_query_compare(struct table_query *query, enum compared_kind kind, size_t profile,
                        size_t other);

/* What is asked, or its default. */
const char *table_query_text(const struct table_query *query, const char *name); /* or null */
const char *table_query_sort(const struct table_query *query);
bool table_query_up(const struct table_query *query);
int64_t table_query_limit(const struct table_query *query);
int64_t table_query_offset(const struct table_query *query);

/* Bind the values to the statement, write its rows, and finalize it. */
void table_query_bind(const struct table_query *query, sqlite3_stmt *statement);
int table_query_write(struct table_query *query, sqlite3_stmt *statement, struct json *json);

#endif
