/* Rows of a statement as JSON. */
#ifndef ASCRIBE_REPORT_SQL_JSON_H
#define ASCRIBE_REPORT_SQL_JSON_H

#include <sqlite3.h>

#include "base/json.h"

/* "columns": [names], "rows": [[values]...]. The statement is stepped to its end. Returns SQLite's
 * code: SQLITE_DONE when all is well. */
int sql_json_table(struct json *json, sqlite3_stmt *statement);

/* An array of objects, one for each row; columns that are declared BOOLEAN are true or false, those
 * declared JSON stand as they are. The same. */
int sql_json_rows(struct json *json, const char *key, sqlite3_stmt *statement);

/* One row that the statement stands on; `key` is null inside arrays. */
void sql_json_row(struct json *json, const char *key, sqlite3_stmt *statement);

#endif
