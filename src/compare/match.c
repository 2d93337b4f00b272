#include "compare/match.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/base_name.h"
#include "base/memory.h"
#include "compare/match_keys.h"
#include "compare/moved_lines.h"

/* One way to tell that functions or expressions are the same: an SQL expression over `entry` e
 * (NULL: that one cannot be told so), and whether it must tell them from all others. */
struct match_rule {
  const char *key;
  bool alone;
};

#define APART " || char(31) || "
#define FILE_NAME "coalesce(base_name(e.file), '')"
#define OBJECT_NAME "coalesce(base_name(e.object), '')"

/* What note_builds has of a function; `elsewhere` is '' where its object's build is not in both. */
#define TOLD(what) "(SELECT " what " FROM told_function WHERE profile = e.profile AND id = e.id)"
#define LINKAGE "coalesce(" TOLD("linkage") ", '')"
#define ELSEWHERE TOLD("iif(build IS NULL, '', NULL)")

static const struct match_rule function_rules[] = {
    {TOLD("build") APART LINKAGE APART "e.name" APART "coalesce(e.file, '')" APART
                                       "coalesce(e.line, 0)",
     false},
    {TOLD("build") APART TOLD("linkage"), true},
    {TOLD("iif(named, NULL, build)") APART "e.name" APART "coalesce(e.file, '')", false},
    {TOLD("iif(named, NULL, build)") APART "e.name", true},
    {ELSEWHERE APART TOLD("linkage") APART "e.name" APART "coalesce(e.file, '')" APART
                                           "coalesce(e.object, '')",
     false},
    {ELSEWHERE APART "e.name" APART "coalesce(e.file, '')" APART "coalesce(e.object, '')", false},
    {ELSEWHERE APART "e.name" APART FILE_NAME APART OBJECT_NAME, false},
    {ELSEWHERE APART "e.name" APART "coalesce(e.file, '')", false},
    {ELSEWHERE APART "e.name", true},
};

/* `same` says by which number both profiles know a function. */
#define SAME_CALLEE "(SELECT number FROM same WHERE profile = e.profile AND id = e.callee)"

/* Where a line and a column of it stand in the other profile's text (moved_lines.h). */
#define OF_LINE(what, line)                                                                        \
  "(SELECT " what " FROM moved WHERE profile = e.profile AND file = e.file AND line = e." line ")"
#define LINE_NOW(line) "coalesce(" OF_LINE("now", line) ", e." line ", 0)"
#define COLUMN_NOW(column, line)                                                                   \
  "coalesce(e." column " + coalesce(" OF_LINE("shift", line) ", 0), 0)"

static const struct match_rule expression_rules[] = {
    {SAME_CALLEE APART FILE_NAME APART LINE_NOW("line") APART COLUMN_NOW("source_column", "line")
         APART LINE_NOW("end_line") APART COLUMN_NOW("end_column", "end_line") APART "e.way",
     false},
};

static const struct match_rule memory_rules[] = {{"e.name" APART "e.way", false}};

/* Lists the functions of one profile: the linkage name without what a copy adds to it; the
 * build-id of their object if the other profile has it too (then they match functions of that
 * object only); and whether both have linkage names in it. */
static int note_builds(struct workspace *workspace, size_t profile, size_t other,
                       struct error *error) {
  int own = (int)profile, its = (int)other;
  return workspace_run(
      workspace, error,
      "CREATE TABLE IF NOT EXISTS told_function(profile INTEGER, id INTEGER, linkage TEXT,"
      " build TEXT, named INTEGER, PRIMARY KEY(profile, id)) WITHOUT ROWID;"
      "DELETE FROM told_function WHERE profile = %d;"
      "WITH named(build) AS (SELECT o.build_id FROM p%d.raw_functions f JOIN p%d.raw_objects o"
      " ON o.id = f.object WHERE f.linkage IS NOT NULL INTERSECT"
      " SELECT o.build_id FROM p%d.raw_functions f JOIN p%d.raw_objects o"
      " ON o.id = f.object WHERE f.linkage IS NOT NULL)"
      "INSERT INTO told_function SELECT %d, f.id,"
      " iif(instr(f.linkage, '.') > 1, substr(f.linkage, 1, instr(f.linkage, '.') - 1), f.linkage),"
      " (SELECT min(t.build_id) FROM p%d.raw_objects t WHERE t.build_id = o.build_id"
      "  AND t.build_id <> ''), o.build_id IN (SELECT build FROM named)"
      " FROM p%d.raw_functions f LEFT JOIN p%d.raw_objects o ON o.id = f.object;",
      own, own, own, its, its, own, its, own, own);
}

static int match_by(struct workspace *workspace, enum compared_kind kind, size_t first,
                    size_t second, const struct match_rule *rule, struct error *error) {
  int a = (int)first, b = (int)second;
  static const char one[] =
      "SELECT key, id, row_number() OVER w AS rank, count(*) OVER (PARTITION BY key) AS n FROM"
      " (SELECT %s AS key, e.id, e.line, e.source_column FROM entry e WHERE e.kind = %d AND "
      "e.profile = %d"
      "  AND e.id NOT IN (SELECT %s FROM pair WHERE kind = %d AND first = %d AND second = %d"
      "   AND %s IS NOT NULL)) WINDOW w AS (PARTITION BY key ORDER BY line, source_column, id)";
  char *x = sqlite3_mprintf(one, rule->key, kind, a, "a", kind, a, b, "a");
  char *y = sqlite3_mprintf(one, rule->key, kind, b, "b", kind, a, b, "b");
  int result = x && y ? workspace_run(workspace, error,
                                      "DROP TABLE IF EXISTS left_a; DROP TABLE IF EXISTS left_b;"
                                      "CREATE TABLE left_a AS %s; CREATE TABLE left_b AS %s;"
                                      "CREATE INDEX left_b_key ON left_b(key, rank);"
                                      "INSERT INTO pair SELECT %d, %d, %d, x.id, y.id"
                                      " FROM left_a x JOIN left_b y ON y.key = x.key"
                                      " AND y.rank = x.rank WHERE %d = 0 OR (x.n = 1 AND y.n = 1);"
                                      "DROP TABLE left_a; DROP TABLE left_b;",
                                      x, y, kind, a, b, rule->alone)
                      : error_set(error, "out of memory");
  sqlite3_free(x);
  sqlite3_free(y);
  return result;
}

/* What has no partner, of the entries e that the condition holds for. */
static int add_single(struct workspace *workspace, enum compared_kind kind, size_t first,
                      size_t second, const char *condition, struct error *error) {
  int a = (int)first, b = (int)second;
  return workspace_run(
      workspace, error,
      "INSERT INTO pair SELECT %d, %d, %d, id, NULL FROM entry e WHERE kind = %d AND profile = %d"
      " AND %s AND id NOT IN (SELECT a FROM pair WHERE kind = %d AND first = %d AND second = %d"
      "  AND a IS NOT NULL);"
      "INSERT INTO pair SELECT %d, %d, %d, NULL, id FROM entry e WHERE kind = %d AND profile = %d"
      " AND %s AND id NOT IN (SELECT b FROM pair WHERE kind = %d AND first = %d AND second = %d"
      "  AND b IS NOT NULL);",
      kind, a, b, kind, a, condition, kind, a, b, kind, a, b, kind, b, condition, kind, a, b);
}

/* Functions of worlds: several often have one name (loops), or none. */
static const struct match_rule by_place = {
    "iif(e.source_column IS NULL, NULL, e.name" APART FILE_NAME APART OBJECT_NAME APART LINE_NOW(
        "line") APART COLUMN_NOW("source_column", "line") ")",
    false};

/* Its line is the same in both texts. */
#define IS_KEPT                                                                                    \
  "e.source_column IS NOT NULL"                                                                    \
  " AND EXISTS (SELECT 1 FROM told WHERE profile = e.profile AND file = e.file)"                   \
  " AND NOT EXISTS (SELECT 1 FROM edited WHERE profile = e.profile AND file = e.file"              \
  "  AND line = e.line)"

/* Where columns are known, functions are told by their places; those that have no partner at a line
 * that both texts have stand alone. */
static int match_by_place(struct workspace *workspace, size_t first, size_t second,
                          struct error *error) {
  sqlite3_stmt *statement = NULL;
  if (workspace_prepare(workspace, &statement, error,
                        "SELECT EXISTS (SELECT 1 FROM entry WHERE kind = %d"
                        " AND source_column IS NOT NULL)",
                        ENTRY_FUNCTIONS) != 0)
    return -1;
  bool any = sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  if (!any) return 0;
  if (moved_lines_note(workspace, first, second, error) != 0 ||
      match_by(workspace, ENTRY_FUNCTIONS, first, second, &by_place, error) != 0)
    return -1;
  return add_single(workspace, ENTRY_FUNCTIONS, first, second, IS_KEPT, error);
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

static int match_by_all(struct workspace *workspace, enum compared_kind kind, size_t first,
                        size_t second, const struct match_rule *rules, size_t count,
                        struct error *error) {
  for (size_t i = 0; i < count; i++)
    if (match_by(workspace, kind, first, second, &rules[i], error) != 0) return -1;
  return add_single(workspace, kind, first, second, "1", error);
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

static const struct match_rule *rules_of(enum compared_kind kind, size_t *count) {
  *count = kind == ENTRY_FUNCTIONS ? sizeof function_rules / sizeof *function_rules : 1;
  if (kind == ENTRY_MEMORY) return memory_rules;
  return kind == ENTRY_FUNCTIONS ? function_rules : expression_rules;
}

static bool is_matched_in_table(enum compared_kind kind) {
  return kind == ENTRY_FUNCTIONS || kind == ENTRY_EXPRESSIONS || kind == ENTRY_MEMORY;
}

/* In SQL; the pairs stay in the table. */
static int match_in_table(struct workspace *workspace, enum compared_kind kind, size_t first,
                          size_t second, struct error *error) {
  size_t count;
  const struct match_rule *rules = rules_of(kind, &count);
  bool done;
  if (matched(workspace, kind, first, second, &done, error) != 0) return -1;
  if (done) return 0;
  if (entries_copy(workspace, first, kind, error) != 0 ||
      entries_copy(workspace, second, kind, error) != 0 ||
      (kind == ENTRY_FUNCTIONS && (note_builds(workspace, first, second, error) != 0 ||
                                   note_builds(workspace, second, first, error) != 0 ||
                                   match_by_place(workspace, first, second, error) != 0)) ||
      (kind == ENTRY_EXPRESSIONS && note_same_functions(workspace, first, second, error) != 0) ||
      match_by_all(workspace, kind, first, second, rules, count, error) != 0)
    return -1;
  return workspace_run(workspace, error, "INSERT INTO matched VALUES(%d, %d, %d)", kind, (int)first,
                       (int)second);
}

/* ---- pairs ---- */

static int64_t id_in(sqlite3_stmt *row, int column) {
  return sqlite3_column_type(row, column) == SQLITE_NULL ? ENTRY_NONE
                                                         : sqlite3_column_int64(row, column);
}

static int read_pairs(struct workspace *workspace, enum compared_kind kind, size_t first,
                      size_t second, struct entry_pairs *pairs, struct error *error) {
  sqlite3_stmt *rows = NULL;
  int step = SQLITE_DONE,
      result = workspace_prepare(workspace, &rows, error,
                                 "SELECT a, b FROM pair WHERE kind = %d AND first = %d"
                                 " AND second = %d",
                                 kind, (int)first, (int)second);
  while (result == 0 && (step = sqlite3_step(rows)) == SQLITE_ROW) {
    ARRAY_GROW(pairs->items, pairs->count);
    pairs->items[pairs->count++] = (struct entry_pair){id_in(rows, 0), id_in(rows, 1)};
  }
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(workspace, error);
  sqlite3_finalize(rows);
  return result;
}

static int in_order(const void *x, const void *y) {
  const struct entry_pair *p = x, *q = y;
  if ((p->a == ENTRY_NONE) != (q->a == ENTRY_NONE)) return p->a == ENTRY_NONE ? 1 : -1;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

int match_entries(struct workspace *workspace, enum compared_kind kind, size_t first, size_t second,
                  struct entry_pairs *pairs, struct error *error) {
  *pairs = (struct entry_pairs){0};
  bool texts = kind != ENTRY_FUNCTIONS && kind != ENTRY_ARCS && kind != ENTRY_MEMORY;
  if (match_in_table(workspace, ENTRY_FUNCTIONS, first, second, error) != 0 ||
      (texts && moved_lines_note(workspace, first, second, error) != 0))
    return -1;
  int result = 0;
  if (kind != ENTRY_FUNCTIONS && is_matched_in_table(kind))
    result = match_in_table(workspace, kind, first, second, error);
  if (result == 0)
    result = is_matched_in_table(kind)
                 ? read_pairs(workspace, kind, first, second, pairs, error)
                 : match_by_keys(workspace, kind, first, second, pairs, error);
  if (result == 0 && pairs->count)
    qsort(pairs->items, pairs->count, sizeof *pairs->items, in_order);
  return result;
}

void entry_pairs_free(struct entry_pairs *pairs) {
  free(pairs->items);
  *pairs = (struct entry_pairs){0};
}
