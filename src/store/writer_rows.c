#include "store/writer_rows.h"

int writer_begin(struct writer *writer, const char *sql) {
  writer->row = (struct row_out){0};
  return database_prepare(writer->database, writer->path, sql, &writer->row.statement,
                          writer->error);
}

struct row_out *writer_row(struct writer *writer) {
  writer->row.column = 0;
  return &writer->row;
}

int writer_write(struct writer *writer) {
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
  writer_put_uncertainty(writer, estimate);
}

void writer_put_uncertainty(struct writer *writer, struct estimate estimate) {
  if (estimate.uncertainty_ns == UNCERTAINTY_UNKNOWN)
    put_null(&writer->row);
  else
    put_number(&writer->row, estimate.uncertainty_ns);
}

void writer_put_optional(struct writer *writer, const struct amount *amount) {
  if (amount) {
    writer_put_estimate(writer, *amount);
  } else {
    put_null(&writer->row);
    put_null(&writer->row);
  }
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
    MEMORY_GROW(writer->files, writer->file_count, writer->file_room);
    writer->files[writer->file_count++] = path;
  }
  put_id(&writer->row, id);
}
