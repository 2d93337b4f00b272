#include "exchange/json_rows.h"

#include <string.h>

#include "exchange/json_scan.h"

int json_text_open(struct json_text *json, const char *name, const char *text, size_t bytes,
                   struct error *error) {
  *json = (struct json_text){.name = name, .text = text, .bytes = bytes};
  if (sqlite3_open(":memory:", &json->database) == SQLITE_OK) return 0;
  json_text_close(json);
  return error_set(error, "%s: SQLite cannot be started", name);
}

void json_text_close(struct json_text *json) {
  sqlite3_close(json->database);
  json->database = NULL;
}

/* SQLite says that the text is malformed, but not where; it says so of deep nesting, too. */
static int fail(const struct json_text *json, struct error *error) {
  uint64_t line = json_fault_line(json->text, json->bytes);
  const char *said = sqlite3_errmsg(json->database);
  if (!line && strcmp(said, "malformed JSON") == 0) said = "the JSON is nested too deeply";
  if (!line) return error_set(error, "%s: %s", json->name, said);
  return error_set(error, "%s:%llu: malformed JSON, or cut off here", json->name,
                   (unsigned long long)line);
}

int json_rows(struct json_text *json, const char *sql,
              int (*take)(void *context, sqlite3_stmt *row, struct error *error), void *context,
              struct error *error) {
  sqlite3_stmt *rows;
  int state = sqlite3_prepare_v2(json->database, sql, -1, &rows, NULL), result = 0;
  if (state == SQLITE_OK)
    state = sqlite3_bind_text64(rows, 1, json->text, json->bytes, SQLITE_STATIC, SQLITE_UTF8);
  if (state == SQLITE_OK) state = SQLITE_ROW;
  while (result == 0 && state == SQLITE_ROW) {
    state = sqlite3_step(rows);
    if (state == SQLITE_ROW) result = take(context, rows, error);
  }
  if (result == 0 && state != SQLITE_DONE) result = fail(json, error);
  sqlite3_finalize(rows);
  return result;
}

uint64_t json_row_number(sqlite3_stmt *row, int column, uint64_t most) {
  sqlite3_int64 value = sqlite3_column_int64(row, column);
  if (value < 0) return 0;
  return (uint64_t)value < most ? (uint64_t)value : most;
}

const char *json_row_text(sqlite3_stmt *row, int column) {
  const unsigned char *text = sqlite3_column_text(row, column);
  return text ? (const char *)text : "";
}
