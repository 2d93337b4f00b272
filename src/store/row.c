#include "store/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "recording/reader.h"

void put_number(struct row_out *row, uint64_t value) {
  if (value > INT64_MAX) value = INT64_MAX;
  sqlite3_bind_int64(row->statement, ++row->column, (sqlite3_int64)value);
}

void put_optional_number(struct row_out *row, uint64_t value) {
  put_calls(row, value != UINT64_MAX, value);
}

void put_real(struct row_out *row, double value) {
  sqlite3_bind_double(row->statement, ++row->column, value);
}

void put_null(struct row_out *row) {
  sqlite3_bind_null(row->statement, ++row->column);
}

void put_id(struct row_out *row, uint32_t id) {
  if (id == NOTHING)
    put_null(row);
  else
    put_number(row, (uint64_t)id + 1);
}

void put_calls(struct row_out *row, bool known, uint64_t calls) {
  if (known)
    put_number(row, calls);
  else
    put_null(row);
}

/* SQLite keeps any bytes as text, but others (Python's sqlite3) then refuse the row.
 * Null is bound as NULL. */
static void bind_text(struct row_out *row, const char *text, sqlite3_destructor_type lives) {
  char *repaired = text ? utf8_repaired(text) : NULL;
  if (repaired)
    sqlite3_bind_text(row->statement, ++row->column, repaired, -1, free);
  else
    sqlite3_bind_text(row->statement, ++row->column, text, -1, lives);
}

void put_text(struct row_out *row, const char *text) {
  bind_text(row, text, SQLITE_STATIC);
}

void put_copied_text(struct row_out *row, const char *text) {
  bind_text(row, text, SQLITE_TRANSIENT);
}

/* Called for millions of rows, so it asks for the type only where the value is 0: SQLite turns all
 * that is not a number into 0. */
uint64_t get_number(struct row_in *row, uint64_t limit) {
  int column = row->column++;
  sqlite3_int64 value = sqlite3_column_int64(row->statement, column);
  if (value > 0 && (uint64_t)value <= limit) return value;
  if (value != 0 || sqlite3_column_type(row->statement, column) != SQLITE_INTEGER)
    row->damaged = true;
  return 0;
}

static bool is_null(const struct row_in *row) {
  return sqlite3_column_int64(row->statement, row->column) == 0 &&
         sqlite3_column_type(row->statement, row->column) == SQLITE_NULL;
}

double get_real(struct row_in *row) {
  double value = sqlite3_column_double(row->statement, row->column++);
  if (value >= 0 && value < INFINITY) return value;
  row->damaged = true;
  return 0;
}

uint64_t get_optional_number(struct row_in *row) {
  if (!is_null(row)) return get_number(row, INT64_MAX);
  row->column++;
  return UINT64_MAX;
}

uint32_t get_id(struct row_in *row, size_t count) {
  uint64_t value = get_number(row, count < NOTHING ? count : NOTHING - 1);
  if (value) return value - 1;
  row->damaged = true;
  return NOTHING;
}

uint32_t get_optional_id(struct row_in *row, size_t count) {
  if (!is_null(row)) return get_id(row, count);
  row->column++;
  return NOTHING;
}

const char *get_optional_text(struct row_in *row) {
  int column = row->column++;
  int type = sqlite3_column_type(row->statement, column);
  if (type == SQLITE_NULL) return NULL;
  const char *text = (const char *)sqlite3_column_text(row->statement, column);
  if (type == SQLITE_TEXT && text &&
      strlen(text) == (size_t)sqlite3_column_bytes(row->statement, column))
    return text;
  row->damaged = true;
  return "";
}

const char *get_text(struct row_in *row) {
  const char *text = get_optional_text(row);
  if (text) return text;
  row->damaged = true;
  return "";
}
