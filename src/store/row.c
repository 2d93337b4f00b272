#include "store/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "recording/reader.h"

static struct row_value *next_value(struct row_out *row) {
  return &row->values[row->column++];
}

void put_number(struct row_out *row, uint64_t value) {
  if (value > INT64_MAX) value = INT64_MAX;
  *next_value(row) = (struct row_value){.kind = VALUE_NUMBER, .number = (sqlite3_int64)value};
}

void put_optional_number(struct row_out *row, uint64_t value) {
  put_calls(row, value != UINT64_MAX, value);
}

void put_real(struct row_out *row, double value) {
  *next_value(row) = (struct row_value){.kind = VALUE_REAL, .real = value};
}

void put_null(struct row_out *row) {
  *next_value(row) = (struct row_value){.kind = VALUE_NULL};
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

/* SQLite keeps any bytes as text, but others (Python's sqlite3) then refuse the row. */
void put_text(struct row_out *row, const char *text) {
  char *repaired = text ? utf8_repaired(text) : NULL;
  if (text && !repaired) repaired = memory_text(text);
  *next_value(row) = (struct row_value){.kind = text ? VALUE_TEXT : VALUE_NULL, .text = repaired};
}

void put_bytes(struct row_out *row, const void *bytes, size_t count) {
  char *copy = memory_resized(NULL, count, 1);
  if (count) memcpy(copy, bytes, count);
  *next_value(row) = (struct row_value){.kind = VALUE_BYTES, .text = copy, .bytes = count};
}

static void bind(sqlite3_stmt *statement, int column, const struct row_value *value) {
  switch (value->kind) {
  case VALUE_NULL:
    sqlite3_bind_null(statement, column);
    break;
  case VALUE_NUMBER:
    sqlite3_bind_int64(statement, column, value->number);
    break;
  case VALUE_REAL:
    sqlite3_bind_double(statement, column, value->real);
    break;
  case VALUE_TEXT:
    sqlite3_bind_text(statement, column, value->text, -1, free);
    break;
  case VALUE_BYTES:
    sqlite3_bind_blob64(statement, column, value->text, value->bytes, free);
    break;
  }
}

void row_bind(sqlite3_stmt *statement, struct row_value *values, int count) {
  for (int i = 0; i < count; i++) {
    bind(statement, i + 1, &values[i]);
    values[i].kind = VALUE_NULL;
  }
}

void row_free(struct row_value *values, int count) {
  for (int i = 0; i < count; i++)
    if (values[i].kind == VALUE_TEXT || values[i].kind == VALUE_BYTES) free(values[i].text);
  free(values);
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
