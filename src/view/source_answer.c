#include "view/source_answer.h"

#include "base/json.h"
#include "view/table_answer.h"

/* The answer is left open for more. */
static int write_text(struct view *view, const struct parameters *parameters, struct json *json,
                      struct error *error) {
  const char *file = parameters_text(parameters, "file");
  sqlite3_stmt *statement = NULL;
  if (!file) return error_set(error, "no file is named");
  if (workspace_prepare(&view->workspace, &statement, error,
                        "SELECT text, newer FROM p%d.sources WHERE path = ?1 LIMIT 1",
                        (int)view_profile(view, parameters)) != 0)
    return -1;
  sqlite3_bind_text(statement, 1, file, -1, SQLITE_STATIC);
  int step = sqlite3_step(statement);
  json_open(json, NULL, '{');
  json_text(json, "file", file);
  json_text(json, "text",
            step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL);
  json_flag(json, "newer", step == SQLITE_ROW && sqlite3_column_int(statement, 1));
  sqlite3_finalize(statement);
  return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : workspace_error(&view->workspace, error);
}

/* ---- what is known of its lines ---- */

/* How much of the question each part takes. */
enum { ONE_PROFILE = 1, GROWN, COMPARED = 4 };

/* When a part is needed: always, of several profiles, or if rows have growth. */
enum when { ALWAYS, OF_SEVERAL, OF_GROWTH };

/* Lines know the sums of their call sites: the page asks for sites themselves line by line. */
static const struct part {
  const char *key, *kind;
  size_t handed;
  enum when when;
} parts[] = {{"lines", "source_lines", ONE_PROFILE, ALWAYS},
             {"by_function", "lines", COMPARED, OF_SEVERAL},
             {"functions", "functions", GROWN, ALWAYS},
             {"sites", "file_sites", GROWN, OF_GROWTH},
             {"expressions", "file_expressions", COMPARED, ALWAYS},
             {"places", "places", ONE_PROFILE, ALWAYS}};

/* The same question of tables, as far as they take it. */
static struct parameters ask_part(const struct parameters *parameters, const struct part *part) {
  static const char *const handed[] = {"profile", "growth", "other", "by"};
  struct parameters asked = {0};
  parameters_add(&asked, "kind", part->kind);
  parameters_add(&asked, "is.file", parameters_text(parameters, "file"));
  for (size_t i = 0; i < sizeof handed / sizeof *handed; i++) {
    const char *value = parameters_text(parameters, handed[i]);
    if (value && i < part->handed) parameters_add(&asked, handed[i], value);
  }
  return asked;
}

static int write_parts(struct view *view, const struct parameters *parameters, FILE *out,
                       struct error *error) {
  bool growth = parameters_text(parameters, "growth");
  bool needed[] = {true, growth || parameters_text(parameters, "other"), growth};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!needed[parts[i].when]) continue;
    const struct parameters asked = ask_part(parameters, &parts[i]);
    fprintf(out, ",\"%s\":", parts[i].key);
    if (tables_answer_of_file(view, &asked, out, error) != 0) return -1;
  }
  return 0;
}

int source_answer(struct view *view, const struct parameters *parameters, FILE *out,
                  struct error *error) {
  struct json json = {.out = out, .first = true};
  if (write_text(view, parameters, &json, error) != 0) return -1;
  if (parameters_number(parameters, "rows", 1, 1) && write_parts(view, parameters, out, error) != 0)
    return -1;
  json_close(&json, '}');
  return 0;
}
