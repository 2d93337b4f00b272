#include "view/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/compared_rows.h"
#include "view/dial.h"
#include "view/growing.h"
#include "view/large_table.h"
#include "view/rows.h"

enum { MOST_ROWS = 20000, DEFAULT_ROWS = 200 };

struct table {
  const char *name;
  const char *sql;                 /* with the profile's number for each %1$d */
  const char *sort;                /* its own order */
  const char *texts;               /* the SQL text that filters look into */
  int compared;                    /* its enum compared_kind, or -1 */
  const struct large_table *large; /* or null */
};

#define ARC_FIGURES                                                                                \
  "a.caller, a.callee, a.calls, a.out_self_ns, a.out_child_ns, a.in_self_ns, a.in_child_ns,"       \
  " a.in_ticks, a.in_uncertainty_ns, a.tail_calls, a.in_self_ns + a.in_child_ns AS in_ns,"         \
  " a.out_self_ns + a.out_child_ns AS out_ns, a.least_calls, a.most_calls"
#define LINE_FIGURES                                                                               \
  "l.function, l.self_ns, l.self_uncertainty_ns, l.self_ticks, l.total_ns,"                        \
  " l.total_uncertainty_ns, l.total_ticks"

static const struct large_table large_arcs = {
    "arcs",
    "SELECT a.rowid AS id, " ARC_FIGURES " FROM p%1$d.raw_arcs a",
    {{"caller_name", "caller", NAMES_FUNCTION}, {"callee_name", "callee", NAMES_FUNCTION}}};
static const struct large_table large_sites = {
    "sites",
    "SELECT id, caller, callee, file, nullif(line, 0) AS line, calls, tail FROM p%1$d.raw_sites",
    {{"caller_name", "caller", NAMES_FUNCTION},
     {"callee_name", "callee", NAMES_FUNCTION},
     {"file", "file", NAMES_FILE}}};
static const struct large_table large_lines = {
    "lines",
    "SELECT l.id, l.file, nullif(l.line, 0) AS line, " LINE_FIGURES " FROM p%1$d.raw_lines l",
    {{"function_name", "function", NAMES_FUNCTION}, {"file", "file", NAMES_FILE}}};

/* Lines and arcs have the numbers that comparisons give them (compare/entries.h). */
static const struct table tables[] = {
    {"functions",
     "SELECT *, self_ns * 1.0 / nullif(all_calls, 0) AS call_ns,"
     " self_uncertainty_ns * 1.0 / nullif(all_calls, 0) AS call_uncertainty_ns FROM"
     " (SELECT *, calls + coalesce(recursive_calls, 0) AS all_calls FROM p%1$d.functions)",
     "self_ns", "name || char(10) || coalesce(file, '') || char(10) || coalesce(object, '')",
     ENTRY_FUNCTIONS, NULL},
    {"arcs",
     "SELECT a.rowid AS id, coalesce(c.name, '<spontaneous>') AS caller_name,"
     " e.name AS callee_name, " ARC_FIGURES " FROM p%1$d.raw_arcs a"
     " LEFT JOIN p%1$d.raw_functions c ON c.id = a.caller"
     " JOIN p%1$d.raw_functions e ON e.id = a.callee",
     "in_ns", "caller_name || char(10) || callee_name", ENTRY_ARCS, &large_arcs},
    {"sites", "SELECT * FROM p%1$d.call_sites", "calls",
     "caller_name || char(10) || callee_name || char(10) || coalesce(file, '')", ENTRY_SITES,
     &large_sites},
    {"lines",
     "SELECT l.id, p.path AS file, nullif(l.line, 0) AS line, f.name AS function_name,"
     " " LINE_FIGURES " FROM p%1$d.raw_lines l JOIN p%1$d.raw_functions f ON f.id = l.function"
     " LEFT JOIN p%1$d.raw_files p ON p.id = l.file",
     "self_ns", "function_name || char(10) || coalesce(file, '')", ENTRY_LINES, &large_lines},
    {"expressions", "SELECT * FROM p%1$d.expressions", "count", "function_name || char(10) || file",
     ENTRY_EXPRESSIONS, NULL},
    {"copies", "SELECT * FROM p%1$d.copies", "count",
     "within_name || char(10) || coalesce(through, '') || char(10) || file", -1, NULL},
    {"places",
     "SELECT file, line, source_column, function, function_name, sum(self_ns) AS self_ns,"
     " sum(self_ticks) AS self_ticks, count(*) AS instructions FROM p%1$d.instructions"
     " GROUP BY file, line, source_column, function",
     "self_ns", "function_name || char(10) || coalesce(file, '')", -1, NULL},
    {"files",
     "SELECT s.path AS file, s.newer, coalesce(l.self_ns, 0) AS self_ns,"
     " coalesce(l.self_ticks, 0) AS self_ticks FROM p%1$d.sources s LEFT JOIN"
     " (SELECT p.path AS file, sum(self_ns) AS self_ns, sum(self_ticks) AS self_ticks"
     "  FROM p%1$d.raw_lines l JOIN p%1$d.raw_files p ON p.id = l.file GROUP BY l.file) l"
     " ON l.file = s.path",
     "self_ns", "file", -1, NULL},
    {"objects",
     "SELECT o.id, o.path, o.build_id, o.message, o.uncounted, coalesce(f.self_ns, 0) AS self_ns,"
     " f.self_ticks, f.functions FROM p%1$d.objects o LEFT JOIN"
     " (SELECT object, sum(self_ns) AS self_ns, sum(self_ticks) AS self_ticks,"
     "  count(*) AS functions FROM p%1$d.functions GROUP BY object) f ON f.object = o.path",
     "self_ns", "path", -1, NULL},
    {"possible",
     "SELECT k.site AS id, s.caller, s.callee, s.caller_name, s.callee_name, s.file, s.line,"
     " coalesce(k.fixed, k.estimate) AS calls, k.fixed, k.least AS least_calls,"
     " k.most AS most_calls FROM p%1$d.raw_possible_calls k"
     " JOIN p%1$d.call_sites s ON s.id = k.site",
     "calls", "caller_name || char(10) || callee_name", -1, NULL},
    {"cycles",
     "SELECT c.*, (SELECT group_concat(name, ' > ') FROM (SELECT coalesce(f.name, '...') AS name"
     " FROM p%1$d.raw_cycle_functions m LEFT JOIN p%1$d.raw_functions f ON f.id = m.function"
     " WHERE m.cycle = c.id ORDER BY m.position)) AS names FROM p%1$d.cycles c",
     "calls", "names", -1, NULL},
    {"cycle_functions",
     "SELECT m.cycle, m.position, m.function, coalesce(f.name, '...') AS function_name,"
     " n.function AS next, coalesce(g.name, '...') AS next_name, a.calls, a.in_self_ns +"
     " a.in_child_ns AS in_ns, a.out_self_ns + a.out_child_ns AS out_ns, f.self_ns, f.total_ns"
     " FROM p%1$d.raw_cycle_functions m JOIN p%1$d.raw_cycles c ON c.id = m.cycle"
     " JOIN p%1$d.raw_cycle_functions n ON n.cycle = m.cycle"
     "  AND n.position = m.position %% c.functions + 1"
     " LEFT JOIN p%1$d.raw_functions f ON f.id = m.function"
     " LEFT JOIN p%1$d.raw_functions g ON g.id = n.function"
     " LEFT JOIN p%1$d.raw_arcs a ON a.caller = m.function AND a.callee = n.function",
     "position", "function_name", -1, NULL},
};

/* Of both profiles: what only one has, too.  The entries of the rows are in `shown`. */
static const char compared_sql[] =
    "SELECT c.a, c.b, coalesce(a.name, b.name) AS name,"
    " coalesce(a.caller_name, b.caller_name) AS caller_name,"
    " coalesce(a.file, b.file) AS file, coalesce(a.line, b.line) AS line,"
    " coalesce(a.source_column, b.source_column) AS source_column, coalesce(a.way, b.way) AS way,"
    " a.calls AS a_calls, b.calls AS b_calls, a.self / pa.scale AS a_self_ns,"
    " b.self / pb.scale AS b_self_ns, a.total / pa.scale AS a_total_ns,"
    " b.total / pb.scale AS b_total_ns, a.self_uncertainty / pa.scale AS a_uncertainty_ns,"
    " b.self_uncertainty / pb.scale AS b_uncertainty_ns, c.value, c.low, c.high, c.stands_out,"
    " abs(c.value - (SELECT neutral FROM comparing)) AS distance"
    " FROM compared c JOIN profile pa ON pa.id = %1$d JOIN profile pb ON pb.id = %2$d"
    " LEFT JOIN shown a ON a.profile = pa.id AND a.id = c.a"
    " LEFT JOIN shown b ON b.profile = pb.id AND b.id = c.b ORDER BY c.rowid";

static const struct table *table_named(const char *name) {
  for (size_t i = 0; name && i < sizeof tables / sizeof *tables; i++)
    if (strcmp(tables[i].name, name) == 0) return &tables[i];
  return NULL;
}

/* ---- the rows that are asked for ---- */

struct query {
  struct view *view;
  const struct parameters *parameters;
  const struct table *table;
  size_t profile;
  char *rows;                          /* the table's own SQL */
  const struct large_table *large;     /* finds rows, or null */
  bool compared;                       /* the rows have columns of the comparison */
  const char *sort, *texts;            /* defaults of the table */
  const char *values[MOST_PARAMETERS]; /* bound, from ?1 on */
  size_t value_count;
  struct error *error;
};

static const char *parameter_of(const struct query *query, const char *name) {
  return parameters_text(query->parameters, name);
}

/* Columns are left to make room, as matching takes some for a while. */
static int compare_anew(struct query *query, enum compared_kind kind, size_t profile,
                        size_t other) {
  const char *by = parameter_of(query, "by");
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

static int compare(struct query *query, enum compared_kind kind, size_t profile, size_t other) {
  const char *by = parameter_of(query, "by");
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

static int other_profile(const struct query *query, size_t *other) {
  *other = parameters_number(query->parameters, "other", (int64_t)query->view->workspace.count, 0);
  return *other ? 0 : error_set(query->error, "there is no such profile to compare with");
}

static int take_table(struct query *query, const struct table *table) {
  size_t profile = view_profile(query->view, query->parameters), other;
  query->table = table;
  query->profile = profile;
  query->sort = table->sort;
  query->texts = table->texts;
  char own[2048];
  snprintf(own, sizeof own, table->sql, (int)profile);
  bool other_asked = parameter_of(query, "other"), growth = parameter_of(query, "growth");
  if (table->compared >= 0 && growth && !other_asked) {
    if (growing_fill(query->view, table->compared, query->error) != 0) return -1;
    query->rows = sqlite3_mprintf(
        "SELECT t.*, g.calls_exponent, g.calls_exponent_uncertainty, g.calls_faster,"
        " g.self_exponent, g.self_exponent_uncertainty, g.self_faster, g.total_exponent,"
        " g.total_exponent_uncertainty, g.total_faster,"
        " (coalesce(g.calls_faster, 0) + coalesce(g.self_faster, 0) + coalesce(g.total_faster, 0)"
        " > 0) * 1e18 + %s AS growth_order FROM (%s) t"
        " LEFT JOIN growth g ON g.kind = %d AND g.id = t.id",
        table->compared == ENTRY_SITES         ? "coalesce(t.calls, 0)"
        : table->compared == ENTRY_ARCS        ? "coalesce(t.in_ns, 0)"
        : table->compared == ENTRY_EXPRESSIONS ? "coalesce(t.count, 0)"
                                               : "coalesce(t.total_ns, t.self_ns, 0)",
        own, table->compared);
  } else if (!other_asked || table->compared < 0) {
    query->rows = sqlite3_mprintf("%s", own);
    query->large = table->large;
  } else {
    if (other_profile(query, &other) != 0 || compare(query, table->compared, profile, other) != 0)
      return -1;
    query->rows = sqlite3_mprintf("SELECT t.*, c.value, c.low, c.high, c.stands_out FROM (%s) t"
                                  " LEFT JOIN compared c ON c.a = t.id",
                                  own);
    query->large = table->large;
    query->compared = true;
  }
  return query->rows ? 0 : error_set(query->error, "out of memory");
}

/* Beside the rows of what follows from a choice: what they were without it. */
static int take_choice(struct query *query) {
  static const char *const kinds[] = {"arcs", "sites", "possible"};
  static const char *const same[] = {
      "SELECT caller, callee, calls, least_calls, most_calls FROM chosen_from.raw_arcs",
      "SELECT site AS id, estimate AS calls, least AS least_calls, most AS most_calls"
      " FROM chosen_from.raw_possible_calls"};
  int kind = -1;
  for (int i = 0; i < 3; i++)
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

static int take_rows(struct query *query) {
  const struct table *table = table_named(parameter_of(query, "kind"));
  if (!table) return error_set(query->error, "there is no such table");
  return take_table(query, table) == 0 ? take_choice(query) : -1;
}

/* ---- conditions and order ---- */

static bool has_column(sqlite3_stmt *statement, const char *name) {
  for (int i = 0; i < sqlite3_column_count(statement); i++)
    if (strcmp(sqlite3_column_name(statement, i), name) == 0) return true;
  return false;
}

static bool are_numbers(const char *text) {
  return *text && !text[strspn(text, "0123456789,")];
}

/* Columns are those of the rows, numbers are digits and commas; texts are bound. */
static int add_condition(struct query *query, sqlite3_stmt *shape, const struct parameter *asked,
                         sqlite3_str *where) {
  const char *column = asked->name + strlen("is.");
  if (!has_column(shape, column))
    return error_set(query->error, "the table has no column %.100s", column);
  if (are_numbers(asked->value) && asked->value[strlen(asked->value) - 1] != ',' &&
      asked->value[0] != ',' && !strstr(asked->value, ",,")) {
    sqlite3_str_appendf(where, " AND \"%w\" IN (%s)", column, asked->value);
    return 0;
  }
  query->values[query->value_count++] = asked->value;
  sqlite3_str_appendf(where, " AND \"%w\" = ?%d", column, (int)query->value_count);
  return 0;
}

static void add_filter(struct query *query, sqlite3_str *where) {
  const char *filter = parameter_of(query, "filter");
  if (!filter || !*filter) return;
  query->values[query->value_count++] = filter;
  sqlite3_str_appendf(where, " AND instr(lower(%s), lower(?%d)) > 0", query->texts,
                      (int)query->value_count);
}

static int add_conditions(struct query *query, sqlite3_stmt *shape, sqlite3_str *where) {
  add_filter(query, where);
  for (size_t i = 0; i < query->parameters->count; i++) {
    const struct parameter *asked = &query->parameters->items[i];
    if (strncmp(asked->name, "is.", 3) == 0 && add_condition(query, shape, asked, where) != 0)
      return -1;
  }
  return 0;
}

static const char *sort_of(const struct query *query) {
  const char *sort = parameter_of(query, "sort");
  return sort && *sort ? sort : query->sort;
}

static bool sort_up(const struct query *query) {
  return parameters_number(query->parameters, "up", 1, 0);
}

static int64_t limit_of(const struct query *query) {
  return parameters_number(query->parameters, "limit", MOST_ROWS, DEFAULT_ROWS);
}

static int64_t offset_of(const struct query *query) {
  return parameters_number(query->parameters, "offset", INT64_MAX, 0);
}

/* What is not known comes last. */
static int add_order(struct query *query, sqlite3_stmt *shape, sqlite3_str *order) {
  const char *sort = sort_of(query);
  if (!has_column(shape, sort))
    return error_set(query->error, "the table has no column %.100s", sort);
  sqlite3_str_appendf(order, " ORDER BY \"%w\" %s NULLS LAST", sort,
                      sort_up(query) ? "ASC" : "DESC");
  return 0;
}

static void bind_values(const struct query *query, sqlite3_stmt *statement) {
  for (size_t i = 0; i < query->value_count; i++)
    sqlite3_bind_text(statement, (int)i + 1, query->values[i], -1, SQLITE_STATIC);
}

/* ---- the answer ---- */

static int count_rows(struct query *query, const char *where, struct json *json) {
  sqlite3_stmt *statement = NULL;
  struct workspace *workspace = &query->view->workspace;
  if (workspace_prepare(workspace, &statement, query->error, "SELECT count(*) FROM (%s) WHERE 1%s",
                        query->rows, where) != 0)
    return -1;
  bind_values(query, statement);
  int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : workspace_error(workspace, query->error);
  if (result == 0) json_integer(json, "count", sqlite3_column_int64(statement, 0));
  sqlite3_finalize(statement);
  return result;
}

static int write_statement(struct query *query, sqlite3_stmt *statement, struct json *json) {
  bind_values(query, statement);
  int result = rows_write(json, statement) == SQLITE_DONE
                   ? 0
                   : workspace_error(&query->view->workspace, query->error);
  sqlite3_finalize(statement);
  return result;
}

static int write_rows(struct query *query, const char *where, const char *order,
                      struct json *json) {
  sqlite3_stmt *statement = NULL;
  if (workspace_prepare(&query->view->workspace, &statement, query->error,
                        "SELECT * FROM (%s) WHERE 1%s%s LIMIT %lld OFFSET %lld", query->rows, where,
                        order, (long long)limit_of(query), (long long)offset_of(query)) != 0)
    return -1;
  return write_statement(query, statement, json);
}

static int write_answer(struct query *query, sqlite3_stmt *shape, const char *order,
                        struct json *json) {
  sqlite3_str *where = sqlite3_str_new(NULL);
  struct view *view = query->view;
  int result = add_conditions(query, shape, where);
  if (result == 0 && query->compared && !view->compared_all) {
    result = compared_table(&view->workspace, &view->compared, NULL, 0, query->error);
    view->compared_all = result == 0;
  }
  char *text = sqlite3_str_finish(where);
  const char *conditions = text ? text : "";
  if (result == 0) result = count_rows(query, conditions, json);
  if (result == 0) result = write_rows(query, conditions, order, json);
  sqlite3_free(text);
  return result;
}

/* ---- of large tables ---- */

/* Whether all that is asked can be told from numbers. */
static int is_large(struct query *query, const struct large_question *question, bool *large) {
  sqlite3_stmt *shape = NULL;
  char own[1024];
  *large = false;
  if (!query->large || !large_table_can(question)) return 0;
  snprintf(own, sizeof own, query->large->sql, (int)query->profile);
  if (workspace_prepare(&query->view->workspace, &shape, query->error, "SELECT * FROM (%s) LIMIT 0",
                        own) != 0)
    return -1;
  *large = has_column(shape, question->sort) || question->compared_by != COMPARED_END;
  for (size_t i = 0; i < 3 && query->large->texts[i].naming; i++)
    *large |= strcmp(query->large->texts[i].name, question->sort) == 0;
  sqlite3_finalize(shape);
  return 0;
}

/* Only what the page shows of the comparison is put into its table. */
static int show_compared(struct query *query, const struct large_page *page) {
  struct view *view = query->view;
  if (!query->compared) return 0;
  uint32_t *places = malloc((page->count + 1) * sizeof *places);
  if (!places) return error_set(query->error, "out of memory");
  size_t count = 0;
  for (size_t i = 0; i < page->count; i++) {
    size_t place = compared_find(&view->compared, (int64_t)page->ids[i]);
    if (place < view->compared.pairs.count) places[count++] = (uint32_t)place;
  }
  view->compared_all = false;
  int result = compared_table(&view->workspace, &view->compared, places, count, query->error);
  free(places);
  return result;
}

static int write_large(struct query *query, const struct large_question *question,
                       const char *order, struct json *json) {
  struct large_page page;
  sqlite3_stmt *statement = NULL;
  sqlite3_str *list = sqlite3_str_new(NULL);
  int result = large_table_find(question, &page, query->error);
  for (size_t i = 0; result == 0 && i < page.count; i++)
    sqlite3_str_appendf(list, "%s%lld", i ? "," : "", (long long)page.ids[i]);
  char *ids = sqlite3_str_finish(list);
  if (result == 0) result = show_compared(query, &page);
  if (result == 0) json_integer(json, "count", (int64_t)page.all);
  if (result == 0)
    result = workspace_prepare(&query->view->workspace, &statement, query->error,
                               "SELECT * FROM (%s) WHERE id IN (%s)%s", query->rows, ids ? ids : "",
                               order);
  if (result == 0) result = write_statement(query, statement, json);
  sqlite3_free(ids);
  free(page.ids);
  return result;
}

static int answer(struct query *query, sqlite3_stmt *shape, FILE *out) {
  sqlite3_str *order = sqlite3_str_new(NULL);
  struct json json = {.out = out, .first = true};
  struct large_question question = {query->view,
                                    query->profile,
                                    query->large,
                                    query->parameters,
                                    sort_of(query),
                                    query->compared ? &query->view->compared : NULL,
                                    query->compared ? compared_number_named(sort_of(query))
                                                    : COMPARED_END,
                                    sort_up(query),
                                    (size_t)limit_of(query),
                                    (size_t)offset_of(query)};
  bool large = false;
  int result = add_order(query, shape, order);
  char *text = sqlite3_str_finish(order);
  const char *order_text = text ? text : "";
  if (result == 0) result = is_large(query, &question, &large);
  json_open(&json, NULL, '{');
  if (query->compared) json_real(&json, "neutral", query->view->compared.neutral);
  if (result == 0)
    result = large ? write_large(query, &question, order_text, &json)
                   : write_answer(query, shape, order_text, &json);
  json_close(&json, '}');
  sqlite3_free(text);
  return result;
}

/* ---- of both profiles ---- */

static int show_entries(struct query *query, const struct compared_page *page) {
  struct view *view = query->view;
  struct workspace *workspace = &view->workspace;
  const struct compared *compared = &view->compared;
  view->compared_all = false;
  if (compared_table(workspace, compared, page->places, page->count, query->error) != 0 ||
      workspace_run(workspace, query->error, "DROP TABLE IF EXISTS shown") != 0 ||
      entries_table(workspace, "shown", query->error) != 0 ||
      entries_put(workspace, "shown", compared->first, compared->kind,
                  " IN (SELECT a FROM compared)", query->error) != 0)
    return -1;
  if (compared->first == compared->second) return 0;
  return entries_put(workspace, "shown", compared->second, compared->kind,
                     " IN (SELECT b FROM compared)", query->error);
}

static int write_pairs(struct query *query, const struct compared_page *page, FILE *out) {
  struct json json = {.out = out, .first = true};
  const struct compared *compared = &query->view->compared;
  sqlite3_stmt *statement = NULL;
  char own[2048];
  snprintf(own, sizeof own, compared_sql, (int)compared->first, (int)compared->second);
  if (show_entries(query, page) != 0 ||
      workspace_prepare(&query->view->workspace, &statement, query->error, "%s", own) != 0)
    return -1;
  json_open(&json, NULL, '{');
  json_real(&json, "neutral", compared->neutral);
  json_integer(&json, "count", (int64_t)page->all);
  int result = write_statement(query, statement, &json);
  json_close(&json, '}');
  return result;
}

static int answer_compared(struct query *query, FILE *out) {
  const struct table *table = table_named(parameter_of(query, "of"));
  size_t profile = view_profile(query->view, query->parameters), other;
  if (!table || table->compared < 0)
    return error_set(query->error, "functions, arcs, sites, lines or expressions can be compared");
  if (other_profile(query, &other) != 0 || compare(query, table->compared, profile, other) != 0)
    return -1;
  query->sort = "distance";
  const struct compared_question question = {.view = query->view,
                                             .compared = &query->view->compared,
                                             .filter = parameter_of(query, "filter"),
                                             .sort = sort_of(query),
                                             .up = sort_up(query),
                                             .limit = (size_t)limit_of(query),
                                             .offset = (size_t)offset_of(query)};
  struct compared_page page;
  int result = compared_rows_find(&question, &page, query->error);
  if (result == 0) result = write_pairs(query, &page, out);
  free(page.places);
  return result;
}

int tables_answer(struct view *view, const struct parameters *parameters, FILE *out,
                  struct error *error) {
  struct query query = {.view = view, .parameters = parameters, .error = error};
  const char *kind = parameter_of(&query, "kind");
  if (kind && strcmp(kind, "compared") == 0) return answer_compared(&query, out);
  sqlite3_stmt *shape = NULL;
  int result = take_rows(&query);
  if (result == 0)
    result = workspace_prepare(&view->workspace, &shape, error, "SELECT * FROM (%s) LIMIT 0",
                               query.rows);
  if (result == 0) result = answer(&query, shape, out);
  sqlite3_finalize(shape);
  sqlite3_free(query.rows);
  return result;
}
