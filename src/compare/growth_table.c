#include "compare/growth_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/ids.h"
#include "compare/match.h"

/* points[(row * GROWTH_FIGURES + figure) * runs + run] */
struct work {
  struct workspace *workspace;
  enum compared_kind kind;
  const double *n;
  size_t runs;
  struct growth_table *table;
  struct growth_point *points;
  struct error *error;
};

static struct growth_point *points_of(const struct work *work, size_t row, int figure) {
  return work->points + (row * GROWTH_FIGURES + figure) * work->runs;
}

/* NaN: not known. */
static double number(sqlite3_stmt *row, int column) {
  return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN : sqlite3_column_double(row, column);
}

static char *copy_text(sqlite3_stmt *statement, int column) {
  const char *text = (const char *)sqlite3_column_text(statement, column);
  return text ? memory_text(text) : NULL;
}

/* ---- the entries of the largest run ---- */

static int count_rows(const struct work *work, size_t *count) {
  sqlite3_stmt *statement = NULL;
  if (workspace_prepare(work->workspace, &statement, work->error,
                        "SELECT count(*) FROM entry WHERE kind = %d AND profile = %d", work->kind,
                        (int)work->table->largest) != 0)
    return -1;
  int result =
      sqlite3_step(statement) == SQLITE_ROW ? 0 : workspace_error(work->workspace, work->error);
  if (result == 0) *count = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return result;
}

static int take_rows(const struct work *work, sqlite3_stmt *statement, size_t room) {
  struct growth_table *table = work->table;
  int step = SQLITE_DONE;
  while (table->count < room && (step = sqlite3_step(statement)) == SQLITE_ROW) {
    struct growth_row *row = &table->rows[table->count++];
    row->id = sqlite3_column_int64(statement, 0);
    row->name = copy_text(statement, 1);
    row->file = copy_text(statement, 2);
    if (!row->name) row->name = memory_text("?");
    for (int figure = 0; figure < GROWTH_FIGURES; figure++)
      row->last[figure] = number(statement, 3 + figure);
  }
  return step == SQLITE_ROW || step == SQLITE_DONE ? 0
                                                   : workspace_error(work->workspace, work->error);
}

static int list_entries(const struct work *work) {
  sqlite3_stmt *statement = NULL;
  size_t room = 0;
  if (entries_copy(work->workspace, work->table->largest, work->kind, work->error) != 0 ||
      count_rows(work, &room) != 0)
    return -1;
  work->table->rows = memory_zeroed(room, sizeof *work->table->rows);
  if (workspace_prepare(work->workspace, &statement, work->error,
                        "SELECT id, name, file, calls, self, total FROM entry"
                        " WHERE kind = %d AND profile = %d ORDER BY id",
                        work->kind, (int)work->table->largest) != 0)
    return -1;
  int result = take_rows(work, statement, room);
  sqlite3_finalize(statement);
  return result;
}

/* ---- their figures in each run ---- */

static int by_id(const void *key, const void *row) {
  int64_t id = *(const int64_t *)key, other = ((const struct growth_row *)row)->id;
  return (id > other) - (id < other);
}

static void take_points(const struct work *work, const struct entry_figures *figures, size_t place,
                        int64_t id, size_t run) {
  const struct growth_row *row =
      bsearch(&id, work->table->rows, work->table->count, sizeof *row, by_id);
  if (!row) return;
  static const struct {
    int value, uncertainty; /* -1: exact */
  } of[GROWTH_FIGURES] = {[GROWTH_CALLS] = {FIGURE_CALLS, -1},
                          [GROWTH_SELF] = {FIGURE_SELF, FIGURE_SELF_UNCERTAINTY},
                          [GROWTH_TOTAL] = {FIGURE_TOTAL, FIGURE_TOTAL_UNCERTAINTY}};
  for (int figure = 0; figure < GROWTH_FIGURES; figure++)
    points_of(work, row - work->table->rows, figure)[run] = (struct growth_point){
        work->n[run], figures->of[of[figure].value][place],
        of[figure].uncertainty < 0 ? 0 : figures->of[of[figure].uncertainty][place]};
}

static int take_run(const struct work *work, size_t run, const struct entry_figures *figures) {
  size_t largest = work->table->largest, profile = run + 1;
  struct entry_pairs pairs = {0};
  int result = 0;
  if (profile == largest)
    for (size_t i = 0; i < figures->count; i++)
      take_points(work, figures, i, figures->ids[i], run);
  else
    result = match_entries(work->workspace, work->kind, largest, profile, &pairs, work->error);
  for (size_t i = 0; result == 0 && i < pairs.count; i++) {
    const struct entry_pair *pair = &pairs.items[i];
    if (pair->a == ENTRY_NONE || pair->b == ENTRY_NONE) continue;
    size_t place = ids_find(figures->ids, figures->count, pair->b);
    if (place < figures->count) take_points(work, figures, place, pair->a, run);
  }
  entry_pairs_free(&pairs);
  return result;
}

static int read_run(const struct work *work, size_t run) {
  static const bool wanted[ENTRY_FIGURES] = {[FIGURE_CALLS] = true,
                                             [FIGURE_SELF] = true,
                                             [FIGURE_TOTAL] = true,
                                             [FIGURE_SELF_UNCERTAINTY] = true,
                                             [FIGURE_TOTAL_UNCERTAINTY] = true};
  struct entry_figures figures;
  int result =
      entry_figures_read(work->workspace, run + 1, work->kind, wanted, &figures, work->error);
  if (result == 0) result = take_run(work, run, &figures);
  entry_figures_free(&figures);
  return result;
}

/* ---- the whole ---- */

/* All calls, or of lines and expressions all executions. */
static int read_whole(const struct work *work, struct growth_point *calls,
                      struct growth_point *time) {
  bool executed = work->kind == ENTRY_LINES || work->kind == ENTRY_EXPRESSIONS;
  enum compared_kind kind = executed ? work->kind : ENTRY_FUNCTIONS;
  sqlite3_stmt *statement = NULL;
  for (size_t profile = 1; profile <= work->runs; profile++)
    if (entries_copy(work->workspace, profile, kind, work->error) != 0) return -1;
  if (workspace_prepare(work->workspace, &statement, work->error,
                        "SELECT p.id, p.whole, (SELECT sum(calls) FROM entry WHERE kind = %d"
                        " AND profile = p.id) FROM profile p ORDER BY 1",
                        kind) != 0)
    return -1;
  size_t run = 0;
  for (; run < work->runs && sqlite3_step(statement) == SQLITE_ROW; run++) {
    time[run] = (struct growth_point){work->n[run], number(statement, 1), 0};
    calls[run] = (struct growth_point){work->n[run], number(statement, 2), 0};
  }
  sqlite3_finalize(statement);
  return run == work->runs ? 0 : workspace_error(work->workspace, work->error);
}

static int fit_whole(const struct work *work) {
  struct growth_table *table = work->table;
  struct growth_point *points = memory_zeroed(2 * work->runs, sizeof *points);
  int result = read_whole(work, points, points + work->runs);
  for (int figure = 0; result == 0 && figure < GROWTH_FIGURES; figure++) {
    const struct growth_point *of = figure == GROWTH_CALLS ? points : points + work->runs;
    growth_fit(of, work->runs, &table->whole[figure]);
    table->last[figure] = of[table->largest - 1].y;
  }
  free(points);
  return result;
}

/* ---- the table ---- */

static void fit_rows(const struct work *work) {
  struct growth_table *table = work->table;
  for (size_t row = 0; row < table->count; row++)
    for (int figure = 0; figure < GROWTH_FIGURES; figure++) {
      const struct growth_point *points = points_of(work, row, figure);
      struct growth *own = &table->rows[row].growth[figure];
      for (size_t run = 0; run < work->runs; run++)
        table->rows[row].zeros[figure] += points[run].y == 0;
      const struct growth *whole = &table->whole[figure];
      if (!growth_fit(points, work->runs, own)) continue;
      table->rows[row].faster[figure] =
          whole->points && own->exponent - own->uncertainty > whole->exponent + whole->uncertainty;
    }
}

static bool any_faster(const struct growth_row *row) {
  return row->faster[GROWTH_CALLS] || row->faster[GROWTH_SELF] || row->faster[GROWTH_TOTAL];
}

static int compare_figure(double a, double b) {
  if (isnan(a)) a = 0;
  if (isnan(b)) b = 0;
  return (a < b) - (a > b);
}

static int by_weight(const void *x, const void *y) {
  const struct growth_row *a = x, *b = y;
  int order = any_faster(b) - any_faster(a);
  if (order == 0) order = compare_figure(a->last[GROWTH_TOTAL], b->last[GROWTH_TOTAL]);
  if (order == 0) order = compare_figure(a->last[GROWTH_SELF], b->last[GROWTH_SELF]);
  if (order == 0) order = compare_figure(a->last[GROWTH_CALLS], b->last[GROWTH_CALLS]);
  return order ? order : (a->id > b->id) - (a->id < b->id);
}

static size_t profile_of_largest(const double *n, size_t count) {
  size_t largest = 0;
  for (size_t i = 1; i < count; i++)
    if (n[i] > n[largest]) largest = i;
  return largest + 1;
}

int growth_table_make(struct workspace *workspace, enum compared_kind kind, const double *n,
                      size_t count, struct growth_table *table, struct error *error) {
  *table = (struct growth_table){.largest = profile_of_largest(n, count)};
  struct work work = {workspace, kind, n, count, table, NULL, error};
  if (list_entries(&work) != 0) return -1;
  work.points = memory_zeroed(table->count, GROWTH_FIGURES * count * sizeof *work.points);
  int result = 0;
  for (size_t run = 0; result == 0 && run < count; run++)
    result = read_run(&work, run);
  if (result == 0) result = fit_whole(&work);
  if (result == 0) {
    fit_rows(&work);
    qsort(table->rows, table->count, sizeof *table->rows, by_weight);
  }
  free(work.points);
  return result;
}

void growth_table_free(struct growth_table *table) {
  for (size_t i = 0; i < table->count; i++) {
    free(table->rows[i].name);
    free(table->rows[i].file);
  }
  free(table->rows);
  *table = (struct growth_table){0};
}
