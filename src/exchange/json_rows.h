/* JSON text as rows: SQLite's JSON functions take it apart. */
#ifndef ASCRIBE_EXCHANGE_JSON_ROWS_H
#define ASCRIBE_EXCHANGE_JSON_ROWS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct json_text {
  sqlite3 *database;
  const char *name; /* for messages */
  const char *text;
  size_t bytes;
};

/* The text is not copied and must outlive it. */
int json_text_open(struct json_text *json, const char *name, const char *text, size_t bytes,
                   struct error *error);
void json_text_close(struct json_text *json);

/* Each row of the query `sql`, in which ?1 is the text.  Fails if that is no JSON, or where `take`
 * returns -1 with the error set. */
int json_rows(struct json_text *json, const char *sql,
              int (*take)(void *context, sqlite3_stmt *row, struct error *error), void *context,
              struct error *error);

/* A column as a number that is not negative, and at most `most`. */
uint64_t json_row_number(sqlite3_stmt *row, int column, uint64_t most);

/* A column as text; "" where it is null. Valid until the next row. */
const char *json_row_text(sqlite3_stmt *row, int column);

#endif
