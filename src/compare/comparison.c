#include "compare/comparison.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

const char comparison_columns[] =
    "calls, recursive_calls, self, total, child, ticks, total_ticks, share, total_share, whole,\n"
    "self_uncertainty, total_uncertainty, name, caller_name, object, file, line, source_column,\n"
    "way, present";

#include "compare/expression.h"

/* ---- the entries of both, side by side ---- */

/* What an entry that one profile lacks has there: nothing, of which as much is known as of the
 * other's. */
static const char side_sql[] =
    "DROP TABLE IF EXISTS %s_entry;"
    "CREATE TABLE %s_entry AS SELECT p.rowid AS pair, coalesce(e.name, o.name) AS name,"
    " coalesce(e.caller_name, o.caller_name) AS caller_name, coalesce(e.object, o.object) AS "
    "object,"
    " coalesce(e.file, o.file) AS file, coalesce(e.line, o.line) AS line,"
    " coalesce(e.source_column, o.source_column) AS source_column, coalesce(e.way, o.way) AS way,"
    " e.id IS NOT NULL AS present,"
    " iif(e.id IS NULL, iif(f.%s, o.calls * 0, NULL), e.calls) AS calls,"
    " iif(e.id IS NULL, iif(f.counts, o.recursive_calls * 0, NULL), e.recursive_calls)"
    "  AS recursive_calls,"
    " iif(e.id IS NULL, o.ticks * 0, e.ticks) AS ticks,"
    " iif(e.id IS NULL, o.total_ticks * 0, e.total_ticks) AS total_ticks,"
    " iif(e.id IS NULL, o.self * 0, e.self) AS self,"
    " iif(e.id IS NULL, o.total * 0, e.total) AS total,"
    " iif(e.id IS NULL, f.unseen, e.self_uncertainty) AS self_uncertainty,"
    " iif(e.id IS NULL, f.unseen, e.total_uncertainty) AS total_uncertainty,"
    " f.whole AS whole"
    " FROM pair p JOIN profile f ON f.id = %d"
    " LEFT JOIN entry e ON e.kind = p.kind AND e.profile = %d AND e.id = p.%s"
    " LEFT JOIN entry o ON o.kind = p.kind AND o.profile = %d AND o.id = p.%s"
    " WHERE p.kind = %d AND p.first = %d AND p.second = %d ORDER BY p.rowid;"
    "CREATE UNIQUE INDEX %s_entry_pair ON %s_entry(pair);";

static int lay_side(struct workspace *workspace, const struct comparison *comparison, bool second,
                    struct error *error) {
  const char *own = second ? "b" : "a", *other = second ? "a" : "b";
  int first = (int)comparison->first, last = (int)comparison->second;
  int here = second ? last : first, there = second ? first : last;
  const char *counted = comparison->kind == ENTRY_EXPRESSIONS || comparison->kind == ENTRY_LINES
                            ? "executions"
                            : "counts";
  return workspace_run(workspace, error, side_sql, own, own, counted, here, here, own, there, other,
                       comparison->kind, first, last, own, own);
}

/* Ways to move the figures: by how many uncertainties each, and a factor for all. */
enum {
  AS_IT_IS,
  SINGLE_UP,                         /* one figure at a time... */
  SINGLES = 4,                       /* a.self, b.self, a.total, b.total */
  SINGLE_DOWN = SINGLE_UP + SINGLES, /* ...and the other way */
  DOUBLED = SINGLE_DOWN + SINGLES,
  CORNERS, /* all of a's and all of b's figures together */
  VARIANTS = CORNERS + 4
};

static const char variants_sql[] =
    "DROP TABLE IF EXISTS variant;"
    "CREATE TABLE variant(id INTEGER PRIMARY KEY, a_self INTEGER, b_self INTEGER,"
    " a_total INTEGER, b_total INTEGER, factor INTEGER);"
    "INSERT INTO variant VALUES(0, 0, 0, 0, 0, 1),"
    " (1, 1, 0, 0, 0, 1), (2, 0, 1, 0, 0, 1), (3, 0, 0, 1, 0, 1), (4, 0, 0, 0, 1, 1),"
    " (5, -1, 0, 0, 0, 1), (6, 0, -1, 0, 0, 1), (7, 0, 0, -1, 0, 1), (8, 0, 0, 0, -1, 1),"
    " (9, 0, 0, 0, 0, 2),"
    " (10, 1, 1, 1, 1, 1), (11, 1, -1, 1, -1, 1), (12, -1, 1, -1, 1, 1), (13, -1, -1, -1, -1, 1);";

#define MOVED(side, figure)                                                                        \
  "iif(v." side "_" figure " = 0, t." figure ", max(0.0, t." figure " + v." side "_" figure        \
  " * t." figure "_uncertainty)) * v.factor"

#define AS_THEY_ARE                                                                                \
  "t.pair, v.id AS variant, t.name, t.caller_name, t.object, t.file, t.line, t.source_column,"     \
  " t.way, t.present"
#define AMOUNTS                                                                                    \
  "t.calls * v.factor AS calls, t.recursive_calls * v.factor AS recursive_calls,"                  \
  " t.ticks * v.factor AS ticks, t.total_ticks * v.factor AS total_ticks,"                         \
  " t.whole * v.factor AS whole, t.self_uncertainty * v.factor AS self_uncertainty,"               \
  " t.total_uncertainty * v.factor AS total_uncertainty"
#define WHOLE " / (t.whole * v.factor)"

/* clang-format off */
#define SIDE(side)                                                                                 \
  "(SELECT " AS_THEY_ARE ", " AMOUNTS ", "                                                         \
  MOVED(side, "self") " AS self, " MOVED(side, "total") " AS total, "                              \
  MOVED(side, "total") " - " MOVED(side, "self") " AS child, ("                                    \
  MOVED(side, "self") ")" WHOLE " AS share, (" MOVED(side, "total") ")" WHOLE " AS total_share"    \
  " FROM " side "_entry t CROSS JOIN variant v) AS " side
/* clang-format on */

static const char values_sql[] =
    "SELECT p.pair, v.id, (%s\n), (%s\n) FROM a_entry p CROSS JOIN variant v"
    " CROSS JOIN " SIDE("a") " CROSS JOIN " SIDE(
        "b") " WHERE a.pair = p.pair AND a.variant = v.id AND b.pair = p.pair AND b.variant = v.id"
             " ORDER BY p.pair, v.id";

static int prepare_values(struct workspace *workspace, const struct comparison *comparison,
                          sqlite3_stmt **statement, struct error *error) {
  const char *expression = comparison->expression ? comparison->expression : "b.self - a.self";
  const char *condition = comparison->fail_if ? comparison->fail_if : "0";
  struct error reason;
  if (expression_check(expression, &reason) != 0)
    return error_set(error, "%.200s: %s", expression, reason.text);
  if (expression_check(condition, &reason) != 0)
    return error_set(error, "%.200s: %s", condition, reason.text);
  expression_begin(workspace);
  int result = workspace_prepare(workspace, statement, &reason, values_sql, expression, condition);
  expression_end(workspace);
  if (result != 0)
    return error_set(error, "%.200s%s%.200s: %s", expression, comparison->fail_if ? ", " : "",
                     comparison->fail_if ? comparison->fail_if : "", reason.text);
  if (sqlite3_column_count(*statement) == 4) return 0;
  return error_set(error, "%.200s: one expression only, not several", expression);
}

/* ---- one pair ---- */

struct values {
  int64_t pair;
  bool known[VARIANTS];
  double value[VARIANTS];
  bool fails, judged;
};

/* The squares of how far the figure's two moves go below and above. False: its uncertainty
 * matters, and is not known. */
static bool add_move(const struct values *values, int figure, double *below, double *above) {
  double here = values->value[AS_IT_IS], least = here, most = here;
  int known = 0;
  for (int way = SINGLE_UP; way <= SINGLE_DOWN; way += SINGLE_DOWN - SINGLE_UP) {
    if (!values->known[way + figure]) continue;
    least = fmin(least, values->value[way + figure]);
    most = fmax(most, values->value[way + figure]);
    known++;
  }
  *below += (here - least) * (here - least);
  *above += (most - here) * (most - here);
  return known > 0;
}

static bool interval_of(const struct values *values, double *low, double *high) {
  double below = 0, above = 0;
  for (int figure = 0; figure < SINGLES; figure++)
    if (!add_move(values, figure, &below, &above)) return false;
  *low = values->value[AS_IT_IS] - sqrt(below);
  *high = values->value[AS_IT_IS] + sqrt(above);
  return true;
}

static int put_values(struct workspace *workspace, sqlite3_stmt *insert,
                      const struct values *values, struct error *error) {
  double low, high;
  bool known = values->known[AS_IT_IS], sure = known && interval_of(values, &low, &high);
  sqlite3_bind_int64(insert, 1, values->pair);
  if (known) sqlite3_bind_double(insert, 2, values->value[AS_IT_IS]);
  if (sure) {
    sqlite3_bind_double(insert, 3, low);
    sqlite3_bind_double(insert, 4, high);
  }
  if (values->judged) sqlite3_bind_int(insert, 5, values->fails);
  int result = sqlite3_step(insert) == SQLITE_DONE ? 0 : workspace_error(workspace, error);
  sqlite3_reset(insert);
  sqlite3_clear_bindings(insert);
  return result;
}

/* ---- all pairs ---- */

static void take_value(sqlite3_stmt *row, struct values *values) {
  int variant = sqlite3_column_int(row, 1), type = sqlite3_column_type(row, 2);
  bool number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
  if (variant < 0 || variant >= VARIANTS) return;
  values->value[variant] = sqlite3_column_double(row, 2);
  values->known[variant] = number && isfinite(values->value[variant]);
  if (variant == AS_IT_IS) values->judged = sqlite3_column_type(row, 3) != SQLITE_NULL;
  if ((variant == AS_IT_IS || variant >= CORNERS) && sqlite3_column_double(row, 3) == 0)
    values->fails = false;
}

/* What doubling everything did to values that are not 0, which tells nothing. */
struct doubling {
  bool kept, changed;
};

static void note_doubling(const struct values *values, struct doubling *doubling) {
  double here = values->value[AS_IT_IS];
  if (!values->known[AS_IT_IS] || !values->known[DOUBLED] || here == 0) return;
  bool kept = fabs(values->value[DOUBLED] - here) <= 1e-9 * fabs(here);
  doubling->kept |= kept;
  doubling->changed |= !kept;
}

static int take_pairs(struct workspace *workspace, sqlite3_stmt *rows, sqlite3_stmt *insert,
                      bool *ratio, struct error *error) {
  struct values values = {.pair = -1};
  int step, result = 0;
  struct doubling doubling = {0};
  while (result == 0 && (step = sqlite3_step(rows)) == SQLITE_ROW) {
    if (sqlite3_column_int64(rows, 0) != values.pair)
      values = (struct values){.pair = sqlite3_column_int64(rows, 0), .fails = true};
    take_value(rows, &values);
    if (sqlite3_column_int(rows, 1) != VARIANTS - 1) continue;
    note_doubling(&values, &doubling);
    result = put_values(workspace, insert, &values, error);
  }
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(workspace, error);
  *ratio = doubling.kept && !doubling.changed;
  return result;
}

static int fill(struct workspace *workspace, const struct comparison *comparison, bool *ratio,
                struct error *error) {
  sqlite3_stmt *rows = NULL, *insert = NULL;
  int result = prepare_values(workspace, comparison, &rows, error);
  if (result == 0)
    result = workspace_prepare(workspace, &insert, error,
                               "INSERT INTO compared SELECT a, b, ?2, ?3, ?4, NULL, ?5 FROM pair"
                               " WHERE rowid = ?1");
  if (result == 0) result = workspace_run(workspace, error, "BEGIN");
  if (result == 0) {
    result = take_pairs(workspace, rows, insert, ratio, error);
    sqlite3_reset(rows);
    sqlite3_exec(workspace->database, result == 0 ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
  }
  sqlite3_finalize(rows);
  sqlite3_finalize(insert);
  return result;
}

int comparison_run(struct workspace *workspace, const struct comparison *comparison,
                   struct error *error) {
  bool ratio;
  if (match_entries(workspace, comparison->kind, comparison->first, comparison->second, error) !=
          0 ||
      lay_side(workspace, comparison, false, error) != 0 ||
      lay_side(workspace, comparison, true, error) != 0 ||
      workspace_run(workspace, error, "%s", variants_sql) != 0 ||
      workspace_run(workspace, error,
                    "DROP TABLE IF EXISTS compared;"
                    "CREATE TABLE compared(a INTEGER, b INTEGER, value REAL, low REAL, high REAL,"
                    " stands_out INTEGER, failed INTEGER);"
                    "DROP TABLE IF EXISTS comparing; CREATE TABLE comparing(neutral REAL);") != 0 ||
      fill(workspace, comparison, &ratio, error) != 0)
    return -1;
  double neutral = isnan(comparison->neutral) ? ratio : comparison->neutral;
  return workspace_run(workspace, error,
                       "INSERT INTO comparing VALUES(%.17g);"
                       "UPDATE compared SET stands_out = low > %.17g OR high < %.17g"
                       " OR (low = high AND value <> %.17g) WHERE low IS NOT NULL;",
                       neutral, neutral, neutral, neutral);
}
