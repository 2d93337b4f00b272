/* The text of source files out of a profile file. */
#include <stdlib.h>
#include <string.h>

#include "store/row.h"
#include "store/source_origin.h"
#include "store/source_reader.h"
#include "store/source_text.h"

static int copy_text(sqlite3_stmt *statement, const char *profile_path, struct source_copy *copy,
                     struct error *error) {
  struct row_in row = {.statement = statement, .column = 1};
  bool newer = get_number(&row, 1);
  const void *text = sqlite3_column_blob(statement, 0);
  size_t bytes = sqlite3_column_bytes(statement, 0);
  if (row.damaged || (bytes && !text))
    return error_set(error, "%s: the profile is damaged (text of a source file)", profile_path);
  *copy = (struct source_copy){.text = memory_zeroed(bytes + 1, 1), .bytes = bytes, .newer = newer};
  if (bytes) memcpy(copy->text, text, bytes);
  return 0;
}

int source_reader_open(struct source_reader *reader, const char *profile, struct error *error) {
  *reader = (struct source_reader){.profile = profile};
  if (database_open(profile, &reader->database, error) != 0 ||
      database_check(reader->database, "main", profile, error) < 0)
    return -1;
  return database_prepare(reader->database, profile,
                          "SELECT text, newer FROM raw_sources WHERE path=?", &reader->statement,
                          error);
}

void source_reader_close(struct source_reader *reader) {
  sqlite3_finalize(reader->statement);
  sqlite3_close(reader->database);
}

int source_reader_get(struct source_reader *reader, const char *path, struct source_copy *copy,
                      struct error *error) {
  int result = 0;
  *copy = (struct source_copy){0};
  sqlite3_bind_text(reader->statement, 1, path, -1, SQLITE_STATIC);
  int step = database_step(reader->statement);
  if (step == SQLITE_ROW)
    result = copy_text(reader->statement, reader->profile, copy, error);
  else if (step != SQLITE_DONE)
    result = database_error(reader->database, reader->profile, error);
  sqlite3_reset(reader->statement);
  return result;
}

int store_source(const char *profile_path, const char *path, struct source_copy *copy,
                 struct error *error) {
  struct source_reader reader;
  int result = source_reader_open(&reader, profile_path, error);
  if (result == 0) result = source_reader_get(&reader, path, copy, error);
  source_reader_close(&reader);
  return result;
}

void store_source_on_disk(const struct profile *profile, const char *path,
                          struct source_copy *copy) {
  struct source_budget budget = SOURCE_BUDGET;
  struct source_origins origins;
  *copy = (struct source_copy){0};
  source_origins_open(&origins, profile);
  struct source_claim claim = source_claim_of(&origins, path);
  copy->text = source_text_read(path, &claim, &budget, &copy->bytes);
  copy->newer = copy->text && source_is_newer(&origins, path);
  source_origins_close(&origins);
}
