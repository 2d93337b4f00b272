#include "store/writer_rows.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows for one statement: beginning and ending one costs a third of what its row does. */
enum { BATCH = 32 };
/* Texts that wait for it are at most a few more than this. */
#define BATCH_BYTES ((size_t)1 << 20)

/* As many values as so many rows of the table have columns. */
static char *insertion(const char *table, int columns, int rows) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendf(sql, "INSERT INTO %s VALUES", table);
  for (int row = 0; row < rows; row++) {
    sqlite3_str_appendall(sql, row ? ",(?" : "(?");
    for (int i = 1; i < columns; i++)
      sqlite3_str_appendall(sql, ",?");
    sqlite3_str_appendall(sql, ")");
  }
  return sqlite3_str_finish(sql);
}

static int prepare(struct writer *writer, int rows, sqlite3_stmt **statement) {
  char *insert = insertion(writer->inserted, writer->columns, rows);
  if (!insert) return error_set(writer->error, "out of memory");
  int result = database_prepare(writer->database, writer->path, insert, statement, writer->error);
  sqlite3_free(insert);
  return result;
}

int writer_begin(struct writer *writer, const char *table) {
  char sql[80];
  sqlite3_stmt *all;
  writer->row = (struct row_out){0};
  writer->inserted = table;
  writer->one = writer->batch = NULL;
  writer->waiting = 0;
  snprintf(sql, sizeof sql, "SELECT * FROM %s", table);
  if (database_prepare(writer->database, writer->path, sql, &all, writer->error) != 0) return -1;
  writer->columns = sqlite3_column_count(all);
  sqlite3_finalize(all);
  writer->row.values = memory_zeroed((size_t)writer->columns * BATCH, sizeof *writer->row.values);
  return prepare(writer, 1, &writer->one);
}

int writer_table(struct writer *writer, const char *table, size_t count,
                 void (*put)(struct writer *writer, size_t i)) {
  int result = writer_begin(writer, table);
  for (size_t i = 0; result == 0 && i < count; i++) {
    put(writer, i);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

struct row_out *writer_row(struct writer *writer) {
  writer->row.column = writer->waiting * writer->columns;
  return &writer->row;
}

static int insert(struct writer *writer, sqlite3_stmt *statement, int first, int rows) {
  row_bind(statement, writer->row.values + first * writer->columns, rows * writer->columns);
  bool done = sqlite3_step(statement) == SQLITE_DONE;
  /* Before the reset: the system's reason is gone after it. */
  int result = done ? 0 : database_error(writer->database, writer->path, writer->error);
  sqlite3_reset(statement);
  return result;
}

static int insert_waiting(struct writer *writer) {
  int rows = writer->waiting, result = 0;
  writer->waiting = 0;
  writer->waiting_bytes = 0;
  if (rows == BATCH) {
    if (!writer->batch) result = prepare(writer, BATCH, &writer->batch);
    return result == 0 ? insert(writer, writer->batch, 0, BATCH) : result;
  }
  for (int i = 0; result == 0 && i < rows; i++)
    result = insert(writer, writer->one, i, 1);
  return result;
}

int writer_write(struct writer *writer) {
  int first = writer->waiting++ * writer->columns;
  assert(writer->row.column == first + writer->columns);
  for (int i = first; i < writer->row.column; i++)
    if (writer->row.values[i].kind == VALUE_BYTES)
      writer->waiting_bytes += writer->row.values[i].bytes;
  bool is_full = writer->waiting == BATCH || writer->waiting_bytes > BATCH_BYTES;
  return is_full ? insert_waiting(writer) : 0;
}

int writer_end(struct writer *writer, int result) {
  if (result == 0) result = insert_waiting(writer);
  sqlite3_finalize(writer->one);
  sqlite3_finalize(writer->batch);
  if (writer->row.values) row_free(writer->row.values, writer->columns * BATCH);
  writer->row.values = NULL;
  return result;
}

void writer_put_estimate(struct writer *writer, struct amount amount) {
  struct estimate estimate = books_estimate(&writer->books, amount);
  put_number(&writer->row, estimate.ns);
  writer_put_interval(writer, estimate);
}

void writer_put_interval(struct writer *writer, struct estimate estimate) {
  bool known = estimate.uncertainty_ns != UNCERTAINTY_UNKNOWN;
  known ? put_number(&writer->row, estimate.low_ns) : put_null(&writer->row);
  known ? put_number(&writer->row, estimate.high_ns) : put_null(&writer->row);
}

void writer_put_optional(struct writer *writer, const struct amount *amount) {
  if (amount) {
    writer_put_estimate(writer, *amount);
  } else {
    for (int column = 0; column < 3; column++)
      put_null(&writer->row);
  }
}

void writer_put_cost(struct writer *writer, struct amount self, const struct amount *total) {
  writer_put_estimate(writer, self);
  put_number(&writer->row, self.ticks);
  writer_put_optional(writer, total);
  put_calls(&writer->row, total, total ? total->ticks : 0);
}

void writer_put_range(struct row_out *out, bool known, uint64_t least, uint64_t most) {
  put_calls(out, known, least);
  put_optional_number(out, known ? most : UINT64_MAX);
}

void writer_put_ns(struct writer *writer, struct amount amount) {
  put_number(&writer->row, books_ns(&writer->books, amount));
}

void writer_put_file(struct writer *writer, const char *path) {
  if (!path) {
    put_null(&writer->row);
    return;
  }
  uint32_t id = map_find_or_add(&writer->file_ids, (uintptr_t)path, 0, writer->file_count);
  if (id == writer->file_count) {
    ARRAY_GROW(writer->files, writer->file_count);
    writer->files[writer->file_count++] = path;
  }
  put_id(&writer->row, id);
}
