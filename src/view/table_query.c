#include "view/table_query.h"

#include <math.h>
#include <string.h>

#include "report/sql_json.h"
#include "view/dial.h"
#include "view/growing.h"

enum { MOST_ROWS = 20000, DEFAULT_ROWS = 200 };

/* ---- what is asked ---- */

const char *table_query_text(const struct table_query *query, const char *name) {
  return parameters_text(query->parameters, name);
}

const char *table_query_sort(const struct table_query *query) {
  const char *sort = table_query_text(query, "sort");
  return sort && *sort ? sort : query->sort;
}

bool table_query_up(const struct table_query *query) {
  return parameters_number(query->parameters, "up", 1, 0);
}

int64_t table_query_limit(const struct table_query *query) {
  return query->most ? query->most
                     : parameters_number(query->parameters, "limit", MOST_ROWS, DEFAULT_ROWS);
}

int64_t table_query_offset(const struct table_query *query) {
  return parameters_number(query->parameters, "offset", INT64_MAX, 0);
}

/* ---- the comparison ---- */

/* Columns are left to make room, as matching takes some for a while. */
static int compare_anew(struct table_query *query, enum compared_kind kind, size_t profile,
                        size_t other) {
  const char *by = table_query_text(query, "by");
  struct view *view = query->view;
  const struct comparison comparison = {.kind = kind,
                                        .first = profile,
                                        .second = other,
                                        .expression = by && *by ? by : NULL,
                                        .neutral = NAN};
  if (kind != ENTRY_FUNCTIONS) columns_free(&view->columns);
  view->compared_all = false;
  if (comparison_run(&view->workspace, &comparison, &view->compared, query->error) != 0) return -1;
  return compared_table(&view->workspace, &view->compared, &(uint32_t){0}, 0, query->error);
}

int table_query_compare(struct table_query *query, enum compared_kind kind, size_t profile,
                        size_t other) {
  const char *by = table_query_text(query, "by");
  struct view *view = query->view;
  char *key = sqlite3_mprintf("%d %d %d %s", kind, (int)profile, (int)other, by ? by : "");
  if (!key) return error_set(query->error, "out of memory");
  bool same = view->compared_by && strcmp(key, view->compared_by) == 0;
  if (same) {
    sqlite3_free(key);
    return 0;
  }
  sqlite3_free(view->compared_by);
  view->compared_by = NULL;
  int result = compare_anew(query, kind, profile, other);
  if (result == 0)
    view->compared_by = key;
  else
    sqlite3_free(key);
  return result;
}

int table_query_other(const struct table_query *query, size_t *other) {
  *other = parameters_number(query->parameters, "other", (int64_t)query->view->workspace.count, 0);
  return *other ? 0 : error_set(query->error, "there is no such profile to compare with");
}

/* ---- the rows ---- */

/* With how each row grows with the input. */
static int take_growth(struct table_query *query, const char *own) {
  enum compared_kind kind = query->table->compared;
  if (growing_fill(query->view, kind, query->error) != 0) return -1;
  const char *equal = "coalesce(t.total_ns, t.self_ns, 0)"; /* the order of what grows alike */
  if (kind == ENTRY_SITES) equal = "coalesce(t.calls, 0)";
  if (kind == ENTRY_ARCS) equal = "coalesce(t.in_ns, 0)";
  if (kind == ENTRY_EXPRESSIONS) equal = "coalesce(t.count, 0)";
  query->rows = sqlite3_mprintf(
      "SELECT t.*, g.calls_exponent, g.calls_exponent_uncertainty, g.calls_faster,"
      " g.self_exponent, g.self_exponent_uncertainty, g.self_faster, g.total_exponent,"
      " g.total_exponent_uncertainty, g.total_faster,"
      " (coalesce(g.calls_faster, 0) + coalesce(g.self_faster, 0) + coalesce(g.total_faster, 0)"
      " > 0) * 1e18 + %s AS growth_order FROM (%s) t"
      " LEFT JOIN growth g ON g.kind = %d AND g.id = t.id",
      equal, own, kind);
  return 0;
}

/* With what each row is compared with. */
static int take_compared(struct table_query *query, const char *own) {
  size_t other;
  if (table_query_other(query, &other) != 0 ||
      table_query_compare(query, query->table->compared, query->profile, other) != 0)
    return -1;
  query->rows = sqlite3_mprintf("SELECT t.*, c.value, c.low, c.high, c.stands_out FROM (%s) t"
                                " LEFT JOIN compared c ON c.a = t.id",
                                own);
  query->large = query->table->large;
  query->compared = true;
  return 0;
}

static int take_plain(struct table_query *query, const char *own) {
  query->rows = sqlite3_mprintf("%s", own);
  query->large = query->table->large;
  return 0;
}

static int take_table(struct table_query *query, const struct listed_table *table) {
  query->table = table;
  query->profile = view_profile(query->view, query->parameters);
  query->sort = table->sort;
  query->texts = table->texts;
  char own[2048];
  struct workspace *workspace = &query->view->workspace;
  if (table->prepare) snprintf(own, sizeof own, table->prepare, (int)query->profile);
  if (table->prepare && workspace_run(workspace, query->error, "%s", own) != 0) return -1;
  snprintf(own, sizeof own, table->sql, (int)query->profile);
  int (*take)(struct table_query *, const char *) = take_plain;
  if (table->compared >= 0 && table_query_text(query, "other"))
    take = take_compared;
  else if (table->compared >= 0 && table_query_text(query, "growth"))
    take = take_growth;
  if (take(query, own) != 0) return -1;
  return query->rows ? 0 : error_set(query->error, "out of memory");
}

/* Beside the rows of what follows from a choice: what they were without it. */
static int take_choice(struct table_query *query) {
  static const char *const kinds[] = {"arcs", "sites", "possible", "file_sites"};
  static const char *const same[] = {
      "SELECT caller, callee, calls, least_calls, most_calls FROM chosen_from.raw_arcs",
      "SELECT site AS id, estimate AS calls, least AS least_calls, most AS most_calls"
      " FROM chosen_from.raw_possible_calls"};
  int kind = -1;
  for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++)
    if (strcmp(query->table->name, kinds[i]) == 0) kind = i;
  if (kind < 0 || query->profile != 1 || !dial_is_set(query->view)) return 0;
  char *rows = sqlite3_mprintf(
      "SELECT t.*, o.least_calls AS free_least, o.most_calls AS free_most,"
      " (t.calls, t.least_calls, t.most_calls) IS NOT (o.calls, o.least_calls, o.most_calls)"
      "  AND (t.least_calls IS NOT NULL OR o.least_calls IS NOT NULL) AS chosen"
      " FROM (%s) t LEFT JOIN (%s) o ON %s",
      query->rows, same[kind ? 1 : 0],
      kind ? "o.id = t.id" : "o.caller IS t.caller AND o.callee = t.callee");
  sqlite3_free(query->rows);
  query->rows = rows;
  query->large = NULL;
  return rows ? 0 : error_set(query->error, "out of memory");
}

int table_query_take(struct table_query *query) {
  const struct listed_table *table = listed_table_named(table_query_text(query, "kind"));
  if (!table) return error_set(query->error, "there is no such table");
  return take_table(query, table) == 0 ? take_choice(query) : -1;
}

/* ---- the answer ---- */

void table_query_bind(const struct table_query *query, sqlite3_stmt *statement) {
  for (size_t i = 0; i < query->value_count; i++)
    sqlite3_bind_text(statement, (int)i + 1, query->values[i], -1, SQLITE_STATIC);
}

int table_query_write(struct table_query *query, sqlite3_stmt *statement, struct json *json) {
  table_query_bind(query, statement);
  int result = sql_json_table(json, statement) == SQLITE_DONE
                   ? 0
                   : workspace_error(&query->view->workspace, query->error);
  sqlite3_finalize(statement);
  return result;
}
