#include "cli/diff_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/diff_verdict.h"
#include "cli/figure_table.h"
#include "report/quantity.h"
#include "report/terminal.h"

/* ---- the table ---- */

enum column { MARK, VALUE, UNCERTAINTY, A_CALLS, B_CALLS, A_SELF, B_SELF };
enum { CELL_BYTES = 2 * DURATION_BYTES };

/* What the value is not made of goes first where there is no room. */
static void make_columns(struct figure_table *table, const struct diff_result *result) {
  static const char *const titles[] = {"", "value", "+-", "a.calls", "b.calls", "a.self", "b.self"};
  bool of_calls = strstr(result->expression, "calls") != NULL;
  table->column_count = sizeof titles / sizeof *titles;
  for (size_t i = 0; i < table->column_count; i++)
    table->columns[i] = (struct figure_column){.title = titles[i], .gap = 2};
  table->columns[MARK].gap = 0;
  table->columns[VALUE].gap = 1;
  table->columns[A_CALLS].leaves = of_calls ? 2 : 4;
  table->columns[B_CALLS].leaves = of_calls ? 1 : 3;
  table->columns[A_SELF].leaves = of_calls ? 4 : 2;
  table->columns[B_SELF].leaves = of_calls ? 3 : 1;
}

static void amount_cell(char cell[CELL_BYTES], sqlite3_stmt *row, int column, int entry,
                        const struct diff_side *side) {
  char text[DURATION_BYTES];
  const char *shown = "-";
  if (!diff_known(row, entry))
    shown = "none";
  else if (!isnan(diff_number(row, column)))
    shown = quantity_short_text(side->unit, diff_number(row, column) / side->scale, text);
  snprintf(cell, CELL_BYTES, "%s", shown);
}

static void calls_cell(char cell[CELL_BYTES], sqlite3_stmt *row, int column, int entry) {
  if (!diff_known(row, entry))
    snprintf(cell, CELL_BYTES, "none");
  else if (isnan(diff_number(row, column)))
    snprintf(cell, CELL_BYTES, "-");
  else
    snprintf(cell, CELL_BYTES, "%.0f", diff_number(row, column));
}

static const char *value_text(const struct diff_result *result, double value,
                              char text[DURATION_BYTES]) {
  return quantity_short_text(result->sides[0].unit, fabs(value) / result->sides[0].scale, text);
}

/* Amounts with their unit, and differences of counts to the last digit. */
static void value_cell(char cell[CELL_BYTES], const struct diff_result *result, double value) {
  char text[DURATION_BYTES];
  if (isnan(value)) /* another figure fulfils the condition */
    snprintf(cell, CELL_BYTES, "-");
  else if (result->amount)
    snprintf(cell, CELL_BYTES, "%s%s", value < 0 ? "-" : "", value_text(result, value, text));
  else
    snprintf(cell, CELL_BYTES, value == rint(value) && fabs(value) < 1e11 ? "%.0f" : "%.4g", value);
}

/* `half`: of the interval; NaN: not known. */
static void uncertainty_cell(char cell[CELL_BYTES], const struct diff_result *result, double value,
                             double half) {
  char text[DURATION_BYTES];
  if (isnan(half))
    snprintf(cell, CELL_BYTES, "%s", isnan(value) ? "" : "?");
  else if (half == 0)
    cell[0] = '\0';
  else if (result->amount)
    snprintf(cell, CELL_BYTES, "%s", value_text(result, half, text));
  else
    snprintf(cell, CELL_BYTES, "%.2g", half);
}

static void add_row(struct figure_table *table, sqlite3_stmt *row,
                    const struct diff_result *result) {
  char cells[FIGURE_COLUMNS][CELL_BYTES] = {""};
  const char *texts[FIGURE_COLUMNS];
  double value = diff_number(row, DIFF_VALUE), low = diff_number(row, DIFF_LOW),
         high = diff_number(row, DIFF_HIGH);
  bool known = diff_known(row, DIFF_STANDS_OUT);
  if (!isnan(value) && !known) strcpy(cells[MARK], "?");
  if (known && !sqlite3_column_int(row, DIFF_STANDS_OUT)) strcpy(cells[MARK], "~");
  value_cell(cells[VALUE], result, value);
  uncertainty_cell(cells[UNCERTAINTY], result, value,
                   isnan(low) ? NAN : fmax(value - low, high - value));
  calls_cell(cells[A_CALLS], row, DIFF_A_CALLS, DIFF_A);
  calls_cell(cells[B_CALLS], row, DIFF_B_CALLS, DIFF_B);
  amount_cell(cells[A_SELF], row, DIFF_A_SELF, DIFF_A, &result->sides[0]);
  amount_cell(cells[B_SELF], row, DIFF_B_SELF, DIFF_B, &result->sides[1]);
  for (size_t i = 0; i < table->column_count; i++)
    texts[i] = cells[i];
  int64_t id;
  size_t profile = diff_row_entry(row, &id);
  figure_table_add(table, texts, profile, id);
}

static int print_table(struct entry_labels *labels, struct figure_table *table,
                       struct error *error) {
  for (size_t i = 0; i < table->row_count; i++)
    if (entry_labels_announce(labels, table->rows[i].profile, table->rows[i].id, error) != 0)
      return -1;
  entry_labels_announced(labels);
  labels->room =
      figure_table_fit(table, terminal_of(stdout).width, entry_label_least(labels->kind));
  figure_table_print_titles(table, stdout);
  puts(entry_noun(labels->kind));
  for (size_t i = 0; i < table->row_count; i++) {
    figure_table_print(table, i, stdout);
    if (entry_label_print(labels, table->rows[i].profile, table->rows[i].id, stdout, error) != 0)
      return -1;
    putchar('\n');
  }
  return 0;
}

/* ---- around it ---- */

static void print_head(const struct diff_request *request, const struct diff_result *result) {
  static const char letters[] = "ab";
  char text[QUANTITY_BYTES];
  for (int i = 0; i < 2; i++) {
    const struct diff_side *side = &result->sides[i];
    printf("%c  ", letters[i]);
    text_name(stdout, request->files[i], 0);
    printf(": %s in all", quantity_text(side->unit, side->whole / side->scale, text));
    if (result->verdict.spread.runs[i] > 1)
      printf(", the sum of %d runs", result->verdict.spread.runs[i]);
    putchar('\n');
  }
  if (diff_programs_differ(result)) {
    fputs("different programs (", stdout);
    text_name(stdout, result->programs[0], 0);
    fputs("; ", stdout);
    text_name(stdout, result->programs[1], 0);
    puts("): entries with the same name are compared");
  }
  const struct diff_side *sides = result->sides;
  if (sides[0].has_contexts != sides[1].has_contexts)
    printf(
        "built differently: self times of %c, built with --contexts, include functions that were "
        "inlined; those of %c do not\n",
        letters[!sides[0].has_contexts], letters[sides[0].has_contexts]);
}

static void print_expression(const struct diff_result *result) {
  fputs("by ", stdout);
  text_name(stdout, result->expression, 0);
  printf("; %g means no difference\n\n", result->neutral);
}

/* What the rows have that needs a word. */
struct notes {
  bool any, noise, unknown, lacking, dash;
};

static void note_row(struct notes *notes, sqlite3_stmt *row) {
  bool known = diff_known(row, DIFF_STANDS_OUT);
  bool value = diff_known(row, DIFF_VALUE);
  notes->any = true;
  notes->unknown |= value && !known;
  notes->dash |= !value;
  notes->noise |= known && !sqlite3_column_int(row, DIFF_STANDS_OUT);
  for (int side = 0; side < 2; side++) {
    bool lacks = !diff_known(row, DIFF_A + side);
    notes->lacking |= lacks;
    notes->dash |= !lacks && (isnan(diff_number(row, DIFF_A_CALLS + side)) ||
                              isnan(diff_number(row, DIFF_A_SELF + side)));
  }
}

static void print_count(char before, int64_t count, enum compared_kind kind, const char *one,
                        const char *many) {
  printf("%c%" PRId64 " %s %s", before, count,
         count == 1 ? entry_noun(kind) : entry_noun_of_many(kind), count == 1 ? one : many);
}

/* Why a difference is not claimed. */
static void print_chance(const struct diff_request *request, const struct diff_result *result) {
  const struct spread *spread = &result->verdict.spread;
  fputs("\n~ may be chance:", stdout);
  print_count(' ', (int64_t)result->verdict.judged_together, request->kind, "is judged",
              "are judged together");
  puts(" (false discovery rate 5 %)");
  if (spread->whole == 0) return;
  printf("  the CPU time of two identical runs may differ by %.0f %%: %s\n",
         100 * (exp(spread->whole) - 1),
         spread->measured ? "so the runs that were merged say"
                          : "assumed; record --repeat 5 of both measures it");
}

static void print_notes(const struct diff_request *request, const struct diff_result *result,
                        const struct notes *notes) {
  if (!notes->any)
    puts(request->condition ? "  (no entry meets the condition)" : "  (no difference)");
  if (notes->noise) print_chance(request, result);
  if (notes->unknown) puts("\n? its uncertainty is unknown");
  if (notes->lacking) printf("\nnone: this profile lacks the %s\n", entry_noun(request->kind));
  if (notes->dash) puts("\n-: unknown: calls were not counted there, or time was not measured");
  if (result->unknown) {
    print_count('\n', result->unknown, request->kind, "has", "have");
    fputs(" no value: the expression uses unknown figures, or is not a number there\n", stdout);
  }
  if (!request->condition) return;
  if (result->unjudged) {
    print_count('\n', result->unjudged, request->kind, "cannot", "cannot");
    fputs(" be checked: the condition uses figures that are unknown\n", stdout);
  }
  if (result->failed) {
    print_count('\n', result->failed, request->kind, "fulfils ", "fulfil ");
    text_name(stdout, request->condition, 0);
    putchar('\n');
  }
}

int diff_text(struct entry_labels *labels, const struct diff_request *request,
              const struct diff_result *result, struct error *error) {
  sqlite3_stmt *rows = NULL;
  struct notes notes = {0};
  struct figure_table table = {0};
  int step, done = 0;
  if (diff_rows(labels->workspace, request, &rows, error) != 0) return -1;
  make_columns(&table, result);
  while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
    add_row(&table, rows, result);
    note_row(&notes, rows);
  }
  if (step != SQLITE_DONE) done = workspace_error(labels->workspace, error);
  sqlite3_finalize(rows);
  if (done == 0) print_head(request, result);
  if (done == 0) done = diff_verdict_print(labels->workspace, &result->verdict, error);
  if (done == 0) print_expression(result);
  if (done == 0) done = print_table(labels, &table, error);
  if (done == 0) print_notes(request, result, &notes);
  figure_table_free(&table);
  return done;
}
