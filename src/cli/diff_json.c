#include "cli/diff_json.h"

#include <stdio.h>

static void json_figures(struct json *json, const char *key, sqlite3_stmt *row, int entry,
                         int offset) {
  if (!diff_known(row, entry)) {
    json_null(json, key);
    return;
  }
  json_open(json, key, '{');
  json_integer(json, "id", sqlite3_column_int64(row, entry));
  json_real(json, "calls", diff_number(row, DIFF_A_CALLS + offset));
  json_real(json, "self", diff_number(row, DIFF_A_SELF + offset));
  json_real(json, "total", diff_number(row, DIFF_A_TOTAL + offset));
  json_close(json, '}');
}

static int json_row(struct entry_labels *labels, struct json *json, sqlite3_stmt *row,
                    struct error *error) {
  int64_t id;
  size_t profile = diff_row_entry(row, &id);
  json_open(json, NULL, '{');
  int result = entry_label_json(labels, profile, id, json, error);
  json_real(json, "value", diff_number(row, DIFF_VALUE));
  json_real(json, "low", diff_number(row, DIFF_LOW));
  json_real(json, "high", diff_number(row, DIFF_HIGH));
  if (!diff_known(row, DIFF_STANDS_OUT))
    json_null(json, "stands_out");
  else
    json_flag(json, "stands_out", sqlite3_column_int(row, DIFF_STANDS_OUT));
  json_flag(json, "certain", diff_number(row, DIFF_LOW) == diff_number(row, DIFF_HIGH));
  json_flag(json, "failed", sqlite3_column_int(row, DIFF_FAILED));
  json_figures(json, "a", row, DIFF_A, 0);
  json_figures(json, "b", row, DIFF_B, 1);
  json_close(json, '}');
  return result;
}

int diff_json(struct entry_labels *labels, const struct diff_request *request,
              const struct diff_result *result, struct error *error) {
  static const char *const keys[] = {"a", "b"};
  struct json json = {.out = stdout, .first = true};
  sqlite3_stmt *rows = NULL;
  int step = SQLITE_DONE, done = 0;
  if (diff_rows(labels->workspace, request, &rows, error) != 0) return -1;
  json_open(&json, NULL, '{');
  for (int i = 0; i < 2; i++) {
    json_open(&json, keys[i], '{');
    json_text(&json, "file", request->files[i]);
    json_real(&json, "whole", result->sides[i].whole);
    json_integer(&json, "runs", result->verdict.spread.runs[i]);
    json_close(&json, '}');
  }
  json_text(&json, "unit", result->sides[0].unit ? result->sides[0].unit : "s");
  if (result->same_program || diff_programs_differ(result))
    json_flag(&json, "same_program", result->same_program);
  else
    json_null(&json, "same_program");
  json_text(&json, "by", result->expression);
  json_real(&json, "neutral", result->neutral);
  json_real(&json, "run_to_run", expm1(result->verdict.spread.whole));
  json_flag(&json, "run_to_run_measured", result->verdict.spread.measured);
  json_integer(&json, "judged_together", (int64_t)result->verdict.judged_together);
  verdict_json(&result->verdict, &json);
  json_text(&json, "fail_if", request->condition);
  json_integer(&json, "failed", result->failed);
  json_integer(&json, "unknown", result->unknown);
  json_integer(&json, "unjudged", request->condition ? result->unjudged : 0);
  json_open(&json, entry_kind_names[request->kind], '[');
  while (done == 0 && (step = sqlite3_step(rows)) == SQLITE_ROW)
    done = json_row(labels, &json, rows, error);
  json_close(&json, ']');
  json_close(&json, '}');
  putchar('\n');
  if (done == 0 && step != SQLITE_DONE) done = workspace_error(labels->workspace, error);
  sqlite3_finalize(rows);
  return done;
}
