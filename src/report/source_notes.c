/* What is known of a source line besides the figures in its margin. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/copies.h"
#include "attribution/counts/expressions.h"
#include "report/source_margin.h"

/* Without --all: of a line, of a switch. */
enum { MOST_COPIES = 8, MOST_CASES = 6 };

static void begin_note(const struct source *source) {
  static const struct line_figure nothing = {0};
  listing_dim(source->listing);
  margin_figures(source, &nothing);
  margin_executed(source, &nothing);
  margin_calls(source, 0);
}

static void end_note(const struct source *source) {
  listing_plain(source->listing);
  fputc('\n', source->listing->out);
}

/* "entered 10 times, 450 trips each" */
static void print_loop(FILE *out, uint64_t entries, uint64_t trips) {
  int digits = trips % entries == 0 ? 0 : trips / entries < 10 ? 2 : 1;
  fprintf(out, " entered %" PRIu64 " time%s, %.*f trip%s each", entries, entries == 1 ? "" : "s",
          digits, (double)trips / entries, trips == entries ? "" : "s");
}

static int most_executed_first(const void *left, const void *right) {
  const struct profile_expression *a = *(const struct profile_expression *const *)left,
                                  *b = *(const struct profile_expression *const *)right;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  return (a > b) - (a < b);
}

/* "case 3 (line 12): 40 %; default (line 20): 60 %"; lines where these are others. */
static void print_cases(const struct source *source, const struct profile_expression *const *ways,
                        size_t count, uint64_t sum) {
  FILE *out = source->listing->out;
  const struct profile_expression **cases = memory_zeroed(count, sizeof(*cases));
  size_t shown =
      count > MOST_CASES && !source->listing->model->options->all ? MOST_CASES - 1 : count;
  uint64_t left = sum;
  memcpy(cases, ways, count * sizeof(*cases));
  if (shown < count) qsort(cases, count, sizeof(*cases), most_executed_first);
  for (size_t i = 0; i < shown; i++) {
    fprintf(out, "%s %s", i ? ";" : "", cases[i]->label ? cases[i]->label : "not known");
    if (cases[i]->label_line && cases[i]->label_line != cases[i]->line)
      fprintf(out, " (line %" PRIu32 ")", cases[i]->label_line);
    fprintf(out, ": %.3g %%", 100.0 * cases[i]->count / sum);
    left -= cases[i]->count;
  }
  if (shown < count)
    fprintf(out, "; %zu others: %.3g %% (--all)", count - shown, 100.0 * left / sum);
  free(cases);
}

static void print_ways(const struct source *source, const struct profile_expression *const *ways,
                       size_t count, uint64_t sum) {
  FILE *out = source->listing->out;
  if (ways[0]->kind == EXPRESSION_CASE) print_cases(source, ways, count, sum);
  for (size_t i = 0; ways[0]->kind == EXPRESSION_BRANCH && i < count; i++)
    fprintf(out, " %.3g %%", 100.0 * ways[i]->count / sum);
  if (ways[0]->kind == EXPRESSION_LOOP && ways[0]->count && count == 2)
    print_loop(out, ways[0]->count, ways[1]->count);
}

/* Whether every execution has a count and, for a switch, a known branch for part of them. */
static bool is_told(const struct profile_expression *const *ways, size_t count, uint64_t sum) {
  bool known = ways[0]->kind != EXPRESSION_CASE;
  for (size_t i = 0; i < count; i++)
    known |= ways[i]->label != NULL;
  return known && sum;
}

/* Prints all conditions or loops of a line: "branches: 60 % 40 %, 0 % 100 %"; each switch has a
 * note of its own. */
static void print_conditions(const struct source *source, uint32_t line, enum expression_kind kind,
                             const char *name) {
  const struct source_figures *figures = &source->figures;
  bool any = false;
  for (size_t i = 0, next; i < figures->way_count; i = next) {
    const struct profile_expression *const *ways = figures->ways + i;
    uint64_t sum = 0;
    for (next = i; next < figures->way_count; next++) {
      if (!expressions_are_one_condition(ways[0], figures->ways[next])) break;
      sum += figures->ways[next]->count;
    }
    if (ways[0]->line != line || ways[0]->kind != kind || !is_told(ways, next - i, sum)) continue;
    if (!any) begin_note(source);
    fprintf(source->listing->out, any ? "," : "          %s", name);
    print_ways(source, ways, next - i, sum);
    any = kind != EXPRESSION_CASE;
    if (!any) end_note(source);
  }
  if (any) end_note(source);
}

/* "in outer: scale at e.c:13:10 in twice at e.c:18:12" */
static void print_copy(const struct source *source, const struct line_copy *copy) {
  const struct listing *listing = source->listing;
  const struct profile *profile = listing->model->profile;
  struct line_figure figure = {
      .self = copy->self, .has_code = copy->count != COPY_UNCOUNTED, .executed = copy->count};
  listing_dim(listing);
  margin_figures(source, &figure);
  margin_executed(source, &figure);
  margin_calls(source, 0);
  fprintf(listing->out, "          in %s%s", profile->functions[copy->within].name,
          copy->clone ? copy->clone : "");
  char *through = copy->expansion == NOTHING ? NULL : expansion_text(profile, copy->expansion);
  if (through) fprintf(listing->out, ": %s", through);
  free(through);
  end_note(source);
}

static void print_copies(const struct source *source, uint32_t line) {
  const struct source_figures *figures = &source->figures;
  const struct report_options *options = source->listing->model->options;
  size_t printed = 0, left_out = 0;
  for (size_t i = 0; options->copies && i < figures->copy_count; i++) {
    if (figures->copies[i].line != line) continue;
    if (printed < MOST_COPIES || options->all)
      print_copy(source, &figures->copies[i]), printed++;
    else
      left_out++;
  }
  if (!left_out) return;
  begin_note(source);
  fprintf(source->listing->out, "          in %zu more places (--all)", left_out);
  end_note(source);
}

void source_notes(const struct source *source, uint32_t line) {
  print_conditions(source, line, EXPRESSION_BRANCH, "branches:");
  print_conditions(source, line, EXPRESSION_CASE, "switch:");
  print_conditions(source, line, EXPRESSION_LOOP, "loop");
  print_copies(source, line);
}
