/* Conditions and order of a question about a table, as SQL. */
#ifndef ASCRIBE_VIEW_TABLE_CONDITIONS_H
#define ASCRIBE_VIEW_TABLE_CONDITIONS_H

#include "view/table_query.h"

/* `shape` is a statement with the columns of the table's rows. */
bool table_has_column(sqlite3_stmt *shape, const char *name);

/* Add " AND ..." for the filter and each is.COLUMN; their texts are among the query's values then.
 * 0, or -1 with the reason. */
int table_conditions(struct table_query *query, sqlite3_stmt *shape, sqlite3_str *where);

/* Add " ORDER BY ...". 0, or -1 with the reason. */
int table_order(struct table_query *query, sqlite3_stmt *shape, sqlite3_str *order);

#endif
