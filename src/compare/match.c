#include "compare/match.h"

#include <stdbool.h>

#include "compare/moved_lines.h"

/* One way to tell that entries are the same: an SQL expression over `entry` e (NULL: it cannot be
 * told), whether it must tell them from all others, and of which entries only. */
struct way {
  const char *key;
  bool alone;
  const char *only; /* a condition, or null */
};

#define APART " || char(31) || "
#define FILE_NAME "coalesce(base_name(e.file), '')"
#define OBJECT_NAME "coalesce(base_name(e.object), '')"

static const struct way function_ways[] = {
    {"e.name" APART "coalesce(e.file, '')" APART "coalesce(e.object, '')", false, NULL},
    {"e.name" APART "coalesce(e.file, '')", false, NULL},
    {"e.name" APART FILE_NAME APART OBJECT_NAME, false, NULL},
    {"e.name", true, NULL},
};

/* `same` says by which number both profiles know a function. */
#define SAME_CALLER                                                                                \
  "coalesce((SELECT number FROM same WHERE profile = e.profile AND id = e.caller), 0)"
#define SAME_CALLEE "(SELECT number FROM same WHERE profile = e.profile AND id = e.callee)"

/* Where a line and a column of it stand in the other profile's text (moved_lines.h). */
#define OF_LINE(what, line)                                                                        \
  "(SELECT " what " FROM moved WHERE profile = e.profile AND file = e.file AND line = e." line ")"
#define LINE_NOW(line) "coalesce(" OF_LINE("now", line) ", e." line ", 0)"
#define COLUMN_NOW(column, line)                                                                   \
  "coalesce(e." column " + coalesce(" OF_LINE("shift", line) ", 0), 0)"

/* Whether code says nothing: of another build, or not known. */
#define OTHER_BUILD "e.code IS NULL OR (e.profile, e.object) NOT IN (SELECT * FROM same_build)"
/* Whether lines say nothing: the text was edited there, or is not known. */
#define OTHER_TEXT                                                                                 \
  "e.line IS NULL OR (e.profile, e.file) NOT IN (SELECT * FROM told)"                              \
  " OR (e.profile, e.file, e.line) IN (SELECT * FROM edited)"

static const struct way site_ways[] = {
    {SAME_CALLER APART SAME_CALLEE APART "e.code", false, NULL},
    {SAME_CALLER APART SAME_CALLEE APART FILE_NAME APART LINE_NOW("line"), false, OTHER_BUILD},
    {SAME_CALLER APART SAME_CALLEE APART FILE_NAME, false,
     "(" OTHER_BUILD ") AND (" OTHER_TEXT ")"},
};

static const struct way other_ways[ENTRY_KINDS] = {
    [ENTRY_ARCS] = {SAME_CALLER APART SAME_CALLEE, false, NULL},
    [ENTRY_LINES] = {SAME_CALLEE APART FILE_NAME APART LINE_NOW("line"), false, NULL},
    [ENTRY_EXPRESSIONS] = {SAME_CALLEE APART FILE_NAME APART LINE_NOW("line")
                               APART COLUMN_NOW("source_column", "line") APART LINE_NOW("end_line")
                                   APART COLUMN_NOW("end_column", "end_line") APART "e.way",
                           false, NULL},
};

static int match_by(struct workspace *workspace, enum compared_kind kind, size_t first,
                    size_t second, const struct way *way, struct error *error) {
  int a = (int)first, b = (int)second;
  static const char one[] =
      "SELECT key, id, row_number() OVER w AS rank, count(*) OVER (PARTITION BY key) AS n FROM"
      " (SELECT %s AS key, e.id, e.line FROM entry e WHERE e.kind = %d AND e.profile = %d"
      "  AND e.id NOT IN (SELECT %s FROM pair WHERE kind = %d AND first = %d AND second = %d"
      "   AND %s IS NOT NULL) AND (%s)) WINDOW w AS (PARTITION BY key ORDER BY line, id)";
  const char *only = way->only ? way->only : "1";
  char *x = sqlite3_mprintf(one, way->key, kind, a, "a", kind, a, b, "a", only);
  char *y = sqlite3_mprintf(one, way->key, kind, b, "b", kind, a, b, "b", only);
  int result = x && y ? workspace_run(workspace, error,
                                      "DROP TABLE IF EXISTS left_a; DROP TABLE IF EXISTS left_b;"
                                      "CREATE TABLE left_a AS %s; CREATE TABLE left_b AS %s;"
                                      "CREATE INDEX left_b_key ON left_b(key, rank);"
                                      "INSERT INTO pair SELECT %d, %d, %d, x.id, y.id"
                                      " FROM left_a x JOIN left_b y ON y.key = x.key"
                                      " AND y.rank = x.rank WHERE %d = 0 OR (x.n = 1 AND y.n = 1);"
                                      "DROP TABLE left_a; DROP TABLE left_b;",
                                      x, y, kind, a, b, way->alone)
                      : error_set(error, "out of memory");
  sqlite3_free(x);
  sqlite3_free(y);
  return result;
}

static int add_single(struct workspace *workspace, enum compared_kind kind, size_t first,
                      size_t second, struct error *error) {
  int a = (int)first, b = (int)second;
  return workspace_run(
      workspace, error,
      "INSERT INTO pair SELECT %d, %d, %d, id, NULL FROM entry WHERE kind = %d AND profile = %d"
      " AND id NOT IN (SELECT a FROM pair WHERE kind = %d AND first = %d AND second = %d);"
      "INSERT INTO pair SELECT %d, %d, %d, NULL, id FROM entry WHERE kind = %d AND profile = %d"
      " AND id NOT IN (SELECT b FROM pair WHERE kind = %d AND first = %d AND second = %d"
      "  AND b IS NOT NULL);",
      kind, a, b, kind, a, kind, a, b, kind, a, b, kind, b, kind, a, b);
}

static int note_same_functions(struct workspace *workspace, size_t first, size_t second,
                               struct error *error) {
  int a = (int)first, b = (int)second;
  return workspace_run(workspace, error,
                       "DROP TABLE IF EXISTS same;"
                       "CREATE TABLE same(profile INTEGER, id INTEGER, number INTEGER,"
                       " PRIMARY KEY(profile, id)) WITHOUT ROWID;"
                       "INSERT OR IGNORE INTO same SELECT first, a, rowid FROM pair"
                       " WHERE kind = 0 AND first = %d AND second = %d AND a IS NOT NULL;"
                       "INSERT OR IGNORE INTO same SELECT second, b, rowid FROM pair"
                       " WHERE kind = 0 AND first = %d AND second = %d AND b IS NOT NULL;",
                       a, b, a, b);
}

static int note_same_builds(struct workspace *workspace, size_t first, size_t second,
                            struct error *error) {
  int a = (int)first, b = (int)second;
  static const char one[] = "INSERT INTO same_build SELECT %d, path FROM p%d.raw_objects"
                            " WHERE build_id <> '' AND build_id IN"
                            " (SELECT build_id FROM p%d.raw_objects)";
  if (workspace_run(workspace, error,
                    "DROP TABLE IF EXISTS same_build;"
                    "CREATE TABLE same_build(profile INTEGER, object TEXT)") != 0 ||
      workspace_run(workspace, error, one, a, a, b) != 0)
    return -1;
  return workspace_run(workspace, error, one, b, b, a);
}

static int match_by_all(struct workspace *workspace, enum compared_kind kind, size_t first,
                        size_t second, const struct way *ways, size_t count, struct error *error) {
  for (size_t i = 0; i < count; i++)
    if (match_by(workspace, kind, first, second, &ways[i], error) != 0) return -1;
  return 0;
}

static int match_functions(struct workspace *workspace, size_t first, size_t second,
                           struct error *error) {
  return match_by_all(workspace, ENTRY_FUNCTIONS, first, second, function_ways,
                      sizeof function_ways / sizeof *function_ways, error);
}

static int match_others(struct workspace *workspace, enum compared_kind kind, size_t first,
                        size_t second, struct error *error) {
  if (match_entries(workspace, ENTRY_FUNCTIONS, first, second, error) != 0 ||
      note_same_functions(workspace, first, second, error) != 0 ||
      (kind != ENTRY_ARCS && moved_lines_note(workspace, first, second, error) != 0))
    return -1;
  if (kind != ENTRY_SITES)
    return match_by(workspace, kind, first, second, &other_ways[kind], error);
  if (note_same_builds(workspace, first, second, error) != 0) return -1;
  return match_by_all(workspace, kind, first, second, site_ways,
                      sizeof site_ways / sizeof *site_ways, error);
}

static int matched(struct workspace *workspace, enum compared_kind kind, size_t first,
                   size_t second, bool *yes, struct error *error) {
  sqlite3_stmt *statement = NULL;
  if (workspace_run(workspace, error,
                    "CREATE TABLE IF NOT EXISTS pair(kind INTEGER, first INTEGER, second INTEGER,"
                    " a INTEGER, b INTEGER);"
                    "CREATE TABLE IF NOT EXISTS matched(kind INTEGER, first INTEGER,"
                    " second INTEGER);") != 0 ||
      workspace_prepare(workspace, &statement, error,
                        "SELECT count(*) FROM matched WHERE kind = %d AND first = %d"
                        " AND second = %d",
                        kind, (int)first, (int)second) != 0)
    return -1;
  int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : workspace_error(workspace, error);
  if (result == 0) *yes = sqlite3_column_int(statement, 0) > 0;
  sqlite3_finalize(statement);
  return result;
}

int match_entries(struct workspace *workspace, enum compared_kind kind, size_t first, size_t second,
                  struct error *error) {
  bool done;
  if (matched(workspace, kind, first, second, &done, error) != 0) return -1;
  if (done) return 0;
  if (entries_copy(workspace, first, kind, error) != 0 ||
      entries_copy(workspace, second, kind, error) != 0)
    return -1;
  int result = kind == ENTRY_FUNCTIONS ? match_functions(workspace, first, second, error)
                                       : match_others(workspace, kind, first, second, error);
  if (result != 0 || add_single(workspace, kind, first, second, error) != 0) return -1;
  return workspace_run(workspace, error, "INSERT INTO matched VALUES(%d, %d, %d)", kind, (int)first,
                       (int)second);
}
