#include "store/loader.h"

int loader_damaged(const struct loader *loader) {
  return error_set(loader->error, "%s: the profile is damaged: record again", loader->path);
}

int loader_rows(struct loader *loader, const char *sql,
                void (*take)(struct loader *loader, struct row_in *row)) {
  sqlite3_stmt *statement = NULL;
  if (database_prepare(loader->database, loader->path, sql, &statement, loader->error) != 0)
    return -1;
  struct row_in row = {.statement = statement};
  int step = SQLITE_ROW;
  int64_t rows = 0;
  while (!row.damaged && (step = database_step(statement)) == SQLITE_ROW) {
    row.column = 0;
    take(loader, &row);
    row.damaged |= ++rows > loader->rows_most;
  }
  int result = 0;
  if (row.damaged)
    result = loader_damaged(loader);
  else if (step != SQLITE_DONE)
    result = database_error(loader->database, loader->path, loader->error);
  sqlite3_finalize(statement);
  return result;
}

bool loader_has(const struct loader *loader, const char *table, const char *column) {
  return sqlite3_table_column_metadata(loader->database, "main", table, column, NULL, NULL, NULL,
                                       NULL, NULL) == SQLITE_OK;
}

void loader_expect_id(struct row_in *row, size_t next) {
  if (get_number(row, UINT32_MAX - 1) != next + 1) row->damaged = true;
}

struct amount get_amount(struct row_in *row) {
  uint64_t ticks = get_number(row, INT64_MAX);
  return (struct amount){ticks, get_number(row, INT64_MAX)};
}
