#include "compare/entries.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *const entry_kind_names[ENTRY_KINDS] = {"functions", "arcs", "sites", "lines",
                                                   "expressions"};

bool entry_kind_named(const char *name, enum compared_kind *kind) {
  for (int i = 0; i < ENTRY_KINDS; i++)
    if (strcmp(entry_kind_names[i], name) == 0) return *kind = i, true;
  return false;
}

#define NO_RANGE "NULL, NULL, NULL, NULL"

/* Arcs have the number of their row. */
static const char *const kind_sql[ENTRY_KINDS] = {
    "SELECT id, name, NULL, object, file, line, NULL, NULL, calls, recursive_calls, self_ticks,"
    " total_ticks, self_ns, total_ns, self_uncertainty_ns, total_uncertainty_ns, " NO_RANGE ", NULL"
    " FROM p%1$d.functions",
    "SELECT a.rowid, e.name, coalesce(c.name, '<spontaneous>'), NULL, NULL, NULL, a.caller,"
    " a.callee, a.calls, NULL, NULL, a.in_ticks, a.in_self_ns, a.in_self_ns + a.in_child_ns, NULL,"
    " a.in_uncertainty_ns, " NO_RANGE ", NULL"
    " FROM p%1$d.raw_arcs a LEFT JOIN p%1$d.raw_functions c ON c.id = a.caller"
    " JOIN p%1$d.raw_functions e ON e.id = a.callee",
    "SELECT s.id, s.callee_name, s.caller_name, s.object, s.file, s.line, s.caller, s.callee,"
    " s.calls, NULL, NULL, NULL, NULL, NULL, NULL, NULL, " NO_RANGE ","
    " nullif(o.build_id, '') || '+' || s.offset"
    " FROM p%1$d.call_sites s LEFT JOIN p%1$d.raw_sites r ON r.id = s.id"
    " LEFT JOIN p%1$d.raw_objects o ON o.id = r.object",
    "WITH executed AS (SELECT min(id) AS id, file, line, function, max(count) AS count"
    " FROM p%1$d.raw_expressions WHERE kind < 3 GROUP BY file, line, function)"
    " SELECT l.id, f.name, NULL, NULL, p.path, nullif(l.line, 0), NULL, l.function, x.count, NULL,"
    " l.self_ticks, l.total_ticks, l.self_ns, l.total_ns, l.self_uncertainty_ns,"
    " l.total_uncertainty_ns, " NO_RANGE ", NULL"
    " FROM p%1$d.raw_lines l JOIN p%1$d.raw_functions f ON f.id = l.function"
    " LEFT JOIN p%1$d.raw_files p ON p.id = l.file LEFT JOIN executed x"
    " ON x.file = l.file AND x.line = l.line AND x.function = l.function"
    " UNION ALL SELECT -x.id, f.name, NULL, NULL, p.path, x.line, NULL, x.function, x.count, NULL,"
    " NULL, NULL, NULL, NULL, NULL, NULL, " NO_RANGE ", NULL"
    " FROM executed x JOIN p%1$d.raw_functions f ON f.id = x.function"
    " LEFT JOIN p%1$d.raw_files p ON p.id = x.file LEFT JOIN p%1$d.raw_lines l"
    " ON x.file = l.file AND x.line = l.line AND x.function = l.function WHERE l.id IS NULL",
    "SELECT id, function_name, NULL, NULL, file, line, NULL, function, count, NULL, self_ticks,"
    " NULL, self_ns, NULL, self_uncertainty_ns, NULL, source_column, end_line, end_column,"
    " iif(kind IN ('branch', 'loop'), kind || ' ' || way, kind), NULL FROM p%1$d.expressions"};

static int begin(struct workspace *workspace, struct error *error) {
  return workspace_run(
      workspace, error,
      "CREATE TABLE IF NOT EXISTS entry(profile INTEGER, kind INTEGER, id INTEGER, name TEXT,"
      " caller_name TEXT, object TEXT, file TEXT, line INTEGER, caller INTEGER, callee INTEGER,"
      " calls REAL, recursive_calls REAL, ticks REAL, total_ticks REAL, self REAL, total REAL,"
      " self_uncertainty REAL, total_uncertainty REAL, source_column INTEGER, end_line INTEGER,"
      " end_column INTEGER, way TEXT, code TEXT, PRIMARY KEY(kind, profile, id))"
      " WITHOUT ROWID;"
      "CREATE TABLE IF NOT EXISTS copied(profile INTEGER, kind INTEGER);");
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
  if (begin(workspace, error) != 0 || copied(workspace, profile, kind, &done, error) != 0)
    return -1;
  if (done) return 0;
  char rows[2048];
  snprintf(rows, sizeof rows, kind_sql[kind], (int)profile);
  int result = workspace_run(workspace, error,
                             "INSERT INTO entry SELECT %d, %d, r.* FROM (%s) r;"
                             "UPDATE entry SET self = self * p.scale, total = total * p.scale,"
                             " self_uncertainty = self_uncertainty * p.scale,"
                             " total_uncertainty = total_uncertainty * p.scale"
                             " FROM profile p WHERE p.id = entry.profile AND entry.profile = %d"
                             " AND entry.kind = %d;"
                             "INSERT INTO copied VALUES(%d, %d);",
                             (int)profile, kind, rows, (int)profile, kind, (int)profile, kind);
  return result;
}
