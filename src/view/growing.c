#include "view/growing.h"

#include <math.h>

#include "compare/growth_table.h"

enum { WHOLE = -1 };

static int begin(struct view *view, struct error *error) {
  return workspace_run(
      &view->workspace, error,
      "CREATE TABLE IF NOT EXISTS growth(kind INTEGER, id INTEGER, calls_exponent REAL,"
      " calls_exponent_uncertainty REAL, calls_faster INTEGER, self_exponent REAL,"
      " self_exponent_uncertainty REAL, self_faster INTEGER, total_exponent REAL,"
      " total_exponent_uncertainty REAL, total_faster INTEGER, PRIMARY KEY(kind, id))"
      " WITHOUT ROWID");
}

static int put_sizes(struct view *view, struct error *error) {
  if (workspace_run(&view->workspace, error,
                    "CREATE TABLE IF NOT EXISTS size(profile INTEGER PRIMARY KEY, n REAL)") != 0)
    return -1;
  for (size_t i = 0; i < view->workspace.count; i++)
    if (workspace_run(&view->workspace, error, "INSERT OR REPLACE INTO size VALUES(%d, %.17g)",
                      (int)i + 1, view->n[i]) != 0)
      return -1;
  return 0;
}

static int put_row(struct view *view, sqlite3_stmt *insert, int kind, int64_t id,
                   const struct growth *growth, const bool *faster, struct error *error) {
  sqlite3_clear_bindings(insert);
  sqlite3_bind_int(insert, 1, kind);
  sqlite3_bind_int64(insert, 2, id);
  for (int figure = 0; figure < GROWTH_FIGURES; figure++) {
    const struct growth *own = &growth[figure];
    if (!own->points) continue;
    sqlite3_bind_double(insert, 3 + 3 * figure, own->exponent);
    if (isfinite(own->uncertainty)) sqlite3_bind_double(insert, 4 + 3 * figure, own->uncertainty);
    if (faster) sqlite3_bind_int(insert, 5 + 3 * figure, faster[figure]);
  }
  int result = sqlite3_step(insert) == SQLITE_DONE ? 0 : workspace_error(&view->workspace, error);
  sqlite3_reset(insert);
  return result;
}

static int put_table(struct view *view, enum compared_kind kind, const struct growth_table *table,
                     struct error *error) {
  sqlite3_stmt *insert = NULL;
  if (begin(view, error) != 0 || put_sizes(view, error) != 0 ||
      workspace_prepare(&view->workspace, &insert, error,
                        "INSERT OR REPLACE INTO growth VALUES(?,?,?,?,?,?,?,?,?,?,?)") != 0)
    return -1;
  int result = put_row(view, insert, WHOLE, 0, table->whole, NULL, error);
  for (size_t i = 0; result == 0 && i < table->count; i++)
    result = put_row(view, insert, kind, table->rows[i].id, table->rows[i].growth,
                     table->rows[i].faster, error);
  sqlite3_finalize(insert);
  return result;
}

int growing_fill(struct view *view, enum compared_kind kind, struct error *error) {
  struct growth_table table = {0};
  if (view->n[0] == 0)
    return error_set(error, "the profiles have no sizes: name them as n=SIZE:FILE");
  if (view->grown[kind]) return 0;
  int result =
      growth_table_make(&view->workspace, kind, view->n, view->workspace.count, &table, error);
  if (result == 0) result = put_table(view, kind, &table, error);
  growth_table_free(&table);
  view->grown[kind] = result == 0;
  return result;
}
