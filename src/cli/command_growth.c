/* ascribe growth: how calls and time grow with the size of the input. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/entry_labels.h"
#include "cli/figure_table.h"
#include "cli/option_tables.h"
#include "cli/profile_file.h"
#include "cli/sized_files.h"
#include "compare/growth_table.h"
#include "report/quantity.h"
#include "report/terminal.h"

struct request {
  struct sized_files runs;
  enum compared_kind kind;
  size_t limit;
  bool json;
  const char *metric; /* or null */
};

static int parse_runs(struct request *request, char **words, int count) {
  if (sized_files_take(&request->runs, words, count) != 0) return -1;
  if (request->runs.count < 2) return wrong_use("at least two sizes are needed");
  return request->runs.sized ? 0
                             : wrong_use("%s: the size is missing, as in n=1000:FILE", words[0]);
}

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case OPTION_OF:
    return entry_kind_take(optarg, &request->kind);
  case OPTION_LIMIT:
    request->limit = option_number() ? option_number() : SIZE_MAX;
    return 0;
  case OPTION_METRIC:
    request->metric = optarg;
    return 0;
  case OPTION_JSON:
    request->json = true;
    return 0;
  default:
    return OPTION_UNTAKEN;
  }
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  int result = options_take(&options_growth, take_option, NULL, count, arguments, request);
  return result != 0 ? result : parse_runs(request, arguments + optind, count - optind);
}

/* What is shown, and with what. */
struct listing {
  const struct request *request;
  const struct growth_table *table;
  struct entry_labels *labels;
  const char *unit; /* null: time */
  double scale;
  struct error *error;
};

/* ---- text ---- */

static bool seen(const struct growth_row *row) {
  return row->growth[GROWTH_CALLS].points || row->growth[GROWTH_SELF].points ||
         row->growth[GROWTH_TOTAL].points;
}

enum column { LAST_CALLS = GROWTH_FIGURES, LAST_TIME, COLUMNS };
enum { CELL_BYTES = 48 };

static void make_columns(const struct listing *listing, struct figure_table *table) {
  enum compared_kind kind = listing->request->kind;
  bool executed = kind == ENTRY_LINES || kind == ENTRY_EXPRESSIONS;
  table->column_count = COLUMNS;
  table->columns[GROWTH_CALLS].title = executed ? "executed ~ n^" : "calls ~ n^";
  table->columns[GROWTH_SELF].title = "self ~ n^";
  table->columns[GROWTH_TOTAL].title = "total ~ n^";
  table->columns[LAST_CALLS].title = executed ? "executed" : "calls";
  table->columns[LAST_TIME].title = listing->unit ? "total" : "time";
  for (size_t i = 0; i < COLUMNS; i++)
    table->columns[i].gap = 2;
  table->columns[GROWTH_CALLS].gap = 0;
  table->columns[LAST_CALLS].leaves = 3;
  table->columns[LAST_TIME].leaves = 2;
  table->columns[GROWTH_SELF].leaves = 1;
}

static void growth_cell(char cell[CELL_BYTES], const struct growth *growth, bool faster,
                        bool zeros) {
  char text[32];
  if (!growth->points)
    snprintf(text, sizeof text, "-");
  else if (growth->uncertainty < 0.005)
    snprintf(text, sizeof text, "%.2f", growth->exponent);
  else if (growth->uncertainty > 99)
    snprintf(text, sizeof text, "%.2f +- ?", growth->exponent);
  else
    snprintf(text, sizeof text, "%.2f +- %.2f", growth->exponent, growth->uncertainty);
  snprintf(cell, CELL_BYTES, "%s%c%c", text, faster ? '*' : ' ',
           growth->points && zeros ? 'o' : ' ');
}

static void last_cells(const struct listing *listing, char (*cells)[CELL_BYTES],
                       const double last[GROWTH_FIGURES]) {
  char text[DURATION_BYTES];
  double time = isnan(last[GROWTH_TOTAL]) ? last[GROWTH_SELF] : last[GROWTH_TOTAL];
  snprintf(cells[LAST_CALLS], CELL_BYTES, isnan(last[GROWTH_CALLS]) ? "-" : "%.0f",
           last[GROWTH_CALLS]);
  snprintf(cells[LAST_TIME], CELL_BYTES, "%s",
           isnan(time) ? "-" : quantity_short_text(listing->unit, time / listing->scale, text));
}

/* `row`: null for the whole. */
static int add_row(const struct listing *listing, struct figure_table *figures,
                   const struct growth_row *row) {
  const struct growth_table *table = listing->table;
  char cells[COLUMNS][CELL_BYTES];
  const char *texts[COLUMNS];
  for (int figure = 0; figure < GROWTH_FIGURES; figure++)
    growth_cell(cells[figure], row ? &row->growth[figure] : &table->whole[figure],
                row && row->faster[figure], row && row->zeros[figure] > 0);
  last_cells(listing, cells, row ? row->last : table->last);
  for (size_t i = 0; i < COLUMNS; i++)
    texts[i] = cells[i];
  figure_table_add(figures, texts, row ? table->largest : 0, row ? row->id : 0);
  if (!row) return 0;
  return entry_labels_announce(listing->labels, table->largest, row->id, listing->error);
}

/* What the rows have that needs a word. */
struct notes {
  bool faster, zeros;
  size_t shown, more, unseen;
};

static void note_row(struct notes *notes, const struct growth_row *row) {
  for (int figure = 0; figure < GROWTH_FIGURES; figure++) {
    notes->faster |= row->faster[figure];
    notes->zeros |= row->growth[figure].points && row->zeros[figure] > 0;
  }
  notes->shown++;
}

static bool two_sizes(const struct request *request) {
  double first = request->runs.n[0], other = first;
  for (size_t i = 1; i < request->runs.count; i++) {
    if (request->runs.n[i] == first || request->runs.n[i] == other) continue;
    if (other != first) return false;
    other = request->runs.n[i];
  }
  return true;
}

static void print_notes(const struct listing *listing, const struct notes *notes) {
  const char *kind = entry_noun_of_many(listing->request->kind);
  if (!notes->shown)
    printf("  (no %s has figures at two sizes: are these profiles of one program?)\n",
           entry_noun(listing->request->kind));
  putchar('\n');
  if (notes->more) printf("%zu more %s: --limit 0 shows all\n", notes->more, kind);
  if (notes->unseen) printf("%zu %s with figures at only one size, or none\n", notes->unseen, kind);
  puts("+- 95 %: sampling noise, and how far the figures are from a power of n");
  if (notes->faster) puts("*  grows faster than the whole, beyond the uncertainties");
  if (notes->zeros) puts("o  is 0 at some sizes and fitted to the others (0 has no logarithm)");
  if (two_sizes(listing->request))
    puts("Two sizes cannot show whether a figure is a power of n at all; three can.");
}

static int print_figures(const struct listing *listing, struct figure_table *figures) {
  entry_labels_announced(listing->labels);
  listing->labels->room = figure_table_fit(figures, terminal_of(stdout).width,
                                           entry_label_least(listing->request->kind));
  printf("largest n: %g\n\n", listing->request->runs.n[listing->table->largest - 1]);
  figure_table_print_titles(figures, stdout);
  puts(entry_noun(listing->request->kind));
  for (size_t i = 0; i < figures->row_count; i++) {
    const struct figure_row *row = &figures->rows[i];
    figure_table_print(figures, i, stdout);
    if (!row->profile)
      fputs("(the whole)", stdout);
    else if (entry_label_print(listing->labels, row->profile, row->id, stdout, listing->error) != 0)
      return -1;
    putchar('\n');
  }
  return 0;
}

static int print_table(const struct listing *listing) {
  const struct growth_table *table = listing->table;
  struct figure_table figures = {0};
  struct notes notes = {0};
  make_columns(listing, &figures);
  int result = add_row(listing, &figures, NULL);
  for (size_t i = 0; result == 0 && i < table->count; i++) {
    if (!seen(&table->rows[i])) {
      notes.unseen++;
    } else if (notes.shown == listing->request->limit) {
      notes.more++;
    } else {
      result = add_row(listing, &figures, &table->rows[i]);
      note_row(&notes, &table->rows[i]);
    }
  }
  if (result == 0) result = print_figures(listing, &figures);
  if (result == 0) print_notes(listing, &notes);
  figure_table_free(&figures);
  return result;
}

/* ---- JSON ---- */

static void json_growth(struct json *json, const char *key, const struct growth *growth,
                        double last, const struct growth_row *row, int figure) {
  json_open(json, key, '{');
  json_real(json, "last", last);
  json_number(json, "points", growth->points);
  json_real(json, "exponent", growth->points ? growth->exponent : NAN);
  json_real(json, "uncertainty", growth->points ? growth->uncertainty : NAN);
  json_real(json, "factor", growth->points ? growth->factor : NAN);
  json_real(json, "misfit", growth->points ? growth->misfit : NAN);
  if (row) json_number(json, "zeros", row->zeros[figure]);
  if (row) json_flag(json, "faster", row->faster[figure]);
  json_close(json, '}');
}

/* `row`: null for the whole. */
static void json_figures(struct json *json, const struct growth *growth, const double *last,
                         const struct growth_row *row) {
  static const char *const keys[] = {"calls", "self", "total"};
  for (int figure = 0; figure < GROWTH_FIGURES; figure++)
    json_growth(json, keys[figure], &growth[figure], last[figure], row, figure);
}

static int print_json(const struct listing *listing) {
  const struct growth_table *table = listing->table;
  const struct sized_files *runs = &listing->request->runs;
  struct json json = {.out = stdout, .first = true};
  int result = 0;
  json_open(&json, NULL, '{');
  json_text(&json, "unit", listing->unit ? listing->unit : "s");
  json_open(&json, "runs", '[');
  for (size_t i = 0; i < runs->count; i++) {
    json_open(&json, NULL, '{');
    json_real(&json, "n", runs->n[i]);
    json_text(&json, "file", runs->files[i]);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_open(&json, "whole", '{');
  json_figures(&json, table->whole, table->last, NULL);
  json_close(&json, '}');
  json_open(&json, entry_kind_names[listing->request->kind], '[');
  for (size_t i = 0; result == 0 && i < table->count && i < listing->request->limit; i++) {
    const struct growth_row *row = &table->rows[i];
    json_open(&json, NULL, '{');
    result = entry_label_json(listing->labels, table->largest, row->id, &json, listing->error);
    json_figures(&json, row->growth, row->last, row);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_close(&json, '}');
  putchar('\n');
  return result;
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
  const struct sized_files *runs = &request->runs;
  struct growth_table table = {0};
  struct entry_labels labels = {.workspace = workspace, .kind = request->kind};
  char name[64] = "";
  double scale;
  for (size_t i = 0; i < runs->count; i++)
    if (profile_file_add(workspace, runs->files[i], error) != 0) return -1;
  if (read_unit(workspace, name, &scale, error) != 0) return -1;
  int result = growth_table_make(workspace, request->kind, runs->n, runs->count, &table, error);
  if (result == 0 && !table.count) {
    result = error_set(
        error, "%s has no %s%s", runs->files[table.largest - 1], entry_kind_names[request->kind],
        request->kind == ENTRY_EXPRESSIONS ? ": build with ascribe cc --expressions to count them"
                                           : "");
  } else if (result == 0) {
    const struct listing listing = {request, &table, &labels, strcmp(name, "ns") == 0 ? NULL : name,
                                    scale,   error};
    result = request->json ? print_json(&listing) : print_table(&listing);
  }
  entry_labels_close(&labels);
  growth_table_free(&table);
  return result;
}

int command_growth(int count, char **arguments) {
  struct request request = {.limit = 20};
  struct workspace workspace;
  struct error error;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = workspace_open(&workspace, &error);
  const char *metric = entry_metric(request.kind, request.metric);
  if (result == 0 && metric) workspace_choose(&workspace, metric);
  if (result == 0) result = show(&workspace, &request, &error);
  workspace_close(&workspace);
  if (result == 0 && fflush(stdout) != 0)
    result = error_set(&error, "the output cannot be written");
  return result == 0 ? 0 : command_failed(&error);
}
