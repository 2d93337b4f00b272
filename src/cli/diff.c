/* ascribe diff: two profiles compared, entry by entry. */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/entry_labels.h"
#include "cli/profile_file.h"
#include "compare/comparison.h"
#include "compare/expression.h"
#include "report/json.h"
#include "report/quantity.h"

static const char usage[] =
    "usage: ascribe diff [options] A B\n"
    "\n"
    "Compare the functions of two profiles, or recordings: A is before, B is after.\n"
    "\n"
    "      --of KIND       instead of functions: arcs (calls between functions), sites (of "
    "calls),\n"
    "                      lines, or expressions (where they were counted)\n"
    "  -b, --by EXPR       compare by an SQL expression over the entries of both, a.* and b.*\n"
    "                      (default: b.self - a.self, of arcs b.total - a.total; of sites,\n"
    "                      expressions, and where there are no times, b.calls - a.calls);\n"
    "                      names are below\n"
    "      --fail-if EXPR  end with status 3 if the condition holds for an entry wherever in\n"
    "                      their intervals the sampled figures lie; those entries are listed\n"
    "  -n, --limit N       at most N entries (default 20; 0: all)\n"
    "      --neutral N     the value of EXPR that means no difference (default: 1 for a ratio,\n"
    "                      else 0)\n"
    "      --json          one JSON object\n"
    "  -h, --help          show this\n"
    "\n"
    "Names, as in b.calls - 2 * a.calls or b.self / a.self (times are in seconds; calls of lines\n"
    "and expressions are how often they were executed):\n";

enum { STATUS_WRONG_USE = 2, STATUS_CONDITION = 3 };

struct request {
  enum compared_kind kind;
  const char *expression; /* null: the kind's own */
  const char *condition, *files[2];
  int64_t limit;
  double neutral;
  bool json;
};

static int wrong_use(const char *what) {
  fprintf(stderr, "ascribe diff: %s: see ascribe diff --help\n", what);
  return -1;
}

static int parse_limit(const char *text, int64_t *limit) {
  char *end;
  long value = strtol(text, &end, 10);
  if (end == text || *end || value < 0) return wrong_use("--limit wants a number");
  *limit = value ? value : INT64_MAX;
  return 0;
}

static int parse_neutral(const char *text, double *neutral) {
  char *end;
  *neutral = strtod(text, &end);
  return end == text || *end || !isfinite(*neutral) ? wrong_use("--neutral wants a number") : 0;
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_option(struct request *request, int option) {
  switch (option) {
  case 'o':
    if (entry_kind_named(optarg, &request->kind)) return 0;
    entry_kind_wrong(optarg, "ascribe diff");
    return -1;
  case 'b':
    request->expression = optarg;
    return 0;
  case 'f':
    request->condition = optarg;
    return 0;
  case 'n':
    return parse_limit(optarg, &request->limit);
  case 'e':
    return parse_neutral(optarg, &request->neutral);
  case 'j':
    request->json = true;
    return 0;
  case 'h':
    printf("%s%s\n", usage, comparison_columns);
    return 1;
  default: /* getopt has said what is wrong */
    fputs("try: ascribe diff --help\n", stderr);
    return -1;
  }
}

static int parse_options(int count, char **arguments, struct request *request) {
  static const struct option known[] = {
      {"of", required_argument, NULL, 'o'},      {"by", required_argument, NULL, 'b'},
      {"fail-if", required_argument, NULL, 'f'}, {"limit", required_argument, NULL, 'n'},
      {"neutral", required_argument, NULL, 'e'}, {"json", no_argument, NULL, 'j'},
      {"help", no_argument, NULL, 'h'},          {0}};
  int option, result = 0;
  while (result == 0 && (option = getopt_long(count, arguments, "b:n:h", known, NULL)) != -1)
    result = parse_option(request, option);
  if (result != 0) return result;
  if (count - optind != 2) return wrong_use("two profiles are compared, A and B");
  request->files[0] = arguments[optind];
  request->files[1] = arguments[optind + 1];
  return 0;
}

/* ---- the profiles ---- */

struct side {
  const char *unit; /* null: time */
  char name[64];
  double scale, whole;
};

struct result {
  const char *expression;
  bool amount; /* its value is one, in the unit of the sides */
  struct side sides[2];
  char programs[2][64]; /* their names; empty: not known */
  bool same_program;
  double neutral;
  int64_t entries, failed;
  int64_t unknown, unjudged; /* entries without a value; for which the condition is not known */
};

static double number(sqlite3_stmt *row, int column) {
  return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN : sqlite3_column_double(row, column);
}

static int read_sides(struct workspace *workspace, struct result *result, struct error *error) {
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(workspace, &row, error,
                        "SELECT unit, scale, whole FROM profile ORDER BY id") != 0)
    return -1;
  for (int i = 0; i < 2 && sqlite3_step(row) == SQLITE_ROW; i++) {
    struct side *side = &result->sides[i];
    snprintf(side->name, sizeof side->name, "%s", (const char *)sqlite3_column_text(row, 0));
    side->unit = strcmp(side->name, "ns") == 0 ? NULL : side->name;
    side->scale = sqlite3_column_double(row, 1);
    side->whole = sqlite3_column_double(row, 2);
  }
  sqlite3_finalize(row);
  if (strcmp(result->sides[0].name, result->sides[1].name) == 0) return 0;
  return error_set(error, "one profile counts %s and the other %s: they cannot be compared",
                   result->sides[0].unit ? result->sides[0].unit : "time",
                   result->sides[1].unit ? result->sides[1].unit : "time");
}

static int read_programs(struct workspace *workspace, struct result *result, struct error *error) {
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

static bool different_programs(const struct result *result) {
  return result->programs[0][0] && result->programs[1][0] && !result->same_program;
}

static const char *default_expression(enum compared_kind kind, const struct side sides[2]) {
  bool times = sides[0].whole > 0 || sides[1].whole > 0;
  if (kind == ENTRY_SITES || kind == ENTRY_EXPRESSIONS || !times) return "b.calls - a.calls";
  return kind == ENTRY_ARCS ? "b.total - a.total" : "b.self - a.self";
}

static int read_result(struct workspace *workspace, struct result *result, struct error *error) {
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

enum {
  VALUE,
  LOW,
  HIGH,
  STANDS_OUT,
  FAILED,
  A,
  B,
  A_CALLS,
  B_CALLS,
  A_SELF,
  B_SELF,
  A_TOTAL,
  B_TOTAL
};

/* What stands out comes first; what has no value is left out, as it cannot be judged. */
static int prepare_rows(struct workspace *workspace, const struct request *request,
                        sqlite3_stmt **rows, struct error *error) {
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

/* The entry as the later profile has it, or else the earlier. */
static size_t profile_of(sqlite3_stmt *row, int64_t *id) {
  int profile = sqlite3_column_type(row, B) == SQLITE_NULL ? 1 : 2;
  *id = sqlite3_column_int64(row, profile == 2 ? B : A);
  return profile;
}

static void print_amount(sqlite3_stmt *row, int column, int entry, const struct side *side) {
  char text[DURATION_BYTES];
  if (sqlite3_column_type(row, entry) == SQLITE_NULL)
    printf("%11s", "none");
  else if (isnan(number(row, column)))
    printf("%11s", "-");
  else
    printf("%11s", quantity_short_text(side->unit, number(row, column) / side->scale, text));
}

static void print_calls(sqlite3_stmt *row, int column, int entry) {
  if (sqlite3_column_type(row, entry) == SQLITE_NULL)
    printf("%14s", "none");
  else if (isnan(number(row, column)))
    printf("%14s", "-");
  else
    printf("%14.0f", number(row, column));
}

static const char *value_text(const struct result *result, double value,
                              char text[DURATION_BYTES]) {
  return quantity_short_text(result->sides[0].unit, fabs(value) / result->sides[0].scale, text);
}

/* Amounts with their unit, and differences of counts to the last digit. */
static void print_value(const struct result *result, const char *mark, double value) {
  char text[DURATION_BYTES], whole[DURATION_BYTES + 1];
  snprintf(whole, sizeof whole, "%s%s", value < 0 ? "-" : "", value_text(result, value, text));
  if (result->amount)
    printf("%s %11s ", mark, whole);
  else
    printf(value == rint(value) && fabs(value) < 1e11 ? "%s %11.0f " : "%s %11.4g ", mark, value);
}

static void print_uncertainty(const struct result *result, double half) {
  char text[DURATION_BYTES];
  if (result->amount)
    printf("%9s", value_text(result, half, text));
  else
    printf("%9.2g", half);
}

static int print_row(struct entry_labels *labels, sqlite3_stmt *row, const struct result *result,
                     struct error *error) {
  const char *mark = "?";
  if (sqlite3_column_type(row, STANDS_OUT) != SQLITE_NULL)
    mark = sqlite3_column_int(row, STANDS_OUT) ? " " : "~";
  double value = number(row, VALUE), low = number(row, LOW), high = number(row, HIGH);
  double half = fmax(value - low, high - value);
  print_value(result, mark, value);
  if (isnan(low))
    printf("%9s", "?");
  else if (half == 0)
    printf("%9s", "");
  else
    print_uncertainty(result, half);
  print_calls(row, A_CALLS, A);
  print_calls(row, B_CALLS, B);
  print_amount(row, A_SELF, A, &result->sides[0]);
  print_amount(row, B_SELF, B, &result->sides[1]);
  fputs("  ", stdout);
  int64_t id;
  size_t profile = profile_of(row, &id);
  int done = entry_label_print(labels, profile, id, stdout, error);
  putchar('\n');
  return done;
}

static void print_head(const struct request *request, const struct result *result) {
  static const char letters[] = "ab";
  char text[QUANTITY_BYTES];
  for (int i = 0; i < 2; i++) {
    const struct side *side = &result->sides[i];
    printf("%c  ", letters[i]);
    text_name(stdout, request->files[i], 0);
    printf(": %s in all\n", quantity_text(side->unit, side->whole / side->scale, text));
  }
  if (different_programs(result)) {
    fputs("different programs (", stdout);
    text_name(stdout, result->programs[0], 0);
    fputs("; ", stdout);
    text_name(stdout, result->programs[1], 0);
    puts("): what has the same name is compared");
  }
  fputs("by ", stdout);
  text_name(stdout, result->expression, 0);
  printf("; %g means no difference\n\n", result->neutral);
  printf("  %11s %9s%14s%14s%11s%11s  %s\n", "value", "+-", "a.calls", "b.calls", "a.self",
         "b.self", entry_noun(request->kind));
}

/* What the rows have that needs a word. */
struct notes {
  bool any, noise, unknown, lacking, dash;
};

static void note_row(struct notes *notes, sqlite3_stmt *row) {
  bool known = sqlite3_column_type(row, STANDS_OUT) != SQLITE_NULL;
  notes->any = true;
  notes->unknown |= !known;
  notes->noise |= known && !sqlite3_column_int(row, STANDS_OUT);
  for (int side = 0; side < 2; side++) {
    bool lacks = sqlite3_column_type(row, A + side) == SQLITE_NULL;
    notes->lacking |= lacks;
    notes->dash |=
        !lacks && (isnan(number(row, A_CALLS + side)) || isnan(number(row, A_SELF + side)));
  }
}

static void print_count(int64_t count, enum compared_kind kind, const char *one, const char *many) {
  printf("\n%" PRId64 " %s %s", count, count == 1 ? entry_noun(kind) : entry_noun_of_many(kind),
         count == 1 ? one : many);
}

static void print_notes(const struct request *request, const struct result *result,
                        const struct notes *notes) {
  if (!notes->any)
    puts(request->condition ? "  (the condition holds nowhere)" : "  (no difference)");
  if (notes->noise) puts("\n~ does not stand out of its uncertainty (95 %): it may be chance");
  if (notes->unknown) puts("\n? its uncertainty is not known");
  if (notes->lacking) printf("\nnone: the profile has no such %s\n", entry_noun(request->kind));
  if (notes->dash) puts("\n-: not known: calls were not counted there, or time was not taken");
  if (result->unknown) {
    print_count(result->unknown, request->kind, "has", "have");
    fputs(" no value: the expression asks for figures that are not known, or is no number there\n",
          stdout);
  }
  if (!request->condition) return;
  if (result->unjudged) {
    print_count(result->unjudged, request->kind, "cannot", "cannot");
    fputs(" be judged by the condition: figures that it asks for are not known\n", stdout);
  }
  if (result->failed) {
    print_count(result->failed, request->kind, "fulfils ", "fulfil ");
    text_name(stdout, request->condition, 0);
    putchar('\n');
  }
}

static int print_text(struct entry_labels *labels, const struct request *request,
                      const struct result *result, struct error *error) {
  sqlite3_stmt *rows = NULL;
  struct notes notes = {0};
  int step = SQLITE_DONE, done = 0;
  if (prepare_rows(labels->workspace, request, &rows, error) != 0) return -1;
  print_head(request, result);
  while (done == 0 && (step = sqlite3_step(rows)) == SQLITE_ROW) {
    done = print_row(labels, rows, result, error);
    note_row(&notes, rows);
  }
  if (done == 0 && step != SQLITE_DONE) done = workspace_error(labels->workspace, error);
  sqlite3_finalize(rows);
  if (done == 0) print_notes(request, result, &notes);
  return done;
}

/* ---- JSON ---- */

static void json_figures(struct json *json, const char *key, sqlite3_stmt *row, int entry,
                         int offset) {
  if (sqlite3_column_type(row, entry) == SQLITE_NULL) {
    json_null(json, key);
    return;
  }
  json_open(json, key, '{');
  json_integer(json, "id", sqlite3_column_int64(row, entry));
  json_real(json, "calls", number(row, A_CALLS + offset));
  json_real(json, "self", number(row, A_SELF + offset));
  json_real(json, "total", number(row, A_TOTAL + offset));
  json_close(json, '}');
}

static int json_row(struct entry_labels *labels, struct json *json, sqlite3_stmt *row,
                    struct error *error) {
  int64_t id;
  size_t profile = profile_of(row, &id);
  json_open(json, NULL, '{');
  int result = entry_label_json(labels, profile, id, json, error);
  json_real(json, "value", number(row, VALUE));
  json_real(json, "low", number(row, LOW));
  json_real(json, "high", number(row, HIGH));
  if (sqlite3_column_type(row, STANDS_OUT) == SQLITE_NULL)
    json_null(json, "stands_out");
  else
    json_flag(json, "stands_out", sqlite3_column_int(row, STANDS_OUT));
  json_flag(json, "failed", sqlite3_column_int(row, FAILED));
  json_figures(json, "a", row, A, 0);
  json_figures(json, "b", row, B, 1);
  json_close(json, '}');
  return result;
}

static int print_json(struct entry_labels *labels, const struct request *request,
                      const struct result *result, struct error *error) {
  static const char *const keys[] = {"a", "b"};
  struct json json = {.out = stdout, .first = true};
  sqlite3_stmt *rows = NULL;
  int step = SQLITE_DONE, done = 0;
  if (prepare_rows(labels->workspace, request, &rows, error) != 0) return -1;
  json_open(&json, NULL, '{');
  for (int i = 0; i < 2; i++) {
    json_open(&json, keys[i], '{');
    json_text(&json, "file", request->files[i]);
    json_real(&json, "whole", result->sides[i].whole);
    json_close(&json, '}');
  }
  json_text(&json, "unit", result->sides[0].unit ? result->sides[0].unit : "s");
  if (result->same_program || different_programs(result))
    json_flag(&json, "same_program", result->same_program);
  else
    json_null(&json, "same_program");
  json_text(&json, "by", result->expression);
  json_real(&json, "neutral", result->neutral);
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

/* ---- the command ---- */

/* A condition that can be judged for nothing is no condition that holds nowhere. */
static int check_judged(const struct request *request, const struct result *result,
                        struct error *error) {
  if (!result->entries && request->kind == ENTRY_EXPRESSIONS)
    return error_set(error, "neither profile has expressions: build with ascribe cc --expressions"
                            " to count them");
  if (!request->condition || !result->entries || result->unjudged < result->entries) return 0;
  return error_set(error,
                   "%.200s: it can be judged for no %s, as figures that it asks for are not known",
                   request->condition, entry_noun(request->kind));
}

static int show(struct workspace *workspace, const struct request *request,
                const struct result *result, struct error *error) {
  struct entry_labels labels = {.workspace = workspace, .kind = request->kind};
  int done = request->json ? print_json(&labels, request, result, error)
                           : print_text(&labels, request, result, error);
  entry_labels_close(&labels);
  return done;
}

/* The tables that rows are read from: the comparison and its entries. */
static int fill(struct workspace *workspace, const struct comparison *comparison,
                struct error *error) {
  struct compared compared = {0};
  int result = comparison_run(workspace, comparison, &compared, error);
  if (result == 0) result = compared_table(workspace, &compared, NULL, 0, error);
  compared_free(&compared);
  for (size_t profile = 1; result == 0 && profile <= 2; profile++)
    result = entries_copy(workspace, profile, comparison->kind, error);
  return result;
}

static int compare(struct workspace *workspace, const struct request *request,
                   struct result *result, struct error *error) {
  if (workspace_open(workspace, error) != 0) return -1;
  for (int i = 0; i < 2; i++)
    if (profile_file_add(workspace, request->files[i], "ascribe diff", error) != 0) return -1;
  if (read_sides(workspace, result, error) != 0 || read_programs(workspace, result, error) != 0)
    return -1;
  result->expression =
      request->expression ? request->expression : default_expression(request->kind, result->sides);
  result->amount = expression_is_amount(result->expression);
  const struct comparison comparison = {.kind = request->kind,
                                        .first = 1,
                                        .second = 2,
                                        .expression = result->expression,
                                        .fail_if = request->condition,
                                        .neutral = request->neutral};
  if (fill(workspace, &comparison, error) != 0 || read_result(workspace, result, error) != 0 ||
      check_judged(request, result, error) != 0)
    return -1;
  return show(workspace, request, result, error);
}

int command_diff(int count, char **arguments) {
  static char name[] = "ascribe diff"; /* for getopt's messages */
  struct request request = {.limit = 20, .neutral = NAN};
  struct workspace workspace;
  struct result result = {0};
  struct error error;
  arguments[0] = name;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int outcome = compare(&workspace, &request, &result, &error);
  workspace_close(&workspace);
  if (outcome == 0 && fflush(stdout) != 0)
    outcome = error_set(&error, "the output cannot be written");
  if (outcome != 0) {
    fprintf(stderr, "ascribe diff: %s\n", error.text);
    return 1;
  }
  return request.condition && result.failed ? STATUS_CONDITION : 0;
}
