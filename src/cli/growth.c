/* ascribe growth: how calls and time grow with the size of the input. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/profile_file.h"
#include "cli/sized_file.h"
#include "compare/growth_table.h"
#include "report/json.h"
#include "report/quantity.h"

static const char usage[] =
    "usage: ascribe growth [options] n=SIZE:FILE n=SIZE:FILE...\n"
    "\n"
    "Fit figure = factor * n ^ exponent to profiles of one program with inputs of several sizes,\n"
    "for each function. What grows faster than the whole program comes first.\n"
    "\n"
    "  -n, --limit N  at most N functions (default 20; 0: all)\n"
    "      --json     one JSON object\n"
    "  -h, --help     show this\n";

enum { STATUS_WRONG_USE = 2 };

struct request {
  double n[WORKSPACE_MOST];
  const char *files[WORKSPACE_MOST];
  size_t count, limit;
  bool json;
};

static int wrong_use(const char *format, const char *word) {
  fputs("ascribe growth: ", stderr);
  fprintf(stderr, format, word);
  fputs(": see ascribe growth --help\n", stderr);
  return -1;
}

static int parse_limit(const char *text, size_t *limit) {
  char *end;
  long value = strtol(text, &end, 10);
  if (end == text || *end || value < 0) return wrong_use("--limit %s is no number", text);
  *limit = value ? (size_t)value : SIZE_MAX;
  return 0;
}

/* n=1000:a.ascribe */
static int parse_run(struct request *request, const char *text) {
  if (request->count == WORKSPACE_MOST) return wrong_use("too many profiles, at %s", text);
  size_t at = request->count;
  const char *wrong = sized_file_parse(text, &request->n[at], &request->files[at]);
  if (wrong) {
    fprintf(stderr, "ascribe growth: %s: %s: see ascribe growth --help\n", text, wrong);
    return -1;
  }
  request->count++;
  return 0;
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  static const struct option known[] = {{"limit", required_argument, NULL, 'n'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  int option, result = 0;
  while ((option = getopt_long(count, arguments, "n:h", known, NULL)) != -1) {
    switch (option) {
    case 'n':
      if (parse_limit(optarg, &request->limit) != 0) return -1;
      break;
    case 'j':
      request->json = true;
      break;
    case 'h':
      fputs(usage, stdout);
      return 1;
    default: /* getopt has said what is wrong */
      fputs("try: ascribe growth --help\n", stderr);
      return -1;
    }
  }
  for (int i = optind; result == 0 && i < count; i++)
    result = parse_run(request, arguments[i]);
  if (result == 0 && request->count < 2)
    result = wrong_use("%s", "profiles of two sizes are needed at least");
  return result;
}

/* ---- text ---- */

static bool seen(const struct growth_row *row) {
  return row->growth[GROWTH_CALLS].points || row->growth[GROWTH_SELF].points ||
         row->growth[GROWTH_TOTAL].points;
}

static void print_growth(const struct growth *growth, bool faster) {
  char text[32];
  if (!growth->points)
    snprintf(text, sizeof text, "-");
  else if (growth->uncertainty < 0.005)
    snprintf(text, sizeof text, "%.2f", growth->exponent);
  else if (growth->uncertainty > 99)
    snprintf(text, sizeof text, "%.2f +- ?", growth->exponent);
  else
    snprintf(text, sizeof text, "%.2f +- %.2f", growth->exponent, growth->uncertainty);
  printf("%15s%c", text, faster ? '*' : ' ');
}

static void print_last(const double last[GROWTH_FIGURES], const char *unit, double scale) {
  char text[DURATION_BYTES];
  double time = isnan(last[GROWTH_TOTAL]) ? last[GROWTH_SELF] : last[GROWTH_TOTAL];
  if (isnan(last[GROWTH_CALLS]))
    printf("%14s", "-");
  else
    printf("%14.0f", last[GROWTH_CALLS]);
  printf("%11s  ", isnan(time) ? "-" : quantity_short_text(unit, time / scale, text));
}

static void print_table(const struct request *request, const struct growth_table *table,
                        const char *unit, double scale) {
  printf("largest n: %g\n\n%16s%16s%16s%14s%11s  function\n", request->n[table->largest - 1],
         "calls ~ n^", "self ~ n^ ", "total ~ n^ ", "calls", unit ? "total" : "time");
  for (int figure = 0; figure < GROWTH_FIGURES; figure++)
    print_growth(&table->whole[figure], false);
  print_last(table->last, unit, scale);
  puts("(the whole)");
  size_t shown = 0;
  for (size_t i = 0; i < table->count && shown < request->limit; i++) {
    const struct growth_row *row = &table->rows[i];
    if (!seen(row)) continue;
    for (int figure = 0; figure < GROWTH_FIGURES; figure++)
      print_growth(&row->growth[figure], row->faster[figure]);
    print_last(row->last, unit, scale);
    text_function(stdout, row->name, 60);
    putchar('\n');
    shown++;
  }
  puts("\n* grows faster than the whole, by more than the uncertainties (95 %)");
}

/* ---- JSON ---- */

static void json_growth(struct json *json, const char *key, const struct growth *growth,
                        double last, const bool *faster) {
  json_open(json, key, '{');
  json_real(json, "last", last);
  json_number(json, "points", growth->points);
  json_real(json, "exponent", growth->points ? growth->exponent : NAN);
  json_real(json, "uncertainty", growth->points ? growth->uncertainty : NAN);
  json_real(json, "factor", growth->points ? growth->factor : NAN);
  if (faster) json_flag(json, "faster", *faster);
  json_close(json, '}');
}

static void json_figures(struct json *json, const struct growth *growth, const double *last,
                         const bool *faster) {
  static const char *const keys[] = {"calls", "self", "total"};
  for (int figure = 0; figure < GROWTH_FIGURES; figure++)
    json_growth(json, keys[figure], &growth[figure], last[figure], faster ? &faster[figure] : NULL);
}

static void print_json(const struct request *request, const struct growth_table *table,
                       const char *unit) {
  struct json json = {.out = stdout, .first = true};
  json_open(&json, NULL, '{');
  json_text(&json, "unit", unit ? unit : "s");
  json_open(&json, "runs", '[');
  for (size_t i = 0; i < request->count; i++) {
    json_open(&json, NULL, '{');
    json_real(&json, "n", request->n[i]);
    json_text(&json, "file", request->files[i]);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_open(&json, "whole", '{');
  json_figures(&json, table->whole, table->last, NULL);
  json_close(&json, '}');
  json_open(&json, "functions", '[');
  for (size_t i = 0; i < table->count && i < request->limit; i++) {
    const struct growth_row *row = &table->rows[i];
    json_open(&json, NULL, '{');
    json_text(&json, "name", row->name);
    json_text(&json, "file", row->file);
    json_figures(&json, row->growth, row->last, row->faster);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_close(&json, '}');
  putchar('\n');
}

/* ---- the command ---- */

/* The unit that all of them have; "ns" is time. */
static int read_unit(struct workspace *workspace, char unit[64], double *scale,
                     struct error *error) {
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(workspace, &row, error,
                        "SELECT min(unit), min(unit) = max(unit), min(scale) FROM profile") != 0)
    return -1;
  bool one = sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 1);
  if (one) snprintf(unit, 64, "%s", (const char *)sqlite3_column_text(row, 0));
  *scale = sqlite3_column_double(row, 2);
  sqlite3_finalize(row);
  return one ? 0 : error_set(error, "the profiles count different things: they cannot be compared");
}

static int show(struct workspace *workspace, const struct request *request, struct error *error) {
  struct growth_table table = {0};
  char name[64] = "";
  double scale;
  for (size_t i = 0; i < request->count; i++)
    if (profile_file_add(workspace, request->files[i], "ascribe growth", error) != 0) return -1;
  if (read_unit(workspace, name, &scale, error) != 0) return -1;
  int result =
      growth_table_make(workspace, ENTRY_FUNCTIONS, request->n, request->count, &table, error);
  const char *unit = strcmp(name, "ns") == 0 ? NULL : name;
  if (result == 0 && request->json) print_json(request, &table, unit);
  if (result == 0 && !request->json) print_table(request, &table, unit, scale);
  growth_table_free(&table);
  return result;
}

int command_growth(int count, char **arguments) {
  static char name[] = "ascribe growth"; /* for getopt's messages */
  struct request request = {.limit = 20};
  struct workspace workspace;
  struct error error;
  arguments[0] = name;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = workspace_open(&workspace, &error);
  if (result == 0) result = show(&workspace, &request, &error);
  workspace_close(&workspace);
  if (result == 0 && fflush(stdout) != 0)
    result = error_set(&error, "the output cannot be written");
  if (result != 0) fprintf(stderr, "ascribe growth: %s\n", error.text);
  return result == 0 ? 0 : 1;
}
