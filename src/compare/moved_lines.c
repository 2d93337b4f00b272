#include "compare/moved_lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/memory.h"
#include "compare/line_map.h"

/* The blanks before the text of each line, of as many lines as there are. */
static uint32_t *indents_of(const char *text, size_t *count) {
  uint32_t *indents = NULL;
  for (*count = 0; *text; (*count)++) {
    ARRAY_GROW(indents, *count);
    indents[*count] = strspn(text, " \t\r");
    text = strchrnul(text, '\n');
    text += *text == '\n';
  }
  return indents;
}

/* The texts of a file, and what has become of the lines of the first. */
struct texts {
  const char *files[2];
  uint32_t *indents[2], *now;
  size_t counts[2];
};

/* -1: SQLite has no memory. */
static int texts_compare(sqlite3_stmt *row, struct texts *texts) {
  const char *before = (const char *)sqlite3_column_text(row, 2);
  const char *after = (const char *)sqlite3_column_text(row, 3);
  size_t count;
  texts->files[0] = (const char *)sqlite3_column_text(row, 0);
  texts->files[1] = (const char *)sqlite3_column_text(row, 1);
  if (!before || !after || !texts->files[0] || !texts->files[1]) return -1;
  texts->indents[0] = indents_of(before, &texts->counts[0]);
  texts->indents[1] = indents_of(after, &texts->counts[1]);
  texts->now = line_map_make(before, after, &count);
  return 0;
}

static void texts_free(struct texts *texts) {
  free(texts->indents[0]);
  free(texts->indents[1]);
  free(texts->now);
}

struct inserts {
  struct workspace *workspace;
  int profiles[2];
  sqlite3_stmt *moved, *edited;
  struct error *error;
};

static int step(const struct inserts *inserts, sqlite3_stmt *insert) {
  int result =
      sqlite3_step(insert) == SQLITE_DONE ? 0 : workspace_error(inserts->workspace, inserts->error);
  sqlite3_reset(insert);
  return result;
}

static int insert_edited(const struct inserts *inserts, const struct texts *texts, int which,
                         size_t line) {
  sqlite3_bind_int(inserts->edited, 1, inserts->profiles[which]);
  sqlite3_bind_text(inserts->edited, 2, texts->files[which], -1, SQLITE_STATIC);
  sqlite3_bind_int64(inserts->edited, 3, (int64_t)line);
  return step(inserts, inserts->edited);
}

static int insert_moved(const struct inserts *inserts, const struct texts *texts, size_t line,
                        int64_t now, int64_t shift) {
  sqlite3_bind_int(inserts->moved, 1, inserts->profiles[0]);
  sqlite3_bind_text(inserts->moved, 2, texts->files[0], -1, SQLITE_STATIC);
  sqlite3_bind_int64(inserts->moved, 3, (int64_t)line);
  sqlite3_bind_int64(inserts->moved, 4, now);
  sqlite3_bind_int64(inserts->moved, 5, shift);
  return step(inserts, inserts->moved);
}

/* Line i + 1 of the first text. */
static int insert_line(const struct inserts *inserts, const struct texts *texts, size_t i) {
  uint32_t now = texts->now[i];
  if (!now) {
    if (insert_edited(inserts, texts, 0, i + 1) != 0) return -1;
    return insert_moved(inserts, texts, i + 1, -(int64_t)i - 1, 0);
  }
  int64_t shift = (int64_t)texts->indents[1][now - 1] - texts->indents[0][i];
  return now == i + 1 && shift == 0 ? 0 : insert_moved(inserts, texts, i + 1, now, shift);
}

static int insert_new_lines(const struct inserts *inserts, const struct texts *texts) {
  bool *old = memory_zeroed(texts->counts[1], sizeof *old);
  int result = 0;
  for (size_t i = 0; i < texts->counts[0]; i++)
    if (texts->now[i]) old[texts->now[i] - 1] = true;
  for (size_t i = 0; result == 0 && i < texts->counts[1]; i++)
    if (!old[i]) result = insert_edited(inserts, texts, 1, i + 1);
  free(old);
  return result;
}

static int note_file(const struct inserts *inserts, sqlite3_stmt *row) {
  struct texts texts = {0};
  int result = 0;
  if (texts_compare(row, &texts) != 0) result = error_set(inserts->error, "out of memory");
  for (size_t i = 0; result == 0 && i < texts.counts[0]; i++)
    result = insert_line(inserts, &texts, i);
  if (result == 0) result = insert_new_lines(inserts, &texts);
  texts_free(&texts);
  return result;
}

static int note_files(const struct inserts *inserts, sqlite3_stmt *files) {
  int next, result = 0;
  while (result == 0 && (next = sqlite3_step(files)) == SQLITE_ROW)
    result = note_file(inserts, files);
  if (result == 0 && next != SQLITE_DONE)
    result = workspace_error(inserts->workspace, inserts->error);
  return result;
}

static const char tables_sql[] =
    "DROP TABLE IF EXISTS told; DROP TABLE IF EXISTS moved; DROP TABLE IF EXISTS edited;"
    "CREATE TABLE told(profile INTEGER, file TEXT, PRIMARY KEY(profile, file)) WITHOUT ROWID;"
    "CREATE TABLE moved(profile INTEGER, file TEXT, line INTEGER, now INTEGER, shift INTEGER,"
    " PRIMARY KEY(profile, file, line)) WITHOUT ROWID;"
    "CREATE TABLE edited(profile INTEGER, file TEXT, line INTEGER,"
    " PRIMARY KEY(profile, file, line)) WITHOUT ROWID;";

#define SAME_FILES                                                                                 \
  "p%d.sources x JOIN p%d.sources y ON y.path = x.path"                                            \
  " OR (x.path NOT IN (SELECT path FROM p%d.sources) AND base_name(y.path) = base_name(x.path)"    \
  "  AND 1 = (SELECT count(*) FROM p%d.sources z WHERE base_name(z.path) = base_name(x.path)))"

static int prepare(struct inserts *inserts, sqlite3_stmt **files) {
  struct workspace *workspace = inserts->workspace;
  int a = inserts->profiles[0], b = inserts->profiles[1];
  if (workspace_run(workspace, inserts->error, tables_sql) != 0 ||
      workspace_run(workspace, inserts->error,
                    "INSERT OR IGNORE INTO told SELECT %d, x.path FROM " SAME_FILES
                    "; INSERT OR IGNORE INTO told SELECT %d, y.path FROM " SAME_FILES,
                    a, a, b, b, b, b, a, b, b, b) != 0 ||
      workspace_prepare(workspace, &inserts->moved, inserts->error,
                        "INSERT OR REPLACE INTO moved VALUES(?1, ?2, ?3, ?4, ?5)") != 0 ||
      workspace_prepare(workspace, &inserts->edited, inserts->error,
                        "INSERT OR IGNORE INTO edited VALUES(?1, ?2, ?3)") != 0)
    return -1;
  return workspace_prepare(workspace, files, inserts->error,
                           "SELECT x.path, y.path, x.text, y.text FROM " SAME_FILES
                           " WHERE x.text <> y.text",
                           a, b, b, b);
}

int moved_lines_note(struct workspace *workspace, size_t first, size_t second,
                     struct error *error) {
  struct inserts inserts = {workspace, {(int)first, (int)second}, NULL, NULL, error};
  sqlite3_stmt *files = NULL;
  int result = prepare(&inserts, &files);
  if (result == 0) result = workspace_run(workspace, error, "SAVEPOINT moving");
  if (result == 0) {
    result = note_files(&inserts, files);
    sqlite3_reset(files);
    sqlite3_exec(workspace->database, "RELEASE moving", NULL, NULL, NULL);
  }
  sqlite3_finalize(files);
  sqlite3_finalize(inserts.moved);
  sqlite3_finalize(inserts.edited);
  return result;
}
