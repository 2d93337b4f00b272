/* The text of one source file out of a profile file. */
#include <stdlib.h>
#include <string.h>

#include "store/database.h"
#include "store/row.h"
#include "store/source_age.h"
#include "store/source_text.h"
#include "store/store.h"

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

int store_source(const char *profile_path, const char *path, struct source_copy *copy,
                 struct error *error) {
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  int result = database_open(profile_path, &database, error);
  if (result == 0)
    result =
        database_prepare(database, profile_path, "SELECT text, newer FROM raw_sources WHERE path=?",
                         &statement, error);
  if (result == 0) {
    *copy = (struct source_copy){0};
    sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
      result = copy_text(statement, profile_path, copy, error);
    else if (step != SQLITE_DONE)
      result = database_error(database, profile_path, error);
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return result;
}

void store_source_on_disk(const struct profile *profile, const char *path,
                          struct source_copy *copy) {
  struct source_budget budget = SOURCE_BUDGET;
  struct source_ages ages;
  *copy = (struct source_copy){0};
  copy->text = source_text_read(path, &budget, &copy->bytes);
  source_ages_open(&ages, profile);
  copy->newer = copy->text && source_is_newer(&ages, path);
  source_ages_close(&ages);
}
