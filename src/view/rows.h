/* Rows of a statement as JSON. */
#ifndef ASCRIBE_VIEW_ROWS_H
#define ASCRIBE_VIEW_ROWS_H

#include <sqlite3.h>

#include "report/json.h"

/* "columns": [names], "rows": [[values]...]. The statement is stepped to its end. Returns SQLite's
 * code: SQLITE_DONE when all is well. */
int rows_write(struct json *json, sqlite3_stmt *statement);

/* A key with an array of objects, one for each row; the same. */
int rows_write_objects(struct json *json, const char *key, sqlite3_stmt *statement);

#endif
