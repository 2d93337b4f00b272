#include "view/compared_answer.h"

#include <stdlib.h>

#include "compare/verdict.h"
#include "view/compared_rows.h"

#define TEXT_OF(side)                                                                              \
  "excerpt(p" side ".id, " side ".file, " side ".line, " side ".source_column, " side              \
  ".end_line, " side ".end_column)"

/* Entries of both profiles, including those that only one has. The entries of the rows are in
 * `shown`. */
static const char compared_sql[] =
    "SELECT c.a, c.b, coalesce(a.name, b.name) AS name,"
    " coalesce(a.caller_name, b.caller_name) AS caller_name,"
    " coalesce(a.file, b.file) AS file, coalesce(a.line, b.line) AS line,"
    " coalesce(a.source_column, b.source_column) AS source_column, coalesce(a.way, b.way) AS way,"
    " a.calls AS a_calls, b.calls AS b_calls, a.self / pa.scale AS a_self_ns,"
    " b.self / pb.scale AS b_self_ns, a.total / pa.scale AS a_total_ns,"
    " b.total / pb.scale AS b_total_ns, a.self_uncertainty / pa.scale AS a_uncertainty_ns,"
    " b.self_uncertainty / pb.scale AS b_uncertainty_ns, c.value, c.low, c.high, c.stands_out,"
    " abs(c.value - n.neutral) AS distance,"
    " coalesce(c.stands_out, 0) + 1 - 1 / (1 + abs(c.value - n.neutral)) AS verdict_order,"
    " CASE WHEN c.a IS NOT NULL THEN " TEXT_OF("a") " ELSE " TEXT_OF(
        "b") " END AS text"
             " FROM compared c JOIN comparing n JOIN profile pa ON pa.id = %1$d JOIN profile pb ON "
             "pb.id = "
             "%2$d"
             " LEFT JOIN shown a ON a.profile = pa.id AND a.id = c.a"
             " LEFT JOIN shown b ON b.profile = pb.id AND b.id = c.b ORDER BY c.rowid";

static int show_entries(struct table_query *query, const struct compared_page *page) {
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

static int write_pairs(struct table_query *query, const struct compared_page *page, FILE *out) {
  struct json json = short_names_note(query->view, out);
  const struct compared *compared = &query->view->compared;
  sqlite3_stmt *statement = NULL;
  struct verdict verdict;
  char own[3072];
  snprintf(own, sizeof own, compared_sql, (int)compared->first, (int)compared->second);
  if (verdict_find(&query->view->workspace, compared, &verdict, query->error) != 0 ||
      show_entries(query, page) != 0 ||
      workspace_prepare(&query->view->workspace, &statement, query->error, "%s", own) != 0)
    return -1;
  json_open(&json, NULL, '{');
  json_real(&json, "neutral", compared->neutral);
  json_integer(&json, "count", (int64_t)page->all);
  verdict_json(&verdict, &json);
  int result = table_query_write(query, statement, &json);
  if (result == 0) short_names_write(&json);
  json_close(&json, '}');
  return result;
}

int compared_answer(struct table_query *query, FILE *out) {
  const char *of = table_query_text(query, "of");
  enum compared_kind kind;
  size_t profile = view_profile(query->view, query->parameters), other;
  if (!of || !entry_kind_named(of, &kind))
    return error_set(query->error,
                     "functions, arcs, sites, lines, expressions, kinds or places can be compared");
  if (table_query_other(query, &other) != 0 ||
      table_query_compare(query, kind, profile, other) != 0)
    return -1;
  query->sort = "verdict_order";
  const struct compared_question question = {.view = query->view,
                                             .compared = &query->view->compared,
                                             .filter = table_query_text(query, "filter"),
                                             .sort = table_query_sort(query),
                                             .up = table_query_up(query),
                                             .limit = (size_t)table_query_limit(query),
                                             .offset = (size_t)table_query_offset(query)};
  struct compared_page page;
  int result = compared_rows_find(&question, &page, query->error);
  if (result == 0) result = write_pairs(query, &page, out);
  free(page.places);
  return result;
}
