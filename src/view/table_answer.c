#include "view/table_answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "view/compared_answer.h"
#include "view/table_conditions.h"

static int count_rows(struct table_query *query, const char *where, struct json *json) {
  sqlite3_stmt *statement = NULL;
  struct workspace *workspace = &query->view->workspace;
  if (workspace_prepare(workspace, &statement, query->error, "SELECT count(*) FROM (%s) WHERE 1%s",
                        query->rows, where) != 0)
    return -1;
  table_query_bind(query, statement);
  int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : workspace_error(workspace, query->error);
  if (result == 0) json_integer(json, "count", sqlite3_column_int64(statement, 0));
  sqlite3_finalize(statement);
  return result;
}

static int write_rows(struct table_query *query, const char *where, const char *order,
                      struct json *json) {
  sqlite3_stmt *statement = NULL;
  if (workspace_prepare(&query->view->workspace, &statement, query->error,
                        "SELECT * FROM (%s) WHERE 1%s%s LIMIT %lld OFFSET %lld", query->rows, where,
                        order, (long long)table_query_limit(query),
                        (long long)table_query_offset(query)) != 0)
    return -1;
  return table_query_write(query, statement, json);
}

static int write_answer(struct table_query *query, sqlite3_stmt *shape, const char *order,
                        struct json *json) {
  sqlite3_str *where = sqlite3_str_new(NULL);
  struct view *view = query->view;
  int result = table_conditions(query, shape, where);
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
static int is_large(struct table_query *query, const struct large_question *question, bool *large) {
  sqlite3_stmt *shape = NULL;
  char own[1024];
  *large = false;
  if (!query->large || !large_table_can(question)) return 0;
  snprintf(own, sizeof own, query->large->sql, (int)query->profile);
  if (workspace_prepare(&query->view->workspace, &shape, query->error, "SELECT * FROM (%s) LIMIT 0",
                        own) != 0)
    return -1;
  *large = table_has_column(shape, question->sort) || question->compared_by != COMPARED_END;
  for (size_t i = 0; i < 3 && query->large->texts[i].naming; i++)
    *large |= strcmp(query->large->texts[i].name, question->sort) == 0;
  sqlite3_finalize(shape);
  return 0;
}

/* Only what the page shows of the comparison is put into its table. */
static int show_compared(struct table_query *query, const struct large_page *page) {
  struct view *view = query->view;
  if (!query->compared) return 0;
  uint32_t *places = memory_resized(NULL, page->count, sizeof *places);
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

static int write_large(struct table_query *query, const struct large_question *question,
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
  if (result == 0) result = table_query_write(query, statement, json);
  sqlite3_free(ids);
  free(page.ids);
  return result;
}

static int answer(struct table_query *query, sqlite3_stmt *shape, FILE *out) {
  sqlite3_str *order = sqlite3_str_new(NULL);
  struct json json = short_names_note(query->view, out);
  struct large_question question = {query->view,
                                    query->profile,
                                    query->large,
                                    query->parameters,
                                    table_query_sort(query),
                                    query->compared ? &query->view->compared : NULL,
                                    query->compared ? compared_number_named(table_query_sort(query))
                                                    : COMPARED_END,
                                    table_query_up(query),
                                    (size_t)table_query_limit(query),
                                    (size_t)table_query_offset(query)};
  bool large = false;
  int result = table_order(query, shape, order);
  char *text = sqlite3_str_finish(order);
  const char *order_text = text ? text : "";
  if (result == 0) result = is_large(query, &question, &large);
  json_open(&json, NULL, '{');
  if (query->compared) json_real(&json, "neutral", query->view->compared.neutral);
  if (result == 0)
    result = large ? write_large(query, &question, order_text, &json)
                   : write_answer(query, shape, order_text, &json);
  if (result == 0) short_names_write(&json);
  json_close(&json, '}');
  sqlite3_free(text);
  return result;
}

static int answer_table(struct table_query *query, FILE *out) {
  sqlite3_stmt *shape = NULL;
  int result = table_query_take(query);
  if (result == 0)
    result = workspace_prepare(&query->view->workspace, &shape, query->error,
                               "SELECT * FROM (%s) LIMIT 0", query->rows);
  if (result == 0) result = answer(query, shape, out);
  sqlite3_finalize(shape);
  sqlite3_free(query->rows);
  return result;
}

int tables_answer(struct view *view, const struct parameters *parameters, FILE *out,
                  struct error *error) {
  struct table_query query = {.view = view, .parameters = parameters, .error = error};
  const char *kind = table_query_text(&query, "kind");
  return kind && strcmp(kind, "compared") == 0 ? compared_answer(&query, out)
                                               : answer_table(&query, out);
}

int tables_answer_of_file(struct view *view, const struct parameters *parameters, FILE *out,
                          struct error *error) {
  struct table_query query = {
      .view = view, .parameters = parameters, .most = MOST_OF_A_FILE, .error = error};
  return answer_table(&query, out);
}
