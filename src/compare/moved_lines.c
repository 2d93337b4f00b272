#include "compare/moved_lines.h"

#include <stdlib.h>

#include "compare/line_map.h"

static int insert_map(struct workspace *workspace, sqlite3_stmt *insert, const char *file,
                      const uint32_t *lines, size_t count, struct error *error) {
  int result = 0;
  for (size_t i = 0; result == 0 && i < count; i++) {
    if (lines[i] == i + 1) continue;
    sqlite3_bind_text(insert, 1, file, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 2, (int64_t)i + 1);
    sqlite3_bind_int64(insert, 3, lines[i] ? (int64_t)lines[i] : -(int64_t)i - 1);
    if (sqlite3_step(insert) != SQLITE_DONE) result = workspace_error(workspace, error);
    sqlite3_reset(insert);
  }
  sqlite3_clear_bindings(insert);
  return result;
}

static int note_file(struct workspace *workspace, sqlite3_stmt *row, sqlite3_stmt *insert,
                     struct error *error) {
  const char *file = (const char *)sqlite3_column_text(row, 0);
  const char *before = (const char *)sqlite3_column_text(row, 1);
  const char *after = (const char *)sqlite3_column_text(row, 2);
  uint32_t *lines;
  size_t count;
  if (!file || !before || !after) return 0;
  if (line_map_make(before, after, &lines, &count) != 0) return error_set(error, "out of memory");
  int result = insert_map(workspace, insert, file, lines, count, error);
  free(lines);
  return result;
}

static int note_files(struct workspace *workspace, sqlite3_stmt *files, sqlite3_stmt *insert,
                      struct error *error) {
  int step, result = 0;
  while (result == 0 && (step = sqlite3_step(files)) == SQLITE_ROW)
    result = note_file(workspace, files, insert, error);
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(workspace, error);
  return result;
}

int moved_lines_note(struct workspace *workspace, size_t first, size_t second,
                     struct error *error) {
  sqlite3_stmt *files = NULL, *insert = NULL;
  int a = (int)first, b = (int)second;
  int result =
      workspace_run(workspace, error,
                    "DROP TABLE IF EXISTS moved;"
                    "CREATE TABLE moved(profile INTEGER, file TEXT, line INTEGER, now INTEGER,"
                    " PRIMARY KEY(profile, file, line)) WITHOUT ROWID;");
  if (result == 0)
    result = workspace_prepare(
        workspace, &files, error,
        "SELECT x.path, x.text, y.text FROM p%d.sources x JOIN p%d.sources y ON y.path = x.path"
        " OR (x.path NOT IN (SELECT path FROM p%d.sources)"
        "  AND base_name(y.path) = base_name(x.path)"
        "  AND 1 = (SELECT count(*) FROM p%d.sources z WHERE base_name(z.path) ="
        "   base_name(x.path)))"
        " WHERE x.text <> y.text",
        a, b, b, b);
  if (result == 0)
    result = workspace_prepare(workspace, &insert, error,
                               "INSERT OR REPLACE INTO moved VALUES(%d, ?1, ?2, ?3)", a);
  if (result == 0) result = workspace_run(workspace, error, "SAVEPOINT moving");
  if (result == 0) {
    result = note_files(workspace, files, insert, error);
    sqlite3_reset(files);
    sqlite3_exec(workspace->database, "RELEASE moving", NULL, NULL, NULL);
  }
  sqlite3_finalize(files);
  sqlite3_finalize(insert);
  return result;
}
