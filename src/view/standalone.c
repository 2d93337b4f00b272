#include "view/standalone.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "view/page.h"
#include "view/series.h"

/* JSON inside a page: in it '<' stands in texts only, and must not look like the end of a script.
 */
static void write_escaped(const char *text, size_t bytes, FILE *out) {
  for (size_t i = 0; i < bytes; i++)
    if (text[i] == '<')
      fputs("\\u003c", out);
    else
      fputc(text[i], out);
}

/* The answer as text, which is the caller's. */
static int take_answer(struct view *view, const char *name, const struct parameters *parameters,
                       char **text, size_t *bytes, struct error *error) {
  *text = NULL;
  FILE *memory = open_memstream(text, bytes);
  if (!memory) return error_set(error, "out of memory");
  enum answer answer = view_answer(view, name, parameters, memory, error);
  int result = answer == ANSWER_GIVEN ? 0 : -1;
  if (fclose(memory) != 0) result = error_set(error, "out of memory");
  return result;
}

static int write_answer(struct view *view, const char *name, const struct parameters *parameters,
                        FILE *out, size_t *bytes, struct error *error) {
  char *text;
  int result = take_answer(view, name, parameters, &text, bytes, error);
  if (result == 0) write_escaped(text, *bytes, out);
  free(text);
  return result;
}

static int write_table(struct view *view, const char *kind, int profile, FILE *out,
                       struct error *error) {
  char rows[16], of[16];
  size_t bytes;
  snprintf(rows, sizeof rows, "%d",
           strcmp(kind, "expressions") == 0 || strcmp(kind, "source_lines") == 0 ? STANDALONE_RANGES
                                                                                 : STANDALONE_ROWS);
  snprintf(of, sizeof of, "%d", profile);
  bool growth = view->n[0] > 0;
  const struct parameters parameters = {
      {{"kind", kind}, {"limit", rows}, {"profile", of}, {"growth", "1"}}, growth ? 4 : 3};
  return write_answer(view, "table", &parameters, out, &bytes, error);
}

static int write_tables(struct view *view, FILE *out, struct error *error) {
  static const char *const kinds[] = {
      "functions",       "arcs",     "sites",    "lines",          "expressions",  "source_lines",
      "copies",          "never",    "places",   "files",          "objects",      "cycles",
      "cycle_functions", "possible", "messages", "message_matrix", "message_sites"};
  fputs("\"tables\":{", out);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    fprintf(out, "%s\"%s\":", i ? "," : "", kinds[i]);
    if (write_table(view, kinds[i], 1, out, error) != 0) return -1;
  }
  fputs("},", out);
  return 0;
}

/* For one thread, or with an empty text for all. */
static int write_flame_pair(struct view *view, const char *thread, FILE *out, struct error *error) {
  char width[16];
  size_t bytes;
  snprintf(width, sizeof width, "%d", STANDALONE_FLAME_WIDTH);
  fprintf(out, "\"%s\":[", thread);
  for (int up = 0; up < 2; up++) {
    const struct parameters parameters = {
        {{"width", width}, {"up", up ? "1" : "0"}, {"objects", "1"}, {"thread", thread}},
        *thread ? 4 : 3};
    if (up) fputc(',', out);
    if (write_answer(view, "flame", &parameters, out, &bytes, error) != 0) return -1;
  }
  fputc(']', out);
  return 0;
}

static int write_flames(struct view *view, FILE *out, struct error *error) {
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(&view->workspace, &row, error,
                        "SELECT CAST(id AS TEXT) FROM p1.threads WHERE self_ns > 0 AND"
                        " (SELECT count(*) FROM p1.threads WHERE self_ns > 0) > 1"
                        " ORDER BY self_ns DESC LIMIT %d",
                        STANDALONE_THREADS) != 0)
    return -1;
  fputs("\"flames\":{", out);
  int step = SQLITE_DONE, result = write_flame_pair(view, "", out, error);
  while (result == 0 && (step = sqlite3_step(row)) == SQLITE_ROW) {
    fputc(',', out);
    result = write_flame_pair(view, (const char *)sqlite3_column_text(row, 0), out, error);
  }
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(&view->workspace, error);
  sqlite3_finalize(row);
  fputs("},", out);
  return result;
}

/* Writes the stacks of the profile that is compared. */
static int write_second_flame(struct view *view, FILE *out, struct error *error) {
  char width[16];
  size_t bytes;
  snprintf(width, sizeof width, "%d", STANDALONE_FLAME_WIDTH);
  const struct parameters parameters = {{{"width", width}, {"profile", "2"}}, 2};
  const struct parameters turned = {{{"width", width}, {"profile", "2"}, {"up", "1"}}, 3};
  if (view->workspace.count < 2 || view->n[0] > 0) return 0;
  fputs("\"flames_of_second\":[", out);
  if (write_answer(view, "flame", &parameters, out, &bytes, error) != 0) return -1;
  fputc(',', out);
  int result = write_answer(view, "flame", &turned, out, &bytes, error);
  fputs("],", out);
  return result;
}

/* ---- machine code ---- */

/* Writes that of the costliest functions, by id. */
static int write_codes(struct view *view, FILE *out, struct error *error) {
  sqlite3_stmt *row = NULL;
  size_t room = STANDALONE_CODE_BYTES, bytes;
  if (workspace_prepare(&view->workspace, &row, error,
                        "SELECT CAST(id AS TEXT) FROM p1.functions WHERE self_ns > 0"
                        " ORDER BY self_ns DESC LIMIT %d",
                        STANDALONE_CODES) != 0)
    return -1;
  fputs("\"codes\":{", out);
  int step = SQLITE_DONE, result = 0;
  for (bool first = true; result == 0 && (step = sqlite3_step(row)) == SQLITE_ROW;) {
    const struct parameters parameters = {{{"id", (const char *)sqlite3_column_text(row, 0)}}, 1};
    char *text;
    result = take_answer(view, "code", &parameters, &text, &bytes, error);
    if (result == 0 && bytes <= room) {
      fprintf(out, "%s\"%s\":", first ? "" : ",", parameters.items[0].value);
      write_escaped(text, bytes, out);
      first = false;
      room -= bytes;
    }
    free(text);
  }
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(&view->workspace, error);
  sqlite3_finalize(row);
  fputs("},", out);
  return result;
}

/* ---- comparisons ---- */

/* A text as JSON. */
static int write_text(const char *text, FILE *out, struct error *error) {
  char *written = NULL;
  size_t bytes;
  FILE *memory = open_memstream(&written, &bytes);
  if (!memory) return error_set(error, "out of memory");
  struct json json = {.out = memory, .first = true};
  json_text(&json, NULL, text);
  int result = fclose(memory) == 0 ? 0 : error_set(error, "out of memory");
  if (result == 0) write_escaped(written, bytes, out);
  free(written);
  return result;
}

static bool any_value(const struct compared *compared) {
  size_t i = 0;
  while (i < compared->pairs.count && isnan(compared->values[i].value))
    i++;
  return i < compared->pairs.count;
}

/* Nothing where no entry has a value: times of what is only counted. */
static int write_comparison(struct view *view, const char *of, const char *by, bool *first,
                            FILE *out, struct error *error) {
  char rows[16], *table = NULL;
  size_t bytes;
  snprintf(rows, sizeof rows, "%d", STANDALONE_ROWS);
  const struct parameters parameters = {
      {{"kind", "compared"}, {"of", of}, {"other", "2"}, {"by", by}, {"limit", rows}}, 5};
  int result = take_answer(view, "table", &parameters, &table, &bytes, error);
  if (result == 0 && any_value(&view->compared)) {
    fprintf(out, "%s{\"of\":\"%s\",\"by\":", *first ? "" : ",", of);
    result = write_text(by, out, error);
    fputs(",\"table\":", out);
    write_escaped(table, bytes, out);
    fputc('}', out);
    *first = false;
  }
  free(table);
  return result;
}

/* A page has no SQL: these, and what was asked for, are chosen from. */
static int write_comparisons(const struct standalone *page, FILE *out, struct error *error) {
  static const char *const asked[][2] = {
      {"functions", "b.self - a.self"},     {"functions", "b.total - a.total"},
      {"functions", "b.calls - a.calls"},   {"functions", "b.self / a.self"},
      {"functions", "b.calls / a.calls"},   {"arcs", "b.total - a.total"},
      {"arcs", "b.calls - a.calls"},        {"sites", "b.calls - a.calls"},
      {"lines", "b.self - a.self"},         {"lines", "b.self / a.self"},
      {"expressions", "b.calls - a.calls"}, {"kinds", "b.self - a.self"},
      {"places", "b.self - a.self"}};
  struct view *view = page->view;
  bool compared = view->workspace.count > 1 && view->n[0] == 0, first = true;
  int result = 0;
  fputs("\"compared\":[", out);
  for (size_t i = 0; result == 0 && compared && i < page->by_count; i++)
    for (int kind = 0; result == 0 && kind < ENTRY_KINDS; kind++)
      result = write_comparison(view, entry_kind_names[kind], page->by[i], &first, out, error);
  for (size_t i = 0; result == 0 && compared && i < sizeof asked / sizeof *asked; i++)
    result = write_comparison(view, asked[i][0], asked[i][1], &first, out, error);
  fprintf(out, "],\"asked\":%zu,", page->by_count);
  return result;
}

/* How many counted expressions and lines each file has, of which the tables may have a part. */
static int write_counted(struct view *view, FILE *out, struct error *error) {
  sqlite3_stmt *row = NULL;
  int step, result = 0;
  if (workspace_prepare(&view->workspace, &row, error,
                        "SELECT file, sum(ranges), sum(lines) FROM (SELECT file,"
                        " count(*) AS ranges, 0 AS lines FROM p1.expressions GROUP BY file"
                        " UNION ALL SELECT file, 0, count(*) FROM p1.source_lines GROUP BY file)"
                        " GROUP BY file") != 0)
    return -1;
  fputs("\"counted\":[", out);
  for (bool first = true; result == 0 && (step = sqlite3_step(row)) == SQLITE_ROW; first = false) {
    const char *file = (const char *)sqlite3_column_text(row, 0);
    fputs(first ? "[" : ",[", out);
    result = write_text(file ? file : "", out, error);
    fprintf(out, ",%lld,%lld]", (long long)sqlite3_column_int64(row, 1),
            (long long)sqlite3_column_int64(row, 2));
  }
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(&view->workspace, error);
  sqlite3_finalize(row);
  fputs("],", out);
  return result;
}

/* ---- plots ---- */

static int write_one_series(struct view *view, const char *key, const char *of, FILE *out,
                            struct error *error) {
  const struct parameters parameters = {{{"of", of}}, 1};
  size_t bytes;
  fprintf(out, "\"%s\":", key);
  int result = write_answer(view, "series", &parameters, out, &bytes, error);
  fputc(',', out);
  return result;
}

/* Writes the series of runs, or of sizes, and the ranks. */
static int write_series(struct view *view, FILE *out, struct error *error) {
  if (write_one_series(view, "ranks", "ranks", out, error) != 0) return -1;
  return write_one_series(view, "series", view->n[0] > 0 ? "growth" : "runs", out, error);
}

/* Writes who sends to whom, by ranks and by nodes. */
static int write_matrices(struct view *view, FILE *out, struct error *error) {
  static const char *const by[] = {"ranks", "nodes"};
  size_t bytes;
  fputs("\"matrices\":{", out);
  for (size_t i = 0; i < 2; i++) {
    const struct parameters parameters = {{{"by", by[i]}}, 1};
    fprintf(out, "%s\"%s\":", i ? "," : "", by[i]);
    if (write_answer(view, "matrix", &parameters, out, &bytes, error) != 0) return -1;
  }
  fputs("},", out);
  return 0;
}

/* Writes which ranks spend their time alike; null where there are none. */
static int write_alike(struct view *view, FILE *out, struct error *error) {
  sqlite3_stmt *row = NULL;
  size_t bytes;
  if (workspace_prepare(&view->workspace, &row, error,
                        "SELECT count(*) FROM p1.runs WHERE rank IS NOT NULL") != 0)
    return -1;
  bool several = sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0) > 1;
  sqlite3_finalize(row);
  fputs("\"alike\":", out);
  const struct parameters none = {0};
  int result = several ? write_answer(view, "alike", &none, out, &bytes, error) : 0;
  fputs(several ? "," : "null,", out);
  return result;
}

/* Writes bands over time. */
static int write_times(struct view *view, FILE *out, struct error *error) {
  const struct parameters none = {0};
  size_t bytes;
  fputs("\"times\":", out);
  int result = write_answer(view, "times", &none, out, &bytes, error);
  fputc(',', out);
  return result;
}

/* ---- sources ---- */

static int write_source(struct view *view, int profile, const char *file, FILE *out, size_t *room,
                        struct error *error) {
  char of[16];
  size_t bytes = 0;
  snprintf(of, sizeof of, "%d", profile);
  const struct parameters parameters = {{{"file", file}, {"rows", "0"}, {"profile", of}}, 3};
  int result = write_answer(view, "source", &parameters, out, &bytes, error);
  *room -= bytes < *room ? bytes : *room;
  return result;
}

static int write_known_source(const char *file, FILE *out, struct error *error) {
  fputs("{\"same\":true,\"file\":", out);
  int result = write_text(file, out, error);
  fputc('}', out);
  return result;
}

/* Those that have room, the costliest first. Texts of another profile that the first has, too,
 * under the same name, are only named. */
static int write_sources(struct view *view, int profile, FILE *out, struct error *error) {
  sqlite3_stmt *row = NULL;
  size_t room = STANDALONE_SOURCE_BYTES, left_out = 0;
  int step, result = 0;
  if (workspace_prepare(&view->workspace, &row, error,
                        "SELECT s.path, length(s.text), %d > 1 AND EXISTS (SELECT 1 FROM p1.sources"
                        " o WHERE o.path = s.path AND o.text = s.text) FROM p%d.sources s LEFT JOIN"
                        " (SELECT file, sum(self_ns) AS ns FROM p%d.lines GROUP BY file) l"
                        " ON l.file = s.path ORDER BY coalesce(l.ns, 0) DESC",
                        profile, profile, profile) != 0)
    return -1;
  fputs("\"sources\":[", out);
  for (bool first = true; result == 0 && (step = sqlite3_step(row)) == SQLITE_ROW;) {
    const char *path = (const char *)sqlite3_column_text(row, 0);
    bool known = sqlite3_column_int(row, 2);
    if (!known && sqlite3_column_int64(row, 1) > (int64_t)room) {
      left_out++;
      continue;
    }
    if (!first) fputc(',', out);
    first = false;
    result = known ? write_known_source(path ? path : "", out, error)
                   : write_source(view, profile, path ? path : "", out, &room, error);
  }
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(&view->workspace, error);
  sqlite3_finalize(row);
  fprintf(out, "],\"sources_left_out\":%zu,", left_out);
  return result;
}

/* Writes what both texts side by side need of the profile that is compared. */
static int write_second(struct view *view, FILE *out, struct error *error) {
  if (view->workspace.count < 2 || view->n[0] > 0) return 0;
  fputs("\"second\":{", out);
  if (write_sources(view, 2, out, error) != 0) return -1;
  fputs("\"tables\":{\"source_lines\":", out);
  if (write_table(view, "source_lines", 2, out, error) != 0) return -1;
  fputs(",\"files\":", out);
  if (write_table(view, "files", 2, out, error) != 0) return -1;
  fputs("}},", out);
  return 0;
}

/* ---- the page ---- */

static int write_data(const struct standalone *page, FILE *out, struct error *error) {
  struct view *view = page->view;
  size_t bytes;
  const struct parameters none = {0};
  fputc('{', out);
  if (write_tables(view, out, error) != 0 || write_flames(view, out, error) != 0 ||
      write_second_flame(view, out, error) != 0 || write_codes(view, out, error) != 0 ||
      write_comparisons(page, out, error) != 0 || write_counted(view, out, error) != 0 ||
      write_series(view, out, error) != 0 || write_matrices(view, out, error) != 0 ||
      write_alike(view, out, error) != 0 || write_times(view, out, error) != 0 ||
      write_sources(view, 1, out, error) != 0 || write_second(view, out, error) != 0)
    return -1;
  fputs("\"info\":", out);
  int result = write_answer(view, "info", &none, out, &bytes, error);
  fputc('}', out);
  return result;
}

/* Names cannot become elements, as '<' is escaped; the policy, whose nonce is no secret here,
 * forbids all that comes from elsewhere. */
int standalone_write(const struct standalone *page, FILE *out, struct error *error) {
  static const char nonce[] = "ascribe";
  char policy[512];
  page_policy(nonce, "", policy, sizeof policy);
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>Ascribe</title>\n<style nonce=\"%s\">%s</style>\n</head>\n<body>\n"
          "<noscript>This page needs JavaScript.</noscript>\n"
          "<script type=\"application/json\" id=\"profile\">",
          policy, nonce, page_asset("viewer.css")->text);
  int result = write_data(page, out, error);
  fprintf(out, "</script>\n<script nonce=\"%s\">%s</script>\n</body>\n</html>\n", nonce,
          page_asset("viewer.js")->text);
  return result;
}
