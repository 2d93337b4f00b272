#include "report/sql_json.h"

#include <stdbool.h>
#include <string.h>

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

int sql_json_table(struct json *json, sqlite3_stmt *statement) {
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

static bool is_declared(sqlite3_stmt *statement, int column, const char *type) {
  const char *declared = sqlite3_column_decltype(statement, column);
  return declared && strncmp(declared, type, strlen(type)) == 0 &&
         sqlite3_column_type(statement, column) != SQLITE_NULL;
}

static void write_declared(struct json *json, sqlite3_stmt *statement, int column) {
  const char *name = sqlite3_column_name(statement, column);
  if (is_declared(statement, column, "BOOLEAN"))
    json_flag(json, name, sqlite3_column_int(statement, column));
  else if (is_declared(statement, column, "JSON"))
    json_written(json, name, (const char *)sqlite3_column_text(statement, column));
  else
    write_value(json, name, statement, column);
}

void sql_json_row(struct json *json, const char *key, sqlite3_stmt *statement) {
  int columns = sqlite3_column_count(statement);
  json_open(json, key, '{');
  for (int i = 0; i < columns; i++)
    write_declared(json, statement, i);
  json_close(json, '}');
}

int sql_json_rows(struct json *json, const char *key, sqlite3_stmt *statement) {
  int step;
  json_open(json, key, '[');
  while ((step = sqlite3_step(statement)) == SQLITE_ROW)
    sql_json_row(json, NULL, statement);
  json_close(json, ']');
  return step;
}
