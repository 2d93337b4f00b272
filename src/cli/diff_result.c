#include "cli/diff_result.h"

#include <stdio.h>
#include <string.h>

#include "base/base_name.h"
#include "compare/expression.h"
#include "recording/layout.h"

/* ---- the profiles ---- */

static int read_sides(struct workspace *workspace, struct diff_result *result,
                      struct error *error) {
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(workspace, &row, error,
                        "SELECT unit, scale, whole, CASE id WHEN 1 THEN EXISTS (SELECT 1"
                        " FROM p1.raw_processes WHERE hooks & %d) ELSE EXISTS (SELECT 1"
                        " FROM p2.raw_processes WHERE hooks & %d) END FROM profile ORDER BY id",
                        HOOKS_WITH_CONTEXTS, HOOKS_WITH_CONTEXTS) != 0)
    return -1;
  for (int i = 0; i < 2 && sqlite3_step(row) == SQLITE_ROW; i++) {
    struct diff_side *side = &result->sides[i];
    snprintf(side->name, sizeof side->name, "%s", (const char *)sqlite3_column_text(row, 0));
    side->unit = strcmp(side->name, "ns") == 0 ? NULL : side->name;
    side->scale = sqlite3_column_double(row, 1);
    side->whole = sqlite3_column_double(row, 2);
    side->has_contexts = sqlite3_column_int(row, 3);
  }
  sqlite3_finalize(row);
  if (strcmp(result->sides[0].name, result->sides[1].name) == 0) return 0;
  return error_set(error, "one profile counts %s and the other %s: they cannot be compared",
                   result->sides[0].unit ? result->sides[0].unit : "time",
                   result->sides[1].unit ? result->sides[1].unit : "time");
}

static int read_programs(struct workspace *workspace, struct diff_result *result,
                         struct error *error) {
  sqlite3_stmt *row = NULL;
  static const char names[] = "(SELECT group_concat(name, ', ') FROM (SELECT DISTINCT"
                              " base_name(executable) AS name FROM p%d.processes"
                              " WHERE executable <> '' ORDER BY 1 LIMIT 3))";
  char first[256], second[256];
  snprintf(first, sizeof first, names, 1);
  snprintf(second, sizeof second, names, 2);
  if (workspace_prepare(workspace, &row, error,
                        "SELECT %s, %s, EXISTS (SELECT 1 FROM p1.processes x JOIN p2.processes y"
                        " ON base_name(x.executable) = base_name(y.executable))",
                        first, second) != 0)
    return -1;
  int done = sqlite3_step(row) == SQLITE_ROW ? 0 : workspace_error(workspace, error);
  for (int i = 0; done == 0 && i < 2; i++) {
    const char *name = (const char *)sqlite3_column_text(row, i);
    snprintf(result->programs[i], sizeof result->programs[i], "%s", name ? name : "");
  }
  result->same_program = done == 0 && sqlite3_column_int(row, 2);
  sqlite3_finalize(row);
  return done;
}

bool diff_programs_differ(const struct diff_result *result) {
  return result->programs[0][0] && result->programs[1][0] && !result->same_program;
}

static const char *default_expression(enum compared_kind kind, const struct diff_side sides[2]) {
  bool times = sides[0].whole > 0 || sides[1].whole > 0;
  if (kind == ENTRY_SITES || kind == ENTRY_EXPRESSIONS || !times) return "b.calls - a.calls";
  return kind == ENTRY_ARCS ? "b.total - a.total" : "b.self - a.self";
}

int diff_result_open(struct workspace *workspace, const struct diff_request *request,
                     struct diff_result *result, struct error *error) {
  if (read_sides(workspace, result, error) != 0 || read_programs(workspace, result, error) != 0)
    return -1;
  result->expression =
      request->expression ? request->expression : default_expression(request->kind, result->sides);
  result->amount = expression_is_amount(result->expression);
  return 0;
}

int diff_result_read(struct workspace *workspace, struct diff_result *result, struct error *error) {
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(workspace, &row, error,
                        "SELECT (SELECT neutral FROM comparing), count(*), sum(failed = 1),"
                        " sum(value IS NULL), sum(failed IS NULL) FROM compared") != 0)
    return -1;
  int step = sqlite3_step(row);
  result->neutral = sqlite3_column_double(row, 0);
  result->entries = sqlite3_column_int64(row, 1);
  result->failed = sqlite3_column_int64(row, 2);
  result->unknown = sqlite3_column_int64(row, 3);
  result->unjudged = sqlite3_column_int64(row, 4);
  sqlite3_finalize(row);
  return step == SQLITE_ROW ? 0 : workspace_error(workspace, error);
}

/* ---- rows ---- */

int diff_rows(struct workspace *workspace, const struct diff_request *request, sqlite3_stmt **rows,
              struct error *error) {
  int result = workspace_prepare(
      workspace, rows, error,
      "SELECT c.value, c.low, c.high, c.stands_out, c.failed, c.a, c.b, a.calls, b.calls, a.self,"
      " b.self, a.total, b.total FROM compared c JOIN comparing n"
      " LEFT JOIN entry a ON a.kind = %d AND a.profile = 1 AND a.id = c.a"
      " LEFT JOIN entry b ON b.kind = %d AND b.profile = 2 AND b.id = c.b"
      " WHERE iif(%d, c.failed, c.value <> n.neutral)"
      " ORDER BY coalesce(c.stands_out, 0) DESC, abs(c.value - n.neutral) DESC,"
      " coalesce(a.name, b.name), c.a, c.b LIMIT ?1",
      request->kind, request->kind, request->condition != NULL);
  if (result == 0) sqlite3_bind_int64(*rows, 1, request->limit);
  return result;
}

size_t diff_row_entry(sqlite3_stmt *row, int64_t *id) {
  int profile = diff_known(row, DIFF_B) ? 2 : 1;
  *id = sqlite3_column_int64(row, profile == 2 ? DIFF_B : DIFF_A);
  return profile;
}
