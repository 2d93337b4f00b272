#include "store/writer_rows.h"

#include <assert.h>
#include <stdio.h>

/* As many values as the table has columns. */
static char *insertion(const char *table, int columns) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendf(sql, "INSERT INTO %s VALUES(?", table);
  for (int i = 1; i < columns; i++)
    sqlite3_str_appendall(sql, ",?");
  sqlite3_str_appendall(sql, ")");
  return sqlite3_str_finish(sql);
}

int writer_begin(struct writer *writer, const char *table) {
  char sql[80];
  writer->row = (struct row_out){0};
  snprintf(sql, sizeof sql, "SELECT * FROM %s", table);
  if (database_prepare(writer->database, writer->path, sql, &writer->row.statement,
                       writer->error) != 0)
    return -1;
  writer->columns = sqlite3_column_count(writer->row.statement);
  sqlite3_finalize(writer->row.statement);
  writer->row.statement = NULL;
  char *insert = insertion(table, writer->columns);
  if (!insert) return error_set(writer->error, "out of memory");
  int result = database_prepare(writer->database, writer->path, insert, &writer->row.statement,
                                writer->error);
  sqlite3_free(insert);
  return result;
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
  writer->row.column = 0;
  return &writer->row;
}

int writer_write(struct writer *writer) {
  assert(writer->row.column == writer->columns);
  bool done = sqlite3_step(writer->row.statement) == SQLITE_DONE;
  /* Before the reset: the system's reason is gone after it. */
  int result = done ? 0 : database_error(writer->database, writer->path, writer->error);
  sqlite3_reset(writer->row.statement);
  return result;
}

int writer_end(struct writer *writer, int result) {
  sqlite3_finalize(writer->row.statement);
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
