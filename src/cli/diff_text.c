#include "cli/diff_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/quantity.h"

static void print_amount(sqlite3_stmt *row, int column, int entry, const struct diff_side *side) {
  char text[DURATION_BYTES];
  if (!diff_known(row, entry))
    printf("%11s", "none");
  else if (isnan(diff_number(row, column)))
    printf("%11s", "-");
  else
    printf("%11s", quantity_short_text(side->unit, diff_number(row, column) / side->scale, text));
}

static void print_calls(sqlite3_stmt *row, int column, int entry) {
  if (!diff_known(row, entry))
    printf("%14s", "none");
  else if (isnan(diff_number(row, column)))
    printf("%14s", "-");
  else
    printf("%14.0f", diff_number(row, column));
}

static const char *value_text(const struct diff_result *result, double value,
                              char text[DURATION_BYTES]) {
  return quantity_short_text(result->sides[0].unit, fabs(value) / result->sides[0].scale, text);
}

/* Amounts with their unit, and differences of counts to the last digit. */
static void print_value(const struct diff_result *result, const char *mark, double value) {
  if (isnan(value)) {
    printf("%s %11s ", mark, "-");
    return;
  }
  char text[DURATION_BYTES], whole[DURATION_BYTES + 1];
  if (isnan(value)) { /* another figure fulfils the condition */
    printf("%s %11s ", mark, "-");
    return;
  }
  snprintf(whole, sizeof whole, "%s%s", value < 0 ? "-" : "", value_text(result, value, text));
  if (result->amount)
    printf("%s %11s ", mark, whole);
  else
    printf(value == rint(value) && fabs(value) < 1e11 ? "%s %11.0f " : "%s %11.4g ", mark, value);
}

static void print_uncertainty(const struct diff_result *result, double half) {
  char text[DURATION_BYTES];
  if (result->amount)
    printf("%9s", value_text(result, half, text));
  else
    printf("%9.2g", half);
}

static int print_row(struct entry_labels *labels, sqlite3_stmt *row,
                     const struct diff_result *result, struct error *error) {
  double value = diff_number(row, DIFF_VALUE), low = diff_number(row, DIFF_LOW),
         high = diff_number(row, DIFF_HIGH);
  double half = fmax(value - low, high - value);
  const char *mark = isnan(value) ? " " : "?";
  if (diff_known(row, DIFF_STANDS_OUT)) mark = sqlite3_column_int(row, DIFF_STANDS_OUT) ? " " : "~";
  print_value(result, mark, value);
  if (isnan(low))
    printf("%9s", isnan(value) ? "" : "?");
  else if (half == 0)
    printf("%9s", "");
  else
    print_uncertainty(result, half);
  print_calls(row, DIFF_A_CALLS, DIFF_A);
  print_calls(row, DIFF_B_CALLS, DIFF_B);
  print_amount(row, DIFF_A_SELF, DIFF_A, &result->sides[0]);
  print_amount(row, DIFF_B_SELF, DIFF_B, &result->sides[1]);
  fputs("  ", stdout);
  int64_t id;
  size_t profile = diff_row_entry(row, &id);
  int done = entry_label_print(labels, profile, id, stdout, error);
  putchar('\n');
  return done;
}

static void print_head(const struct diff_request *request, const struct diff_result *result) {
  static const char letters[] = "ab";
  char text[QUANTITY_BYTES];
  for (int i = 0; i < 2; i++) {
    const struct diff_side *side = &result->sides[i];
    printf("%c  ", letters[i]);
    text_name(stdout, request->files[i], 0);
    printf(": %s in all\n", quantity_text(side->unit, side->whole / side->scale, text));
  }
  if (diff_programs_differ(result)) {
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

static void print_count(int64_t count, enum compared_kind kind, const char *one, const char *many) {
  printf("\n%" PRId64 " %s %s", count, count == 1 ? entry_noun(kind) : entry_noun_of_many(kind),
         count == 1 ? one : many);
}

static void print_notes(const struct diff_request *request, const struct diff_result *result,
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

int diff_text(struct entry_labels *labels, const struct diff_request *request,
              const struct diff_result *result, struct error *error) {
  sqlite3_stmt *rows = NULL;
  struct notes notes = {0};
  int step = SQLITE_DONE, done = 0;
  if (diff_rows(labels->workspace, request, &rows, error) != 0) return -1;
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
