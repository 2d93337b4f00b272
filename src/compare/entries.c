#include "compare/entries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/schema.h"

const char *const entry_kind_names[ENTRY_KINDS] = {"functions",   "arcs",  "sites", "lines",
                                                   "expressions", "kinds", "places"};

bool entry_kind_named(const char *name, enum compared_kind *kind) {
  for (int i = 0; i < ENTRY_KINDS; i++)
    if (strcmp(entry_kind_names[i], name) == 0) return *kind = i, true;
  return false;
}

#define SCALE " * (SELECT scale FROM profile WHERE id = %1$d)"
#define NO_END "NULL AS end_line, NULL AS end_column, NULL AS way"
#define NO_RANGE "NULL AS source_column, " NO_END

/* Arcs have the number of their row.  What the ids must be stands where SQLite looks them up. */
static const char *const kind_sql[ENTRY_KINDS] = {
    "SELECT id, name, NULL AS caller_name, object, file, line, NULL AS caller, NULL AS callee,"
    " calls, recursive_calls, self_ticks AS ticks, total_ticks, self_ns" SCALE " AS self,"
    " total_ns" SCALE " AS total, self_uncertainty_ns" SCALE " AS self_uncertainty,"
    " total_uncertainty_ns" SCALE " AS total_uncertainty, source_column, " NO_END
    " FROM p%1$d.functions"
    " WHERE id%2$s",
    "SELECT a.rowid AS id, e.name, coalesce(c.name, '<spontaneous>') AS caller_name,"
    " NULL AS object, NULL AS file, NULL AS line, a.caller, a.callee, a.calls,"
    " NULL AS recursive_calls, NULL AS ticks, a.in_ticks AS total_ticks,"
    " a.in_self_ns" SCALE " AS self, (a.in_self_ns + a.in_child_ns)" SCALE " AS total,"
    " NULL AS self_uncertainty, " SCHEMA_UNCERTAINTY("a.in", "(a.in_self_ns + a.in_child_ns)") SCALE
    " AS total_uncertainty, " NO_RANGE
    " FROM p%1$d.raw_arcs a LEFT JOIN p%1$d.raw_functions c ON c.id = a.caller"
    " JOIN p%1$d.raw_functions e ON e.id = a.callee WHERE a.rowid%2$s",
    "SELECT id, callee_name AS name, caller_name, object, file, line, caller, callee, calls,"
    " NULL AS recursive_calls, NULL AS ticks, NULL AS total_ticks, NULL AS self, NULL AS total,"
    " NULL AS self_uncertainty, NULL AS total_uncertainty, source_column, " NO_END
    " FROM p%1$d.call_sites"
    " WHERE id%2$s",
    "SELECT l.id, f.name, NULL AS caller_name, NULL AS object, p.path AS file,"
    " nullif(l.line, 0) AS line, NULL AS caller, l.function AS callee, x.count AS calls,"
    " NULL AS recursive_calls, l.self_ticks AS ticks, l.total_ticks, l.self_ns" SCALE " AS self,"
    " l.total_ns" SCALE " AS total, " SCHEMA_UNCERTAINTY("l.self", "l.self_ns") SCALE
    " AS self_uncertainty, " SCHEMA_UNCERTAINTY("l.total", "l.total_ns") SCALE
    " AS total_uncertainty, " NO_RANGE
    " FROM p%1$d.raw_lines l JOIN p%1$d.raw_functions f ON f.id = l.function"
    " LEFT JOIN p%1$d.raw_files p ON p.id = l.file LEFT JOIN " ENTRY_EXECUTED " x"
    " ON x.file = l.file AND x.line = l.line AND x.function = l.function WHERE l.id%2$s"
    " UNION ALL SELECT -x.id, f.name, NULL, NULL, p.path, x.line, NULL, x.function, x.count, NULL,"
    " NULL, NULL, NULL, NULL, NULL, NULL, " NO_RANGE " FROM " ENTRY_EXECUTED
    " x JOIN p%1$d.raw_functions f ON f.id = x.function"
    " LEFT JOIN p%1$d.raw_files p ON p.id = x.file LEFT JOIN p%1$d.raw_lines l"
    " ON x.file = l.file AND x.line = l.line AND x.function = l.function"
    " WHERE l.id IS NULL AND -x.id%2$s",
    "SELECT id, function_name AS name, NULL AS caller_name, NULL AS object, file, line,"
    " NULL AS caller, function AS callee, count AS calls, NULL AS recursive_calls,"
    " self_ticks AS ticks, NULL AS total_ticks, self_ns" SCALE " AS self, NULL AS total,"
    " self_uncertainty_ns" SCALE " AS self_uncertainty, NULL AS total_uncertainty,"
    " source_column, end_line, end_column, iif(kind IN ('branch', 'loop'), kind || ' ' || way, "
    "iif(kind = 'case', label || iif(way, ' of switch ' || (way + 1), ''), kind)) AS way"
    " FROM p%1$d.expressions WHERE id%2$s",
    "SELECT id, iif(basis > 4," ENTRY_WAY_OF_KIND " || ' ' || name, coalesce(name, '" ENTRY_UNKNOWN
    "')) AS name, NULL AS caller_name, NULL AS object,"
    " NULL AS file, NULL AS line, NULL AS caller, NULL AS callee, calls, NULL AS recursive_calls,"
    " NULL AS ticks, NULL AS total_ticks, own" SCALE " AS self, NULL AS total,"
    " max(high - own, own - low)" SCALE " AS self_uncertainty, NULL AS total_uncertainty,"
    " NULL AS source_column, NULL AS end_line, NULL AS end_column," ENTRY_WAY_OF_KIND
    " AS way FROM " ENTRY_OF_KINDS " WHERE id%2$s",
    "SELECT k.id, f.name, NULL AS caller_name, NULL AS object, p.path AS file, k.line,"
    " NULL AS caller, k.function AS callee, k.calls, NULL AS recursive_calls, NULL AS ticks,"
    " NULL AS total_ticks, k.own" SCALE " AS self, NULL AS total,"
    " max(k.high - k.own, k.own - k.low)" SCALE " AS self_uncertainty,"
    " NULL AS total_uncertainty, " NO_RANGE " FROM " ENTRY_OF_PLACES " k"
    " JOIN p%1$d.raw_functions f ON f.id = k.function"
    " LEFT JOIN p%1$d.raw_files p ON p.id = k.file WHERE k.id%2$s"};

/* Room for the longest, with two times `which`. */
enum { ROWS_BYTES = 4096 };

static void write_rows(char rows[ROWS_BYTES], size_t profile, enum compared_kind kind,
                       const char *which) {
  snprintf(rows, ROWS_BYTES, kind_sql[kind], (int)profile, which ? which : " IS NOT NULL");
}

int entries_prepare(struct workspace *workspace, sqlite3_stmt **statement, size_t profile,
                    enum compared_kind kind, const char *columns, const char *rest,
                    struct error *error) {
  char rows[ROWS_BYTES];
  write_rows(rows, profile, kind, NULL);
  return workspace_prepare(workspace, statement, error, "SELECT %s FROM (%s) AS e %s", columns,
                           rows, rest);
}

/* The texts of lines, without reading all executions. */
static const char line_texts_sql[] =
    "SELECT f.name, NULL, NULL, p.path, nullif(l.line, 0), NULL, NULL FROM p%1$d.raw_lines l"
    " JOIN p%1$d.raw_functions f ON f.id = l.function LEFT JOIN p%1$d.raw_files p ON p.id = l.file"
    " WHERE l.id = ?1 UNION ALL SELECT f.name, NULL, NULL, p.path, x.line, NULL, NULL"
    " FROM p%1$d.raw_line_counts x JOIN p%1$d.raw_functions f ON f.id = x.function"
    " LEFT JOIN p%1$d.raw_files p ON p.id = x.file WHERE x.id = -?1";

int entry_texts_prepare(struct workspace *workspace, sqlite3_stmt **statement, size_t profile,
                        enum compared_kind kind, struct error *error) {
  char rows[ROWS_BYTES];
  if (kind == ENTRY_LINES) {
    snprintf(rows, sizeof rows, line_texts_sql, (int)profile);
    return workspace_prepare(workspace, statement, error, "%s", rows);
  }
  write_rows(rows, profile, kind, " = ?1");
  return workspace_prepare(workspace, statement, error,
                           "SELECT name, caller_name, object, file, line, source_column, way"
                           " FROM (%s)",
                           rows);
}

/* ---- as a table ---- */

int entries_table(struct workspace *workspace, const char *table, struct error *error) {
  return workspace_run(
      workspace, error,
      "CREATE TABLE IF NOT EXISTS %s(profile INTEGER, kind INTEGER, id INTEGER, name TEXT,"
      " caller_name TEXT, object TEXT, file TEXT, line INTEGER, caller INTEGER, callee INTEGER,"
      " calls REAL, recursive_calls REAL, ticks REAL, total_ticks REAL, self REAL, total REAL,"
      " self_uncertainty REAL, total_uncertainty REAL, source_column INTEGER, end_line INTEGER,"
      " end_column INTEGER, way TEXT, PRIMARY KEY(kind, profile, id)) WITHOUT ROWID",
      table);
}

int entries_put(struct workspace *workspace, const char *table, size_t profile,
                enum compared_kind kind, const char *which, struct error *error) {
  char rows[ROWS_BYTES];
  write_rows(rows, profile, kind, which);
  return workspace_run(workspace, error, "INSERT INTO %s SELECT %d, %d, e.* FROM (%s) AS e", table,
                       (int)profile, kind, rows);
}

static int copied(struct workspace *workspace, size_t profile, enum compared_kind kind, bool *yes,
                  struct error *error) {
  sqlite3_stmt *statement = NULL;
  if (workspace_prepare(workspace, &statement, error,
                        "SELECT count(*) FROM copied WHERE profile = %d AND kind = %d",
                        (int)profile, kind) != 0)
    return -1;
  int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : workspace_error(workspace, error);
  if (result == 0) *yes = sqlite3_column_int(statement, 0) > 0;
  sqlite3_finalize(statement);
  return result;
}

int entries_copy(struct workspace *workspace, size_t profile, enum compared_kind kind,
                 struct error *error) {
  bool done;
  if (entries_table(workspace, "entry", error) != 0 ||
      workspace_run(workspace, error,
                    "CREATE TABLE IF NOT EXISTS copied(profile INTEGER, kind INTEGER)") != 0 ||
      copied(workspace, profile, kind, &done, error) != 0)
    return -1;
  if (done) return 0;
  if (entries_put(workspace, "entry", profile, kind, NULL, error) != 0) return -1;
  return workspace_run(workspace, error, "INSERT INTO copied VALUES(%d, %d)", (int)profile, kind);
}

/* ---- figures in memory ---- */

static const char *const figure_names[ENTRY_FIGURES] = {
    [FIGURE_CALLS] = "calls",
    [FIGURE_RECURSIVE_CALLS] = "recursive_calls",
    [FIGURE_TICKS] = "ticks",
    [FIGURE_TOTAL_TICKS] = "total_ticks",
    [FIGURE_SELF] = "self",
    [FIGURE_TOTAL] = "total",
    [FIGURE_SELF_UNCERTAINTY] = "self_uncertainty",
    [FIGURE_TOTAL_UNCERTAINTY] = "total_uncertainty"};

static void take_row(struct entry_figures *figures, const bool *wanted, sqlite3_stmt *row) {
  int column = 0;
  ARRAY_GROW(figures->ids, figures->count);
  figures->ids[figures->count] = sqlite3_column_int64(row, column++);
  for (int i = 0; i < ENTRY_FIGURES; i++) {
    if (!wanted[i]) continue;
    bool known = sqlite3_column_type(row, column) != SQLITE_NULL;
    ARRAY_GROW(figures->of[i], figures->count);
    figures->of[i][figures->count] = known ? sqlite3_column_double(row, column) : NAN;
    column++;
  }
  figures->count++;
}

int entry_figures_read(struct workspace *workspace, size_t profile, enum compared_kind kind,
                       const bool wanted[ENTRY_FIGURES], struct entry_figures *figures,
                       struct error *error) {
  *figures = (struct entry_figures){0};
  sqlite3_stmt *rows = NULL;
  char columns[256] = "id";
  size_t used = strlen(columns);
  for (int i = 0; i < ENTRY_FIGURES; i++)
    if (wanted[i])
      used += (size_t)snprintf(columns + used, sizeof columns - used, ", %s", figure_names[i]);
  int step = SQLITE_DONE,
      result = entries_prepare(workspace, &rows, profile, kind, columns, "ORDER BY id", error);
  while (result == 0 && (step = sqlite3_step(rows)) == SQLITE_ROW)
    take_row(figures, wanted, rows);
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(workspace, error);
  sqlite3_finalize(rows);
  return result;
}

void entry_figures_free(struct entry_figures *figures) {
  free(figures->ids);
  for (int i = 0; i < ENTRY_FIGURES; i++)
    free(figures->of[i]);
  *figures = (struct entry_figures){0};
}
