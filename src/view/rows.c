#include "view/rows.h"

static void write_value(struct json *json, const char *key, sqlite3_stmt *statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
  case SQLITE_NULL:
    json_null(json, key);
    break;
  case SQLITE_INTEGER:
    json_integer(json, key, sqlite3_column_int64(statement, column));
    break;
  case SQLITE_FLOAT:
    json_real(json, key, sqlite3_column_double(statement, column));
    break;
  default:
    json_text(json, key, (const char *)sqlite3_column_text(statement, column));
  }
}

int rows_write(struct json *json, sqlite3_stmt *statement) {
  int columns = sqlite3_column_count(statement), step;
  json_open(json, "columns", '[');
  for (int i = 0; i < columns; i++)
    json_text(json, NULL, sqlite3_column_name(statement, i));
  json_close(json, ']');
  json_open(json, "rows", '[');
  while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
    json_open(json, NULL, '[');
    for (int i = 0; i < columns; i++)
      write_value(json, NULL, statement, i);
    json_close(json, ']');
  }
  json_close(json, ']');
  return step;
}

int rows_write_objects(struct json *json, const char *key, sqlite3_stmt *statement) {
  int columns = sqlite3_column_count(statement), step;
  json_open(json, key, '[');
  while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
    json_open(json, NULL, '{');
    for (int i = 0; i < columns; i++)
      write_value(json, sqlite3_column_name(statement, i), statement, i);
    json_close(json, '}');
  }
  json_close(json, ']');
  return step;
}
