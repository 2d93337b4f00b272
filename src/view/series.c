#include "view/series.h"

#include <string.h>

#include "report/sql_json.h"
#include "view/growing.h"

#define COSTLIEST                                                                                  \
  "(SELECT id FROM p1.functions ORDER BY coalesce(total_ns, self_ns) DESC, calls DESC LIMIT ?1)"

/* ?1 is the entry's id, or how many of all. */
static int prepare_runs(struct view *view, bool all, sqlite3_stmt **rows, struct error *error) {
  return workspace_prepare(
      &view->workspace, rows, error,
      "SELECT %sr.started_ns AS x, f.calls, f.self_ns, f.self_uncertainty_ns, f.total_ns,"
      " f.total_uncertainty_ns, r.id AS run FROM p1.run_functions f"
      " JOIN p1.runs r ON r.id = f.run WHERE f.function %s ORDER BY x, r.id",
      all ? "f.function AS id, " : "", all ? "IN " COSTLIEST : "= ?1");
}

/* The runs that are ranks of a job, and the whole of each. */
static int prepare_ranks(struct view *view, sqlite3_stmt **rows, struct error *error) {
  return workspace_prepare(&view->workspace, rows, error,
                           "SELECT id AS run, rank, host, calls, ticks, whole_ns AS self_ns,"
                           " user_ns + system_ns AS total_ns, user_ns, system_ns FROM p1.runs"
                           " WHERE rank IS NOT NULL AND ?1 IS NOT NULL ORDER BY rank, id");
}

/* What the figures of ranks are of: the first metric's name. */
static int write_metric(struct view *view, struct json *json, struct error *error) {
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(&view->workspace, &row, error,
                        "SELECT coalesce(max(name), '') FROM p1.metrics WHERE id = 1") != 0)
    return -1;
  int result = sqlite3_step(row) == SQLITE_ROW ? 0 : workspace_error(&view->workspace, error);
  if (result == 0) json_text(json, "metric", (const char *)sqlite3_column_text(row, 0));
  sqlite3_finalize(row);
  return result;
}

#define GROWTH_FIGURES                                                                             \
  "s.n AS x, e.calls, e.self / p.scale AS self_ns,"                                                \
  " e.self_uncertainty / p.scale AS self_uncertainty_ns, e.total / p.scale AS total_ns,"           \
  " e.total_uncertainty / p.scale AS total_uncertainty_ns FROM size s"                             \
  " JOIN profile p ON p.id = s.profile"

static int prepare_growth(struct view *view, bool all, sqlite3_stmt **rows, struct error *error) {
  if (growing_fill(view, ENTRY_FUNCTIONS, error) != 0) return -1;
  if (all)
    return workspace_prepare(
        &view->workspace, rows, error,
        "WITH same AS (SELECT 1 AS profile, id, id AS there FROM " COSTLIEST
        " UNION ALL SELECT second, a, b FROM pair WHERE kind = 0 AND first = 1 AND b IS NOT NULL"
        "  AND a IN " COSTLIEST ")"
        " SELECT m.id, " GROWTH_FIGURES " JOIN same m ON m.profile = s.profile"
        " JOIN entry e ON e.kind = 0 AND e.profile = s.profile AND e.id = m.there ORDER BY x");
  return workspace_prepare(
      &view->workspace, rows, error,
      "SELECT " GROWTH_FIGURES " JOIN entry e ON e.kind = 0 AND e.profile = s.profile AND e.id ="
      "  CASE s.profile WHEN 1 THEN ?1 ELSE (SELECT b FROM pair WHERE kind = e.kind AND first = 1"
      "   AND second = s.profile AND a = ?1) END"
      " ORDER BY x");
}

int series_answer(struct view *view, const struct parameters *parameters, FILE *out,
                  struct error *error) {
  const char *of = parameters_text(parameters, "of");
  bool growth = of && strcmp(of, "growth") == 0, ranks = of && strcmp(of, "ranks") == 0,
       all = !parameters_text(parameters, "id");
  sqlite3_stmt *rows = NULL;
  if (!of || (!growth && !ranks && strcmp(of, "runs") != 0))
    return error_set(error, "only series of runs, ranks and growth exist");
  if (growth  ? prepare_growth(view, all, &rows, error)
      : ranks ? prepare_ranks(view, &rows, error)
              : prepare_runs(view, all, &rows, error))
    return -1;
  sqlite3_bind_int64(rows, 1,
                     all ? parameters_number(parameters, "most", INT64_MAX, SERIES_MOST)
                         : parameters_number(parameters, "id", INT64_MAX, 0));
  struct json json = short_names_note(view, out);
  json_open(&json, NULL, '{');
  json_text(&json, "axis", growth ? "n" : ranks ? "rank" : "time");
  if (ranks && write_metric(view, &json, error) != 0) {
    sqlite3_finalize(rows);
    return -1;
  }
  int result =
      sql_json_table(&json, rows) == SQLITE_DONE ? 0 : workspace_error(&view->workspace, error);
  if (result == 0) short_names_write(&json);
  json_close(&json, '}');
  sqlite3_finalize(rows);
  return result;
}
